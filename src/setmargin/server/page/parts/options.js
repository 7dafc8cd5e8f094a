/** The options of a question as one table: a label for each row, a column for each option, and only what differs. */

import { button, capital, freshId, h, unseen } from "../dom.js";
import { helpOf, isMoney, label } from "../format.js";
import { text } from "../text.js";
import { alterButton, cellMoves, otherValues, restOpens } from "./cells.js";
import { comparison, itemPicture, itemTitle, meaning, picture, rows, spoken } from "./option.js";

/** @typedef {import("./option.js").Row} Row */

/** More rows than these stand closer together. */
const MANY = 8;

/**
 * What differs, in the order in which people look: what it costs, other amounts, what it is made of.
 * @param {import("../api.js").Catalogue} catalogue @param {import("../api.js").Option[]} options @returns {Row[]}
 */
export function differingRows(catalogue, options) {
  const rank = ({ isQuantity, thing }) => (isQuantity && isMoney(thing.unit) ? 0 : isQuantity ? 1 : 2);
  return rows(catalogue, options).filter((row) => row.differs).sort((one, other) => rank(one) - rank(other));
}

/**
 * What a tap on a cell says beside which option is taken: that its row decided, or what its row should have instead.
 * @typedef {{
 *   onchoose: (place: number) => void, onreason?: (place: number, name: string) => void,
 *   onwish?: (place: number, wish: import("./changes.js").Wish) => void
 * }} Acts
 */

/**
 * Roles are written out, for the rows are laid out as a grid, and on narrow screens with their label above.
 * @param {import("../api.js").Catalogue} catalogue
 * @param {Pick<import("../api.js").Question, "options" | "changes" | "differing">} question
 * @param {Acts} acts
 */
export function optionTable(catalogue, { options, changes, differing: askable }, { onchoose, onreason, onwish }) {
  const differing = differingRows(catalogue, options);
  const tap = (row, place) => {
    if (onreason && askable.includes(row.thing.name) && canDecide(row, place)) return because(row, place, onreason);
    return onwish ? otherValues(catalogue, row, place, changes[place], (wish) => onwish(place, wish)) : null;
  };
  const cell = (row, place) => {
    const act = tap(row, place);
    const kind = [isCommon(row, place) && "common", act && "tells"].filter(Boolean).join(" ");
    return h("td", { role: "cell", "data-place": place, class: kind || null, onclick: act ? null : () => onchoose(place) },
      picture(row, place), h("span", { class: "value", title: meaning(row, place) }, row.cells[place]), " ",
      comparison(row, place), act);
  };
  const unlessInList = (place) => ({ target }) => { if (!target.closest(".instead")) onchoose(place); };
  const head = options.map((option, place) =>
    h("th", { role: "columnheader", scope: "col", "data-place": place, onclick: unlessInList(place) },
      h("kbd", { "aria-hidden": "true" }, place + 1), h("span", { class: "title" }, text.option(place + 1)),
      onwish && alterButton(catalogue, option, place, changes[place], (wish) => onwish(place, wish)),
      options[place].item && h("span", { class: "item" }, itemPicture(options[place].item),
        h("span", { class: "item-title" }, itemTitle(options[place].item))),
      h("span", { class: "place" })));
  const line = (row) => h("tr", { role: "row", class: row.isQuantity ? "quantity" : null, "data-name": row.thing.name },
    h("th", { role: "rowheader", scope: "row", title: helpOf(row.thing) }, capital(label(row.thing))),
    options.map((_, place) => cell(row, place)));
  const foot = options.map((_, place) => h("td", { role: "cell", "data-place": place }, choose(differing, place, onchoose)));
  const corner = (tag) => h(tag, { role: "cell", class: "corner" });
  const kind = ["options", differing.length > MANY && "dense", options.length > 3 && "many"].filter(Boolean).join(" ");
  const body = h("tbody", { role: "rowgroup" }, differing.map(line));
  cellMoves(body);
  const named = { role: "table", "aria-label": text.whichBetter, style: { "--options": options.length } };
  const table = h("table", { class: kind, ...named },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, corner("td"), head)), body,
    h("tfoot", { role: "rowgroup" }, h("tr", { role: "row" }, corner("td"), foot)));
  if (onwish) restOpens(table);
  return table;
}

/** What is the worst of all decided for nobody: a tap there takes the option and says no more. @param {Row} row */
function canDecide({ thing, raw, isQuantity }, place) {
  if (!isQuantity || !thing.better) return true;
  const numbers = /** @type {number[]} */ (raw);
  return numbers[place] !== (thing.better === "lower" ? Math.max : Math.min)(...numbers);
}

const because = (row, place, onreason) => button("tell because", () => onreason(place, row.thing.name), {
  tabindex: "-1", "aria-label": text.takeBecause(place + 1, label(row.thing), row.cells[place]), title: meaning(row, place),
});

const isCommon = ({ raw }, place) => raw.filter((each) => each === raw[place]).length > 1;

/** What it is about stands hidden beside it, for those who come to the button without having read the column. */
function choose(differing, place, onchoose) {
  const id = freshId("facts");
  return [button("choose", () => onchoose(place), { "aria-describedby": id }, chooseWords(place)),
    h("span", { id, hidden: true }, spoken(differing, place))];
}

/**
 * Ask what decided for the option that was chosen: each row becomes a button, and so does going on without.
 * @param {Element} table
 * @param {number} place
 * @param {string[]} names what may be named
 * @param {(name: string) => void} onreason
 */
export function askReasons(table, place, names, onreason) {
  table.classList.add("decided");
  table.querySelectorAll(".reason").forEach((old) => old.remove());
  markChosen(table, place);
  table.querySelectorAll(".choose").forEach((each, at) =>
    each.replaceChildren(...(at === place ? carryOn() : chooseWords(at))));
  const askable = [...table.querySelectorAll("tbody tr")].filter(({ dataset }) => names.includes(dataset.name));
  askable.forEach((row, each) => {
    const head = row.querySelector("th");
    head.append(button("reason", () => onreason(row.dataset.name), { "aria-label": text.decided(head.textContent) },
      each < 9 && h("kbd", { "aria-hidden": "true" }, each + 1)));
  });
}

/** Let one column stand out. @param {Element} table @param {number} place */
export function markChosen(table, place) {
  table.querySelectorAll("[data-place]").forEach((cell) =>
    cell.classList.toggle("chosen", cell.dataset.place === String(place)));
}

/** Let the cell stand out that decided. @param {Element} slot @param {number} place @param {string} name */
export function markReason(slot, place, name) {
  const row = [...slot.querySelectorAll("tbody tr")].find(({ dataset }) => dataset.name === name);
  row?.querySelector(`[data-place="${place}"]`).classList.add("why");
}

/** Show what place each option has while they are ranked. @param {Element} table @param {number[]} ranking */
export function markPlaces(table, ranking) {
  table.querySelectorAll("[data-place]").forEach((cell) =>
    cell.classList.toggle("placed", ranking.includes(Number(cell.dataset.place))));
  table.querySelectorAll(".place").forEach((words, place) => {
    const at = ranking.indexOf(place);
    words.textContent = at < 0 ? "" : text.placed(at + 1);
  });
}

const carryOn = () => [text.carryOn, " ", h("kbd", { "aria-hidden": "true" }, "C")];
const chooseWords = (place) =>
  [h("span", { "aria-hidden": "true" }, text.prefer), unseen(text.preferOption(place + 1))];

/** What all options share, folded away, each with what it is of: `Brakes: rim · Luggage: none`. */
export function alike(catalogue, options, isOpen) {
  const same = rows(catalogue, options).filter((row) => !row.differs);
  if (!same.length) return h("div", { class: "alike none" });
  const head = h("span", { class: "head" }, text.alike(same.length, options.length));
  const named = same.map((row) => text.mustBe(capital(label(row.thing)), row.cells[0]));
  return h("details", { class: "alike", open: isOpen },
    h("summary", null, head, h("span", { class: "hint" }, named.join(" · "))),
    h("dl", { class: "facts columns" }, same.map((row) =>
      h("div", null, h("dt", null, capital(label(row.thing))), h("dd", null, row.cells[0])))));
}

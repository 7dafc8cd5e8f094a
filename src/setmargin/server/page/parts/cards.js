/** The options of a question as cards side by side: what differs, row by row at the same height in every card. */

import { button, capital, freshId, h, unseen } from "../dom.js";
import { label } from "../format.js";
import { text } from "../text.js";
import { comparison, rows } from "./option.js";

/**
 * @param {import("../api.js").Catalogue} catalogue
 * @param {import("../api.js").Option[]} options
 * @param {(place: number) => void} onchoose
 */
export function cards(catalogue, options, onchoose) {
  const differing = rows(catalogue, options).filter((row) => row.differs);
  const style = { "--rows": differing.length, "--options": options.length };
  const kind = options.length === 2 ? "cards pair" : options.length > 4 ? "cards crowd" : "cards";
  return h("div", { class: kind, style, role: "group", "aria-label": text.whichBetter },
    options.map((_, place) => card(differing, place, onchoose)));
}

function card(differing, place, onchoose) {
  const id = freshId("facts");
  const title = freshId("option");
  const choose = button("choose", () => onchoose(place), { "aria-describedby": id }, chooseWords(place));
  return h("article", { class: "card", "aria-labelledby": title },
    h("h3", { id: title }, unseen(text.option(place + 1)), h("kbd", { "aria-hidden": "true" }, place + 1),
      h("span", { class: "place" })),
    h("dl", { id }, differing.map((row) => fact(row, place))),
    choose);
}

/**
 * Ask what decided for the card that was chosen: each of its rows becomes a button, and so does going on without.
 * @param {Element} group the cards
 * @param {number} place
 * @param {string[]} names what may be named
 * @param {(name: string) => void} onreason
 */
export function askReasons(group, place, names, onreason) {
  group.classList.add("decided");
  [...group.querySelectorAll(".card")].forEach((card, each) => {
    const isChosen = each === place;
    card.classList.toggle("chosen", isChosen);
    card.querySelectorAll(".reason").forEach((old) => old.remove());
    card.querySelector(".choose")?.replaceChildren(...(isChosen ? carryOn() : chooseWords(each)));
  });
  const rowsOf = group.querySelectorAll(".card.chosen dl > div");
  [...rowsOf].filter(({ dataset }) => names.includes(dataset.name)).forEach((row, each) => {
    const words = text.decided(row.querySelector("dt").textContent);
    row.querySelector("dd").append(button("reason", () => onreason(row.dataset.name), { "aria-label": words },
      each < 9 && h("kbd", { "aria-hidden": "true" }, each + 1)));
  });
}

const carryOn = () => [text.carryOn, " ", h("kbd", { "aria-hidden": "true" }, "C")];
const chooseWords = (place) =>
  [h("span", { "aria-hidden": "true" }, text.prefer), unseen(text.preferOption(place + 1))];

function fact(row, place) {
  const common = row.raw.filter((each) => each === row.raw[place]).length > 1;
  const kind = [row.isQuantity ? "quantity" : "", common ? "common" : ""].join(" ").trim();
  return h("div", { class: kind || null, "data-name": row.thing.name },
    h("dt", null, capital(label(row.thing))),
    h("dd", null, h("span", { class: "value" }, row.cells[place]), " ", comparison(row, place)));
}

/** What all options share, folded away. */
export function alike(catalogue, options, isOpen) {
  const same = rows(catalogue, options).filter((row) => !row.differs);
  if (!same.length) return h("div", { class: "alike none" });
  const head = h("span", { class: "head" }, text.alike(same.length, options.length));
  const hint = h("span", { class: "hint" }, same.map((row) => row.cells[0]).join(" · "));
  return h("details", { class: "alike", open: isOpen }, h("summary", null, head, hint),
    h("dl", { class: "facts columns" }, same.map((row) =>
      h("div", null, h("dt", null, capital(label(row.thing))), h("dd", null, row.cells[0])))));
}

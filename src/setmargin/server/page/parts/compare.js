/** The recommendation beside its alternatives, row by row. */

import { button, capital, h, unseen } from "../dom.js";
import { label, percent } from "../format.js";
import { text } from "../text.js";
import { rows } from "./option.js";

/**
 * @typedef {import("../api.js").Option} Option
 * @typedef {{option: Option, loss: number, gains: {name: string}[], losses: {name: string}[]}} Alternative
 */

const AS_GOOD = 0.005;

/**
 * A table of what differs. Roles are written out, for narrow screens lay the rows out differently.
 * @param {import("../api.js").Catalogue} catalogue
 * @param {Option} best
 * @param {Alternative[]} alternatives
 * @param {(option: Option) => void} ontake
 */
export function comparisonTable(catalogue, best, alternatives, ontake) {
  const differing = rows(catalogue, [best, ...alternatives.map(({ option }) => option)]).filter((row) => row.differs);
  const named = (place) => (alternatives.length > 1 ? text.alternative(place + 1) : text.onlyAlternative);
  const head = h("tr", { role: "row" },
    h("td", { role: "cell", class: "corner" }),
    h("th", { role: "columnheader", scope: "col" }, text.recommended),
    alternatives.map(({ loss }, place) => h("th", { role: "columnheader", scope: "col" }, named(place),
      h("span", { class: "small" }, loss < AS_GOOD ? text.asGood : text.behind(percent(loss))))));
  const line = (row) => h("tr", { role: "row", class: row.isQuantity ? "quantity" : null },
    h("th", { role: "rowheader", scope: "row" }, capital(label(row.thing))),
    h("td", { role: "cell" }, row.cells[0]),
    alternatives.map((each, place) => cell(row, each, place + 1)));
  const take = ({ option }, place) => h("td", { role: "cell" },
    button("link", () => ontake(option), { "aria-label": `${text.takeThis}: ${named(place)}` }, text.takeThis));
  const foot = h("tr", { role: "row", class: "takes" },
    h("td", { role: "cell", class: "corner" }), h("td", { role: "cell" }), alternatives.map(take));
  return h("table", { class: "compare", role: "table", style: { "--columns": alternatives.length + 1 } },
    h("thead", { role: "rowgroup" }, head), h("tbody", { role: "rowgroup" }, differing.map(line), foot));
}

function cell(row, { gains, losses }, place) {
  const same = row.cells[place] === row.cells[0];
  const has = (list) => !same && list.some(({ name }) => name === row.thing.name);
  return h("td", { role: "cell", class: same ? "same" : null }, row.cells[place],
    has(gains) && mark("good", "▲", text.speaksFor), has(losses) && mark("bad", "▼", text.speaksAgainst));
}

const mark = (kind, sign, words) => h("span", { class: `mark ${kind}`, title: words },
  h("span", { "aria-hidden": "true" }, ` ${sign}`), unseen(`, ${words}`));

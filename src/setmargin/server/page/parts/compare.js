/** The recommendation beside its alternatives, row by row. */

import { capital, h, unseen } from "../dom.js";
import { label, percent } from "../format.js";
import { text } from "../text.js";
import { rows } from "./option.js";

const AS_GOOD = 0.005;

/**
 * A table of what differs. Roles are written out, for narrow screens lay the rows out differently.
 * @param {import("../api.js").Catalogue} catalogue
 * @param {import("../api.js").Option} best
 * @param {{option: import("../api.js").Option, loss: number, gains: {name: string}[], losses: {name: string}[]}[]} alternatives
 * @param {(option: import("../api.js").Option) => void} ontake
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
  const foot = h("tr", { role: "row", class: "takes" }, h("td", { role: "cell", class: "corner" }), h("td", { role: "cell" }),
    alternatives.map(({ option }, place) => h("td", { role: "cell" }, h("button",
      { class: "link", type: "button", "aria-label": `${text.takeThis}: ${named(place)}`, onclick: () => ontake(option) }, text.takeThis))));
  return h("table", { class: "compare", role: "table", style: { "--columns": alternatives.length + 1 } },
    h("thead", { role: "rowgroup" }, head), h("tbody", { role: "rowgroup" }, differing.map(line), foot));
}

function cell(row, { gains, losses }, place) {
  const same = row.cells[place] === row.cells[0];
  const has = (list) => !same && list.some(({ name }) => name === row.thing.name);
  const mark = has(gains) ? ["▲", text.speaksFor, "good"] : has(losses) ? ["▼", text.speaksAgainst, "bad"] : null;
  return h("td", { role: "cell", class: same ? "same" : null }, row.cells[place],
    mark && h("span", { class: `mark ${mark[2]}`, title: mark[1] }, h("span", { "aria-hidden": "true" }, ` ${mark[0]}`), unseen(`, ${mark[1]}`)));
}

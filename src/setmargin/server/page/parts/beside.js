/** Two results next to each other: one of this browser's, and the one that is shown. */

import { resultAt } from "../base.js";
import { button, capital, h } from "../dom.js";
import { amount, label } from "../format.js";
import { drop, saved } from "../saved.js";
import { language, text } from "../text.js";
import { open } from "./dialog.js";
import { comparison, rows } from "./option.js";

const moments = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const moment = (when) => moments.format(new Date(when));

/**
 * @param {import("../api.js").Catalogue} catalogue
 * @param {{id: string, version: number}} here
 * @param {import("../api.js").Option} option what is shown now
 */
export function showBeside(catalogue, here, option) {
  const body = h("div", { class: "beside" });
  const fits = ({ catalogue: name, option: other }) =>
    name === catalogue.name && catalogue.attributes.every((each) => each.name in other.values);
  const others = () => saved().filter((each) => fits(each) && (each.id !== here.id || each.version !== here.version));
  const draw = () => {
    const list = others();
    if (!list.length) return body.replaceChildren(h("p", null, text.noneSaved));
    const pick = h("select", { onchange: () => table(list[pick.selectedIndex]) }, list.map((each) =>
      h("option", null, nameOf(catalogue, each))));
    const slot = h("div");
    const table = (each) => slot.replaceChildren(beside(catalogue, option, each),
      h("p", null, button("link", () => { drop(each); draw(); }, null, text.dropSaved)));
    table(list[0]);
    return body.replaceChildren(h("label", null, text.compareWith, " ", pick), slot);
  };
  draw();
  open(text.compareTitle, body);
}

/** `12 May, 10:30 · 1,480 €`. */
function nameOf({ quantities: [first] }, { when, option }) {
  return [moment(when), first && amount(first, option.amounts[first.name])].filter(Boolean).join(" · ");
}

function beside(catalogue, now, other) {
  const differing = rows(catalogue, [now, other.option]).filter((row) => row.differs);
  if (!differing.length) return h("p", null, text.noDifferences);
  const line = (row) => h("tr", null, h("th", { scope: "row" }, capital(label(row.thing))),
    row.cells.map((cell, place) => h("td", null, cell, " ", comparison(row, place))));
  return h("table", { class: "compare" },
    h("thead", null, h("tr", null, h("td"), h("th", { scope: "col" }, text.thisOne),
      h("th", { scope: "col" }, h("a", { href: resultAt(other.id) }, moment(other.when))))),
    h("tbody", null, differing.map(line)));
}

/** Alternatives along what matters, each with what it is for and what would let it win. */

import { button, capital, h } from "../dom.js";
import { amount, isMoney, label, listed, named, value } from "../format.js";
import { text } from "../text.js";
import { effects } from "./living.js";
import { tipsWords } from "./reasons.js";
import { rows } from "./option.js";

/** @typedef {import("../api.js").Alternative} Alternative */

function titleOf(catalogue, { kind, name }) {
  if (kind !== "better") return text.offers[kind];
  const quantity = catalogue.quantities.find((each) => each.name === name);
  if (isMoney(quantity.unit) && quantity.better === "lower") return text.offerCheaper;
  return (quantity.better === "lower" ? text.offerLess : text.offerMore)(label(quantity));
}

/** Why one might want it: what it has instead. */
function lineOf(catalogue, best, { kind, name, option }) {
  const differing = rows(catalogue, [best, option]).filter((row) => row.differs);
  const unsure = kind === "bolder" && catalogue.attributes.find((each) => each.name === name);
  const others = differing.filter(({ thing, isQuantity }) => !isQuantity && thing !== unsure);
  const parts = others.map(({ thing, raw }) => named(thing, raw[1]));
  const lead = unsure ? text.offerBold(label(unsure), value(unsure, option.values[name])) : "";
  return [lead, parts.length ? text.offerWith(listed(parts)) : ""].filter(Boolean).join(" ");
}

/**
 * @param {import("../api.js").Catalogue} catalogue
 * @param {import("../api.js").Option} best
 * @param {Alternative[]} alternatives
 * @param {(name: string) => string} labelled
 * @param {((option: import("../api.js").Option) => void) | null} ontake
 */
export function offerCards(catalogue, best, alternatives, labelled, ontake) {
  return h("ul", { class: "offers" }, alternatives.map((each) => {
    const title = titleOf(catalogue, each);
    const more = Object.fromEntries(catalogue.quantities.map(({ name }) =>
      [name, each.option.amounts[name] - best.amounts[name]]));
    const first = catalogue.quantities[0];
    return h("li", { "data-kind": each.kind },
      h("h3", null, capital(title), first && h("span", { class: "price" }, amount(first, each.option.amounts[first.name]))),
      h("p", { class: "effects" }, effects(catalogue, more), " ", h("small", null, text.fits[each.fit])),
      h("p", null, lineOf(catalogue, best, each)),
      each.tips && h("p", { class: "small" }, tipsWords(each.tips, labelled)),
      ontake && button("link", () => ontake(each.option), { "aria-label": `${text.takeThis}: ${title}` }, text.takeThis));
  }));
}

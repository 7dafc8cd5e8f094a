/** Reasons in sentences: what was said for a value, what matters, and what would let another one win. */

import { capital, h } from "../dom.js";
import { amount, isMoney, label, listed, named, value } from "../format.js";
import { text } from "../text.js";

/**
 * @typedef {import("../api.js").Catalogue} Catalogue
 * @typedef {import("../api.js").Quote} Quote
 */

const thingOf = ({ attributes, quantities }, name) =>
  [...attributes, ...quantities].find((thing) => thing.name === name) ?? { name, unit: null };

/** `90 € cheaper`, `0.8 kg less`. */
function lessOrMore(quantity, by) {
  const much = amount(quantity, Math.abs(by));
  if (by > 0) return text.muchMore(much);
  return isMoney(quantity.unit) ? text.muchCheaper(much) : text.muchLess(much);
}

/** One reason as a sentence that begins with what it is about. @param {Catalogue} catalogue @param {Quote} quote */
export function reason(catalogue, quote) {
  const thing = thingOf(catalogue, quote.name);
  const of = quote.quantity && thingOf(catalogue, quote.quantity);
  const [first, ...others] = quote.answers;
  const what = quote.value === null ? "" : value(thing, quote.value);
  const said = quote.value === null ? saidOfQuantity() : saidOfValue();
  const again = others.length && text.saidAgain(others.length);
  const colon = quote.value === null && quote.kind !== "decided" ? ":" : "";
  if (what && named(thing, quote.value) === what) {
    return { about: `${capital(what)}:`, said: [said.slice(what.length + 1).trim(), again].filter(Boolean).join(" ") };
  }
  return { about: `${capital(label(thing))}${colon}`, said: [said, again].filter(Boolean).join(" ") };

  function saidOfValue() {
    const instead = quote.instead === null ? "" : value(thing, quote.instead);
    const more = of && quote.by !== null ? lessOrMore(of, quote.by) : "";
    if (quote.kind === "must-have") return text.quoteMust(what);
    if (quote.kind === "set") return text.quoteSet(what);
    if (quote.kind === "asked-for") return text.quoteAskedFor(what, first);
    if (quote.kind === "decided") return text.quoteDecided(what, first, instead);
    if (!more) return text.quoteChosen(what, first, instead);
    const paid = isMoney(of.unit) && quote.by > 0;
    return paid ? text.quotePaid(what, first, amount(of, quote.by)) : text.quoteThough(what, first, more);
  }

  function saidOfQuantity() {
    if (quote.by === null) return text.quoteWanted(betterWord(thing), first);
    const less = lessOrMore(thing, quote.by);
    if (quote.kind === "decided") return text.quoteDecidedAmount(less, first);
    if (quote.kind !== "gave-up") return text.quoteBetter(less, first);
    const lost = thingOf(catalogue, quote.lost);
    return text.quoteGaveUp(less, first, named(lost, quote.instead));
  }
}

/** `cheaper`, where it costs money; `lower`, `higher`. */
export function betterWord({ better, unit }) {
  if (better === "higher") return text.higher;
  return isMoney(unit) ? text.cheaper : text.lower;
}

/** @param {Catalogue} catalogue @param {Quote[]} quotes */
export function reasonList(catalogue, quotes) {
  return h("ul", { class: "words" }, quotes.map((quote) => {
    const { about, said } = reason(catalogue, quote);
    return h("li", { "data-name": quote.name }, h("strong", null, about), ` ${said}`);
  }));
}

/** `Mostly price and weight; brakes a little.` @param {(name: string) => string} labelled */
export function mattersWords({ mostly, somewhat }, labelled) {
  if (!mostly.length) return text.flat;
  const most = listed(mostly.map(labelled));
  return somewhat.length ? text.mattersBoth(most, listed(somewhat.map(labelled))) : text.mattersMostly(most);
}

/** What would let an alternative win. @param {{name: string, factor: number} | null} tips */
export function tipsWords(tips, labelled) {
  if (!tips) return "";
  const { factor } = tips;
  const steps = factor > 1 ? [[1.3, 0], [1.75, 1], [2.5, 2], [4, 3], [Infinity, 4]] : [[0.4, 7], [0.77, 6], [1, 5]];
  const [, place] = steps.find(([most]) => factor <= most) ?? steps[0];
  return text.tips(labelled(tips.name), text.tipsMuch[place]);
}

/** Small charts, drawn with boxes: how much things matter, and how often something happened. */

import { capital, h, unseen } from "../dom.js";
import { counted, percent } from "../format.js";
import { text } from "../text.js";

const WORTH_A_BAR = 0.03;
const MOST_NUMBERS = 16;

/**
 * A bar for each thing that matters, and a line from the least to the most that it may matter.
 * @param {{name: string, share: number, low?: number | null, high?: number | null}[]} importance largest first
 * @param {(name: string) => string} labelled
 */
export function importanceBars(importance, labelled) {
  const shown = importance.filter(({ share }) => share >= WORTH_A_BAR);
  const rest = importance.filter(({ share }) => share < WORTH_A_BAR);
  const longest = Math.max(...shown.map(({ share, high }) => high ?? share), 0.01);
  if (!shown.length) return h("p", { class: "small" }, text.flat);
  return h("div", { class: "importance" },
    h("ul", null, shown.map((each) => bar(each, labelled(each.name), longest))),
    rest.length > 0 && h("p", { class: "small" }, text.restMatters(rest.map(({ name }) => labelled(name)).join(", "))));
}

function bar({ share, low, high }, name, longest) {
  const known = low !== null && low !== undefined && high !== null && high !== undefined;
  const ends = known ? { low, high } : { low: share, high: share };
  const style = { "--low": ends.low / longest, "--mean": share / longest, "--high": ends.high / longest };
  const words = known ? text.share(percent(share), percent(low), percent(high)) : percent(share);
  return h("li", null,
    h("span", { class: "name" }, capital(name)),
    h("span", { class: "track", style, "aria-hidden": "true" },
      h("i", { class: "mean" }), known && h("i", { class: "range" })),
    h("span", { class: "much", "aria-hidden": "true" }, percent(share)), unseen(words));
}

/**
 * Upright bars, one for each number from the first to the last that occurs.
 * @param {{at: number, count: number}[]} counts
 * @param {string} title what the numbers below the bars are
 */
export function histogram(counts, title) {
  if (!counts.length) return h("p", { class: "small" }, text.nothingYet);
  const highest = Math.max(...counts.map(({ count }) => count));
  const all = withoutGaps(counts);
  const every = Math.ceil(all.length / MOST_NUMBERS);
  const above = (count) => (every === 1 && count > 0 ? counted(count) : null);
  const column = ({ at, count }, place) => h("li", { title: text.histogramBar(at, count) },
    h("i", { style: { "--share": count / highest }, "data-count": above(count), "aria-hidden": "true" }),
    h("span", { "aria-hidden": "true" }, place % every ? "" : counted(at)), unseen(text.histogramBar(at, count)));
  return h("figure", { class: "histogram" },
    h("ol", { style: { "--bars": all.length } }, all.map(column)), h("figcaption", null, title));
}

/** Every number from the first to the last, with 0 for those that did not occur. */
function withoutGaps(counts) {
  const numbers = counts.map(({ at }) => at);
  const first = Math.min(...numbers);
  const many = new Map(counts.map(({ at, count }) => [at, count]));
  const all = Array.from({ length: Math.max(...numbers) - first + 1 }, (_, place) => first + place);
  return all.map((at) => ({ at, count: many.get(at) ?? 0 }));
}

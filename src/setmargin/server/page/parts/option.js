/** Options as rows of names and values: what they are made of, and in what they differ. */

import { capital, h, unseen } from "../dom.js";
import { amount, difference, helpOf, imageOf, label, named, value } from "../format.js";
import { text } from "../text.js";

/**
 * One attribute or quantity over all the options that are shown.
 * @typedef {{
 *   thing: import("../api.js").Attribute | import("../api.js").Quantity, isQuantity: boolean,
 *   raw: (string | number)[], cells: string[], differs: boolean
 * }} Row
 */

/** @param {import("../api.js").Catalogue} catalogue @param {import("../api.js").Option[]} options @returns {Row[]} */
export function rows(catalogue, options) {
  return [
    ...catalogue.attributes.map((thing) => row(thing, false, options.map(({ values }) => values[thing.name]))),
    ...catalogue.quantities.map((thing) => row(thing, true, options.map(({ amounts }) => amounts[thing.name]))),
  ];
}

function row(thing, isQuantity, raw) {
  const cells = raw.map((each) => (isQuantity ? amount : value)(thing, each));
  return { thing, isQuantity, raw, cells, differs: new Set(cells).size > 1 };
}

/**
 * Rows by the groups of the catalogue, in its order; those of no group come last, without a title.
 * @template {{thing: {name: string}}} R
 * @param {import("../api.js").Catalogue} catalogue @param {R[]} all @returns {{title: string | null, members: R[]}[]}
 */
export function byGroup(catalogue, all) {
  const groups = (catalogue.groups ?? []).map(({ title, members }) =>
    ({ title, members: all.filter(({ thing }) => members.includes(thing.name)) }));
  const grouped = new Set(groups.flatMap(({ members }) => members));
  const rest = { title: null, members: all.filter((each) => !grouped.has(each)) };
  return [...groups, rest].filter(({ members }) => members.length);
}

/** The picture of a value, where the catalogue has one. @param {Row} row @param {number} place */
export function picture({ thing, raw, isQuantity }, place) {
  const src = isQuantity ? null : imageOf(thing, raw[place]);
  return src && h("img", { class: "picture", src, alt: "" });
}

/** The line that explains a value, where the catalogue has one. @param {Row} row @param {number} place */
export const meaning = ({ thing, raw, isQuantity }, place) => (isQuantity ? null : helpOf(thing, raw[place]));

/** `laptop · Dell · 890 €`: one option on one line, amounts first, behind its title where it is an item of a list. */
export function summary(catalogue, option) {
  const all = rows(catalogue, [option]);
  const ordered = [...all.filter((each) => each.isQuantity), ...all.filter((each) => !each.isQuantity)];
  return [...(option.item ? [itemTitle(option.item)] : []), ...ordered.map((each) => each.cells[0])].join(" · ");
}

/** What people call an item of a product list. @param {import("../api.js").Item} item */
export const itemTitle = (item) => item.title ?? item.id;

/** An item of a product list: its picture, and its title, which leads to its page; nothing where there is no list. */
export function itemCard({ item }) {
  if (!item) return null;
  const title = itemTitle(item);
  return h("p", { class: "item" }, itemPicture(item),
    item.link ? h("a", { href: item.link, rel: "noopener", target: "_blank" }, title) : h("strong", null, title),
    item.title && h("span", { class: "small" }, item.id));
}

/** @param {import("../api.js").Item} item */
export const itemPicture = ({ image }) => image && h("img", {
  class: "item-picture", src: image, alt: "", onerror: (event) => event.target.remove(),
});

/** In what the second differs from the first: `type tower, memory 256 MB`. */
export function changes(catalogue, from, to) {
  const differing = rows(catalogue, [from, to]).filter((each) => each.differs && !each.isQuantity);
  return differing.map(({ thing, raw }) => named(thing, raw[1])).join(", ");
}

/** What a screen reader says of one option of a question. @param {Row[]} differing @param {number} place */
export function spoken(differing, place) {
  return differing.map((each) => `${label(each.thing)} ${each.cells[place]}`).join(", ");
}

/**
 * How one amount compares with the other, or with the best of several: sign and words, never colour alone.
 * @param {Row} row @param {number} place
 */
export function comparison({ thing, raw, isQuantity }, place) {
  if (!isQuantity || !thing.better) return null;
  const numbers = /** @type {number[]} */ (raw);
  const best = (thing.better === "lower" ? Math.min : Math.max)(...numbers);
  const isBest = numbers[place] === best;
  if (numbers.length > 2 && isBest) return pill(thing.better === "lower" ? text.lowest : text.highest, true);
  const other = numbers.length === 2 ? numbers[1 - place] : best;
  return pill(difference(thing, numbers[place] - other), isBest, isBest ? text.better : text.worse);
}

const pill = (words, good, meaning = "") =>
  h("span", { class: good ? "pill good" : "pill" }, words, meaning && unseen(`, ${meaning}`));

/** One option as a list of names and values, amounts last. `marked`: what each thing that is new was before. */
export function description(catalogue, option, { marked = new Map() } = {}) {
  return h("dl", { class: "facts" }, rows(catalogue, [option]).map(({ thing, cells, isQuantity }) =>
    h("div", { class: isQuantity ? "quantity" : null },
      h("dt", null, capital(label(thing))),
      h("dd", null, cells[0], marked.has(thing.name)
        && [" ", h("span", { class: "mark" }, text.before(marked.get(thing.name)))]))));
}

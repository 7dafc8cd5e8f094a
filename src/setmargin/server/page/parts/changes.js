/** One configuration with all that could be different about it: tap an attribute, then the value it should have. */

import { button, capital, h, unseen } from "../dom.js";
import { amount, difference, isMoney, label, listed, named, value } from "../format.js";
import { text } from "../text.js";

/**
 * @typedef {import("../api.js").Catalogue} Catalogue
 * @typedef {{name?: string, value?: string | number}} Wish
 */

/** As many things have a digit of their own. */
const KEYS = 9;
/** So many other values stand beside the one it has, where there is room; more are folded. */
const FEW = 6;
const FEW_OF_FEW = 12;
const FEW_ATTRIBUTES = 7;
const ROOMY = matchMedia("(min-width: 60rem)");

/** `cheaper`, where it costs money. */
function betterWord({ better, unit }) {
  if (better === "higher") return text.higher;
  return isMoney(unit) ? text.cheaper : text.lower;
}

/** `drive belt`, or of a quantity `price lower`. @param {Catalogue} catalogue @param {Wish} wish */
export function wishWords(catalogue, wish) {
  const attribute = catalogue.attributes.find(({ name }) => name === wish.name);
  if (attribute) return named(attribute, wish.value);
  const quantity = catalogue.quantities.find(({ name }) => name === wish.name);
  if (!quantity) return text.nothingShort;
  return text.wish(label(quantity), quantity.better === "higher" ? text.higher : text.lower);
}

/**
 * @param {Catalogue} catalogue
 * @param {import("../api.js").Option} option
 * @param {import("../api.js").PossibleChanges} possible
 * @param {import("../api.js").KnownWish[]} besides
 * @param {(wish: Wish) => void} onwish
 * @param {{isFlat?: boolean}} [form] flat: a few values need no tap to be seen, where the window is wide
 */
export function changeList(catalogue, option, possible, besides, onwish, { isFlat = false } = {}) {
  const values = new Map(possible.attributes.map(({ name, values: others }) => [name, others]));
  const isRoomy = isFlat && ROOMY.matches;
  const few = catalogue.attributes.length <= FEW_ATTRIBUTES ? FEW_OF_FEW : FEW;
  let number = 0;
  const numbered = () => (number += 1) <= KEYS && h("kbd", { "aria-hidden": "true" }, number);
  const attribute = (thing) => {
    const now = value(thing, option.values[thing.name]);
    const others = values.get(thing.name);
    const name = [h("span", { class: "name" }, capital(label(thing))), h("span", { class: "now" }, now)];
    if (!others) return h("div", { class: "fixed" }, h("span", { class: "row" }, name));
    const offered = others.map((other, place) =>
      button("value", () => onwish({ name: thing.name, value: other.value }), marks(thing, other.value),
        place < KEYS && h("kbd", { "aria-hidden": "true" }, place + 1),
        h("span", null, value(thing, other.value)), effects(catalogue, other.amounts, { isShort: isRoomy })));
    if (isRoomy && others.length <= few) {
      return h("div", { class: "thing flat", role: "group", "aria-label": label(thing) },
        h("span", { class: "row" }, name, numbered()), h("div", { class: "values" }, offered));
    }
    return h("details", { class: "thing", name: "change" },
      h("summary", null, h("span", { class: "row" }, name), numbered()), h("div", { class: "values" }, offered));
  };
  const quantity = (thing) => {
    return h("div", { class: "fixed quantity" },
      h("span", { class: "row" }, h("span", { class: "name" }, capital(label(thing))),
        h("span", { class: "now" }, amount(thing, option.amounts[thing.name]))),
      possible.better.includes(thing.name) && button("thing value", () => onwish({ name: thing.name }), marks(thing, ""),
        numbered(), unseen(`${label(thing)}: `), betterWord(thing)));
  };
  return h("div", { class: "changes" },
    besides.length > 0 && h("p", { class: "small known" },
      text.known(listed(besides.map((wish) => wishWords(catalogue, wish))))),
    h("div", { class: "things" }, h("div", { class: isFlat ? "amounts" : null }, catalogue.quantities.map(quantity)),
      catalogue.attributes.map(attribute)));
}

/**
 * What one thing could be instead, each value as a button; of a quantity, that it should be better.
 * @param {Catalogue} catalogue @param {import("../format.js").Thing} thing
 * @param {import("../api.js").PossibleChanges} possible @param {(wish: Wish) => void} onwish
 */
export function otherButtons(catalogue, thing, possible, onwish) {
  const others = possible.attributes.find(({ name }) => name === thing.name)?.values;
  if (!others) return [button("value", () => onwish({ name: thing.name }), marks(thing, ""), betterWord(thing))];
  return others.map((other) =>
    button("value", () => onwish({ name: thing.name, value: other.value }), marks(thing, other.value),
      h("span", null, value(thing, other.value)), effects(catalogue, other.amounts, { isShort: true })));
}

const marks = ({ name }, each) => ({ "data-name": name, "data-value": String(each) });

/**
 * `+90 €`, for every quantity that would differ, in short for money alone; better ones are marked by their sign and words,
 * not colour alone.
 */
function effects(catalogue, amounts, { isShort }) {
  const told = catalogue.quantities.filter(({ name, unit }) => name in amounts && (!isShort || isMoney(unit)));
  return told.map((thing) => {
    const good = (amounts[thing.name] < 0) === (thing.better === "lower");
    return h("span", { class: good ? "pill good" : "pill" }, difference(thing, amounts[thing.name]),
      unseen(`, ${good ? text.better : text.worse}`));
  });
}

/** The row whose values the digits stand for: one that is open, or that was named by its digit. */
const ACTIVE = "details[open], .flat.active";

/**
 * What the n-th key does: open the n-th row, or in an open one take its n-th value.
 * @param {Element} list @param {number} place counted from 0 @returns {(() => void) | null}
 */
export function keyOf(list, place) {
  const opened = list.querySelector(ACTIVE);
  const things = [...(opened ? opened.querySelectorAll(".value") : list.querySelectorAll(".thing"))];
  const thing = things[place];
  if (!(thing instanceof HTMLElement)) return null;
  if (thing instanceof HTMLButtonElement) return () => thing.click();
  return () => {
    if (thing instanceof HTMLDetailsElement) thing.open = true;
    else thing.classList.add("active");
    thing.querySelector("button")?.focus();
  };
}

/** Close the row that is open; whether there was one. @param {Element} list */
export function closeRow(list) {
  const opened = list.querySelector(ACTIVE);
  if (!opened) return false;
  opened.classList.remove("active");
  if (opened instanceof HTMLDetailsElement) opened.open = false;
  opened.querySelector("summary")?.focus();
  return true;
}

/** Values, amounts and differences as people read them. */

import { language, text } from "./text.js";

/** @typedef {import("./api.js").Attribute | import("./api.js").Quantity} Thing */

const plain = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
const ungrouped = new Intl.NumberFormat(language, { useGrouping: false, maximumFractionDigits: 12 });
const percents = new Intl.NumberFormat(language, { style: "percent" });
const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });

/** @param {number} number */
export const number = (number) => minus(plain.format(number));

/** @param {number} count */
export const counted = (count) => whole.format(count);

/** What it is called where people look. @param {Thing} thing */
export const label = (thing) => thing.title || thing.name;

/** What people see of a value, or of the thing itself where no value is given. */
const look = (thing, chosen) => (chosen === undefined ? thing : thing.labels?.[thing.values.indexOf(chosen)]) ?? {};

/**
 * One line that explains a thing or one of its values; null: there is none.
 * @param {Thing} thing @param {string | number} [chosen]
 */
export const helpOf = (thing, chosen) => look(thing, chosen).help ?? null;

/**
 * The address of a picture of a thing or one of its values; null: there is none.
 * @param {Thing} thing @param {string | number} [chosen]
 */
export const imageOf = (thing, chosen) => look(thing, chosen).image ?? null;

/** `500 Wh`; no thousands separators, for the number may be a year or a model. @param {Thing} attribute */
export function value(attribute, chosen) {
  const titled = look(attribute, chosen).title;
  if (titled) return titled;
  if (typeof chosen === "number") {
    if (attribute.currency) return amount(attribute, chosen);
    const written = fixed(attribute) ? digits(attribute, chosen, "auto") : minus(ungrouped.format(chosen));
    return withUnit(written, attribute.unit);
  }
  // A word among numbers ("mains" among litres) is none of them.
  return withUnit(String(chosen), /^\d/.test(String(chosen)) ? attribute.unit : null);
}

/** `frame steel`, but `no motor` alone: a value that says by itself what it is of. @param {Thing} attribute */
export function named(attribute, chosen) {
  const [name, words] = [label(attribute), value(attribute, chosen)];
  return words.toLocaleLowerCase(language).includes(name.toLocaleLowerCase(language)) ? words : text.wish(name, words);
}

/** `1,480 €`. @param {Thing} quantity @param {number} amount */
export const amount = (quantity, amount) => figure(quantity, amount, "auto");

/** `+110 €`, `−0.8 kg`. @param {Thing} quantity @param {number} difference */
export const difference = (quantity, difference) => figure(quantity, difference, "exceptZero");

/** Whether the unit is a currency. @param {string | null} unit */
export const isMoney = (unit) => /^(\p{Sc}|CHF|CZK|DKK|NOK|PLN|SEK)$/u.test(unit ?? "");

/** Where a button beside the result leads: the values of an option are put into the link, escaped. */
export const linkOf = ({ link }, { values, amounts }) =>
  link.replace(/\{([^{}]*)\}/g, (_, name) => encodeURIComponent(values[name] ?? amounts[name] ?? ""));

const fixed = ({ decimals }) => typeof decimals === "number";

function figure(quantity, number, signDisplay) {
  if (!quantity.currency) return withUnit(digits(quantity, number, signDisplay), quantity.unit);
  const form = { style: "currency", currency: quantity.currency, signDisplay, ...decimalsOf(quantity, number) };
  return minus(new Intl.NumberFormat(language, form).format(number));
}

const digits = (thing, number, signDisplay) =>
  minus(new Intl.NumberFormat(language, { signDisplay, ...decimalsOf(thing, number) }).format(number));

/** As the catalogue says; else money has two decimals or none. */
function decimalsOf(thing, number) {
  if (fixed(thing)) return { minimumFractionDigits: thing.decimals, maximumFractionDigits: thing.decimals };
  const money = thing.currency || isMoney(thing.unit);
  const cents = money && Math.round(number * 100) % 100 !== 0;
  return { minimumFractionDigits: cents ? 2 : 0, maximumFractionDigits: 2 };
}

/** Whole percents, but never 0% or 100% of what is only nearly so. @param {number} share from 0 to 1 */
export function percent(share) {
  if (share > 0 && share < 0.005) return `<${percents.format(0.01)}`;
  if (share < 1 && share >= 0.995) return `>${percents.format(0.99)}`;
  return percents.format(share);
}

/** `laptop, tower or desktop`. @param {string[]} texts @param {"and" | "or"} word */
export function listed(texts, word = "and") {
  const type = word === "and" ? "conjunction" : "disjunction";
  return new Intl.ListFormat(language, { type }).format(texts);
}

// A space that does not break keeps an amount and its unit on one line.
const withUnit = (words, unit) => (unit ? `${words}\u00a0${unit}` : words);
const minus = (words) => words.replace("-", "−");

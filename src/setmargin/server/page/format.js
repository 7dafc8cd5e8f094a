/** Values, amounts and differences as people read them. */

import { language } from "./text.js";

/** @typedef {{name: string, title?: string, unit: string | null}} Thing */

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

/** `500 Wh`; no thousands separators, for the number may be a year or a model. @param {Thing} attribute */
export const value = (attribute, chosen) =>
  withUnit(typeof chosen === "number" ? minus(ungrouped.format(chosen)) : String(chosen), attribute.unit);

/** `1,480 €`. @param {Thing} quantity @param {number} amount */
export const amount = (quantity, amount) => withUnit(digits(quantity, amount, "auto"), quantity.unit);

/** `+110 €`, `−0.8 kg`. @param {Thing} quantity @param {number} difference */
export const difference = (quantity, difference) => withUnit(digits(quantity, difference, "exceptZero"), quantity.unit);

/** Whether the unit is a currency. @param {string | null} unit */
export const isMoney = (unit) => /^\p{Sc}$/u.test(unit ?? "");

/** Money has two decimals or none. */
function digits({ unit }, number, signDisplay) {
  const cents = isMoney(unit) && Math.round(number * 100) % 100 !== 0;
  const form = { signDisplay, minimumFractionDigits: cents ? 2 : 0, maximumFractionDigits: 2 };
  return minus(new Intl.NumberFormat(language, form).format(number));
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
const withUnit = (text, unit) => (unit ? `${text}\u00a0${unit}` : text);
const minus = (text) => text.replace("-", "−");

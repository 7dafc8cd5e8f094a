/** Must-haves: the simple rules that the page can write, and the same rules read back into words. */

import { label, amount, listed, value } from "./format.js";
import { text } from "./text.js";

/**
 * What a person wants of one attribute or quantity.
 * @typedef {{allowed?: (string | number)[], least?: number, most?: number}} Want
 */

const PLAIN = /^[A-Za-z_]\w*(-\w+)*$/;
const WORDS_OF_RULES = new Set(["and", "or", "not", "in"]);
const SIMPLE = /^\s*("(?:[^"\\]|\\.)*"|[\p{L}\p{N}_.-]+)\s*(<=|>=|=|in)\s*(.+?)\s*$/su;
const DENIED = /^\s*not\s+/u;
const EXCLUDES = /^\s*("(?:[^"\\]|\\.)*"|[\p{L}\p{N}_.-]+)\s*(!=|not\s+in\b)/su;
const ITEM = /"(?:[^"\\]|\\.)*"|[^,{}]+/gsu;

/** The rules that say so. @param {string} name @param {Want} want @returns {string[]} */
export function written(name, { allowed = [], least, most }) {
  const subject = quoted(name);
  const rules = [];
  if (allowed.length === 1) rules.push(`${subject} = ${quoted(allowed[0])}`);
  if (allowed.length > 1) rules.push(`${subject} in {${allowed.map(quoted).join(", ")}}`);
  if (least !== undefined) rules.push(`${subject} >= ${least}`);
  if (most !== undefined) rules.push(`${subject} <= ${most}`);
  return rules;
}

/**
 * What the rules want of each attribute and quantity; rules that the page cannot show so are the others.
 * @param {string[]} rules
 * @param {import("./api.js").Catalogue} catalogue
 * @returns {{wants: Map<string, Want>, others: string[]}}
 */
export function understood(rules, catalogue) {
  const wants = new Map();
  const others = [];
  for (const rule of rules) {
    const read = parsed(rule, catalogue);
    const before = (read && wants.get(read.thing.name)) ?? {};
    const fits = read && Object.keys(read.want).every((key) => sides(read.thing).includes(key) && !(key in before));
    if (fits) wants.set(read.thing.name, { ...before, ...read.want });
    else others.push(rule);
  }
  return { wants, others };
}

/** What a form can show of an attribute or quantity: the values of words, both ends of numbers, a limit on amounts. */
function sides(thing) {
  if ("values" in thing) return thing.numeric ? ["least", "most"] : ["allowed"];
  return [limitOf(thing)];
}

/** Which limit people have on a quantity. @returns {"least" | "most"} */
export const limitOf = (quantity) => (quantity.better === "higher" ? "least" : "most");

/** A rule in words where it is simple, or some that are joined by `and`; else as it is written. @param {string} rule */
export function inWords(rule, catalogue) {
  const read = (part) => parsed(part, catalogue) ?? excluding(part, catalogue);
  const whole = read(rule);
  const parts = whole || /\bor\b|[()]|=>/.test(rule) ? [whole] : rule.split(/\s+and\s+/).map(read);
  return parts.every(Boolean) ? parts.map(said).join(", ") : rule;
}

function said({ thing, want }) {
  const show = (number) => ("values" in thing ? value : amount)(thing, number);
  if (want.allowed) return text.mustBe(label(thing), listed(want.allowed.map(show), "or"));
  return want.most === undefined
    ? text.mustBeAtLeast(label(thing), show(want.least))
    : text.mustBeAtMost(label(thing), show(want.most));
}

/** `motor != none`, `motor not in {none}`, `not motor = none`: the values that are left. */
function excluding(rule, catalogue) {
  const inner = rule.replace(DENIED, "");
  if ((inner !== rule) === EXCLUDES.test(inner)) return null;
  const turned = inner.replace(EXCLUDES, (_, subject, sign) => `${subject} ${sign === "!=" ? "=" : "in"}`);
  const read = parsed(turned, catalogue);
  const allowed = read?.want.allowed && read.thing.values.filter((each) => !read.want.allowed.includes(each));
  return allowed?.length ? { thing: read.thing, want: { allowed } } : null;
}

function parsed(rule, catalogue) {
  const found = SIMPLE.exec(rule);
  if (!found) return null;
  const [, subject, operator, rest] = found;
  const name = bare(subject);
  const thing = [...catalogue.attributes, ...catalogue.quantities].find((each) => each.name === name);
  const want = thing && wanted(thing, operator, rest);
  return want ? { thing, want } : null;
}

/** @returns {Want | null} */
function wanted(thing, operator, rest) {
  if (operator === "<=" || operator === ">=") {
    const limit = Number(rest);
    return Number.isNaN(limit) ? null : operator === "<=" ? { most: limit } : { least: limit };
  }
  const items = operator === "in" ? /^\{(.*)\}$/su.exec(rest)?.[1].match(ITEM) : [rest];
  const values = items?.map((item) => thing.values?.find((each) => String(each) === bare(item.trim())));
  return values?.length && values.every((each) => each !== undefined) ? { allowed: values } : null;
}

/** Names and values with spaces or odd characters stand in double quotes. @param {string | number} word */
function quoted(word) {
  if (typeof word === "number" || (PLAIN.test(word) && !WORDS_OF_RULES.has(word))) return String(word);
  return `"${word.replace(/["\\]/g, "\\$&")}"`;
}

const bare = (word) => (word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/gs, "$1") : word);

/** What people did with one catalogue, for its owner: how far they came, where they stopped, what they took and wanted. */

import { capital, h } from "../dom.js";
import { amount, counted, label, number, percent, value } from "../format.js";
import { inWords } from "../rules.js";
import { text } from "../text.js";

const MOST_VALUES = 3;
const MOST_ATTRIBUTES = 8;

/**
 * @typedef {import("../api.js").Catalogue} Catalogue
 * @typedef {{
 *   interviews: number, five: number, result_seen: number, taken: number, finished: number,
 *   stopped: {before_first: number, answering: number, at_result: number},
 *   configurations: {count: number, option: import("../api.js").Option}[],
 *   values: {name: string, values: {count: number, value: string}[]}[],
 *   must_haves: {count: number, rule: string}[],
 *   budgets: {name: string, side: "most" | "least", count: number, low: number, median: number, high: number}[],
 *   refused: {count: number, rule: string, conflict: string[]}[]
 * }} Did
 */

/** How many came so far, each beside those who began. @param {Did} did */
export function funnel({ interviews, five, result_seen: seen, taken }) {
  const steps = [[text.began, interviews], [text.fiveAnswers, five], [text.sawResult, seen], [text.took, taken]];
  return bars(steps, interviews, (count) => `${counted(count)} · ${percent(interviews ? count / interviews : 0)}`);
}

/** Where those stand who took nothing and have gone. @param {Did} did */
export function stops({ stopped: { before_first: before, answering, at_result: result } }) {
  const places = [[text.stoppedBefore, before], [text.stoppedAnswering, answering], [text.stoppedAtResult, result]];
  const gone = before + answering + result;
  return gone ? bars(places, gone, counted) : nothing();
}

/** @param {Did} did @param {Catalogue | null} catalogue */
export function takenMost({ configurations }, catalogue) {
  if (!configurations.length) return nothing();
  const line = ({ count, option }) => h("li", null, h("strong", null, text.people(count)), " ", inShort(option, catalogue));
  return h("ol", { class: "lines" }, configurations.map(line));
}

/** What values were taken how often. @param {Did} did @param {Catalogue | null} catalogue */
export function takenValues({ values, taken }, catalogue) {
  const known = (catalogue?.attributes ?? []).map(({ name }) => values.find((each) => each.name === name));
  const shown = (catalogue ? known.filter(Boolean) : values).slice(0, MOST_ATTRIBUTES);
  if (!shown.length) return nothing();
  const share = ({ count, value: chosen }, thing) => `${shownValue(thing, chosen)} ${percent(count / taken)}`;
  const line = ({ name, values: counts }) => {
    const thing = thingOf(catalogue, name);
    const first = counts.slice(0, MOST_VALUES).map((each) => share(each, thing));
    return h("li", null, h("strong", null, capital(thing ? label(thing) : name)), " ", first.join(", "));
  };
  return h("ul", { class: "lines" }, shown.map(line));
}

/** Limits and other must-haves. @param {Did} did @param {Catalogue | null} catalogue */
export function wanted({ budgets, must_haves: rules }, catalogue) {
  if (!rules.length && !budgets.length) return nothing();
  const limit = ({ name, side, count, low, median, high }) => {
    const thing = thingOf(catalogue, name);
    const show = (much) => (thing ? amount(thing, much) : number(much));
    const words = side === "most" ? text.budgetMost : text.budgetLeast;
    return h("li", null, h("strong", null, text.people(count)), " ",
      words(thing ? label(thing) : name, show(median), show(low), show(high)));
  };
  const other = ({ count, rule }) => h("li", null, h("strong", null, text.people(count)), " ", ruled(rule, catalogue));
  return h("ul", { class: "lines" }, budgets.map(limit), rules.map(other));
}

/** What nobody could have. @param {Did} did @param {Catalogue | null} catalogue */
export function refusedMost({ refused }, catalogue) {
  if (!refused.length) return nothing();
  const line = ({ count, rule, conflict }) => {
    const others = conflict.filter((each) => each !== rule).map((each) => ruled(each, catalogue));
    return h("li", null, h("strong", null, text.times(count)), " ", ruled(rule, catalogue),
      others.length > 0 && h("span", { class: "small" }, ` ${text.togetherWith(others.join("; "))}`));
  };
  return h("ul", { class: "lines" }, refused.map(line));
}

const nothing = () => h("p", { class: "small" }, text.nothingYet);
const ruled = (rule, catalogue) => (catalogue ? inWords(rule, catalogue) : rule);

function thingOf(catalogue, name) {
  return catalogue && [...catalogue.attributes, ...catalogue.quantities].find((each) => each.name === name);
}

/** Counts come as text: the value that is written so. */
function shownValue(thing, written) {
  const found = thing?.values?.find((each) => String(each) === written);
  return found === undefined ? written : value(thing, found);
}

function inShort({ values, amounts }, catalogue) {
  const named = (name, chosen) => {
    const thing = thingOf(catalogue, name);
    if (!thing) return `${name} ${chosen}`;
    return "values" in thing ? value(thing, chosen) : amount(thing, chosen);
  };
  return [...Object.entries(amounts), ...Object.entries(values)].map(([name, chosen]) => named(name, chosen)).join(" · ");
}

function bars(rows, all, shown) {
  const line = ([name, count]) => h("li", null,
    h("span", { class: "name" }, name),
    h("span", { class: "track", style: { "--mean": all ? count / all : 0 }, "aria-hidden": "true" },
      count > 0 && h("i", { class: "mean" })),
    h("span", { class: "much" }, shown(count)));
  return h("div", { class: "importance steps" }, h("ol", null, rows.map(line)));
}

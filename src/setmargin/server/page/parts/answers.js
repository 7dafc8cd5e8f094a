/** The answers given; another one can be looked at before it is changed. */

import { button, h, unseen } from "../dom.js";
import { label, listed } from "../format.js";
import { text } from "../text.js";
import { wishWords } from "./changes.js";
import { rows } from "./option.js";

/**
 * @param {import("../api.js").Catalogue} catalogue
 * @param {import("../api.js").AnswerGiven[]} answers
 * @param {(
 *   given: import("../api.js").AnswerGiven, answer: import("../api.js").Answer, panel: HTMLElement
 * ) => void} onlook
 * @param {{isFolded?: boolean}} [form] folded: each is a line that says what was taken, until it is looked at
 */
export function answerList(catalogue, answers, onlook, { isFolded = false } = {}) {
  return h("ol", { class: "answers" }, answers.map((given) => item(catalogue, given, onlook, isFolded)));
}

function item(catalogue, given, onlook, isFolded) {
  const { number, options, answer, surprising } = given;
  const differing = rows(catalogue, options).filter((row) => row.differs);
  const panel = h("div", { class: "look", hidden: true });
  const choice = (kind, isGiven, said, ...words) =>
    button(kind, () => { if (!isGiven) onlook(given, said, panel); }, { "aria-pressed": String(isGiven) }, ...words);
  const option = (_, place) => choice("option", best(answer) === place, { choice: place },
    h("kbd", { "aria-hidden": "true" }, place + 1), unseen(`${text.option(place + 1)}: `),
    h("span", null, differing.map((row) => [fact(row, place), " "])), placeOf(answer, place));
  const several = options.length > 1;
  const others = several
    ? choice("other", "equal" in answer, { equal: true }, text.equalShort)
    : choice("other", isNothing(answer), { change: {} }, text.changeNothing);
  const whole = h("div", { role: "group", "aria-label": text.answerOf(number) },
    several && h("div", { class: "options" }, options.map(option)),
    more(catalogue, answer) && h("p", { class: "said" }, more(catalogue, answer), reasonless(answer)
      && [" ", choice("link", false, reasonless(answer), text.dropReason)]),
    h("div", { class: "others" }, h("span", { class: "small" }, text.orRather), others,
      choice("other", "skip" in answer, { skip: true }, text.dontCount)),
    panel);
  return h("li", { id: `answer-${number}`, tabindex: "-1", class: surprising ? "surprising" : null },
    h("span", { class: "number", "aria-hidden": "true" }, number),
    isFolded ? h("details", null, h("summary", null, taken(catalogue, answer, differing)), whole) : whole);
}

/** What was answered, on one line. */
function taken(catalogue, answer, differing) {
  const place = best(answer);
  const facts = place === undefined ? [text.equalShort] : differing.map(({ cells }) => cells[place]);
  return [facts.join(" · "), more(catalogue, answer)].filter(Boolean).join("; ");
}

const fact = ({ thing, cells }, place) =>
  h("span", { class: "what" }, h("small", null, label(thing)), " ", cells[place]);
/** The same choice without its reason, where it has one. @returns {import("../api.js").Answer | null} */
function reasonless({ because, ...answer }) {
  return because?.length ? answer : null;
}

const isNothing = ({ change }) => change !== undefined && change.name === undefined;

/** Which option the answer puts first. */
function best({ choice, ranking, change }) {
  if (change) return change.option ?? 0;
  return ranking ? ranking[0] : choice;
}

/** What was said beside which one is best: the reasons, or what should change. */
function more(catalogue, { because = [], change, equal }) {
  const things = [...catalogue.attributes, ...catalogue.quantities];
  const named = because.map((name) => label(things.find((thing) => thing.name === name) ?? { name, unit: null }));
  if (named.length) return (equal ? text.inSpiteOf : text.becauseOf)(listed(named));
  return change && text.wouldChange(wishWords(catalogue, change));
}

function placeOf(answer, place) {
  if (!("ranking" in answer)) return null;
  return h("span", { class: "small" }, text.placed(answer.ranking.indexOf(place) + 1));
}

/** Where one stands: how sure we are in a few steps, and what is still missing, in words that never take anything back. */

import { h } from "../dom.js";
import { percent } from "../format.js";
import { text } from "../text.js";

const CONFIDENT = 0.5;
/** How likely the best so far is good has to be for each step after the first. */
const STEPS = [0.25, 0.6, 0.9];
/** The steps there are: nothing known, a first idea, a good idea, fairly sure, sure. */
const LAST = STEPS.length + 1;
/** More questions than this are "a few": nobody is helped by a number that large, or by one that uncertain. */
const COUNTABLE = 6;
const STORED = "setmargin.milestones";

/** @typedef {{step: number, left: number}} Milestone */

/** @param {import("../api.js").State} state @returns {Milestone | null} */
function reached({ stakes, answered, done }) {
  if (!stakes) return null;
  const { probability_within: chance, questions_left: left } = stakes;
  if (done) return { step: LAST, left: 0 };
  return { step: answered ? 1 + STEPS.filter((each) => chance >= each).length : 0, left: Math.max(left, 1) };
}

/**
 * What was shown so far, by the number of answers: one more, or a skip, never makes it less sure, nor longer. Taking one back shows
 * again what was shown before it. Other must-haves are another search.
 */
export class Milestones {
  /** @param {string} id of the interview */
  constructor(id) {
    this.id = id;
    this.shown = kept(id);
  }

  /** @param {import("../api.js").State} state @returns {Milestone | null} */
  at(state) {
    const now = reached(state);
    if (!now) return null;
    const rules = String(state.must_haves);
    const before = this.shown.filter((each) => each.rules === rules && each.answered <= state.answered);
    const step = Math.max(now.step, ...before.map((each) => each.step));
    const left = Math.min(now.left, ...before.map((each) => each.left));
    const others = this.shown.filter((each) => each.rules !== rules || each.answered < state.answered);
    this.shown = [...others, { rules, answered: state.answered, step, left }];
    keep(this.id, this.shown);
    return { step, left };
  }
}

/** A reload takes nothing back either. */
function kept(id) {
  try {
    const found = JSON.parse(sessionStorage.getItem(STORED) ?? "{}");
    return found.id === id && Array.isArray(found.shown) ? found.shown : [];
  } catch {
    return [];
  }
}

function keep(id, shown) {
  try {
    sessionStorage.setItem(STORED, JSON.stringify({ id, shown }));
  } catch {
    // A browser that keeps nothing starts anew after a reload.
  }
}

/** `A good idea already; three more make it sure.` @param {Milestone | null} milestone */
export function milestoneWords(milestone) {
  if (!milestone) return "";
  const { step, left } = milestone;
  return (step ? text.milestone : text.milestoneStart)(text.sure[step], left <= COUNTABLE ? left : null);
}

/** One part for each step, those that are reached are filled. @param {Milestone | null} milestone */
export function milestoneBar(milestone) {
  const step = milestone?.step ?? 0;
  const words = milestone ? text.sure[step] : null;
  const values = { "aria-valuemin": 0, "aria-valuemax": LAST, "aria-valuenow": step, "aria-valuetext": words };
  return h("div", { class: "bar", role: "progressbar", hidden: !milestone, ...values, "aria-label": text.progress },
    Array.from({ length: LAST }, (_, each) => h("span", { class: each < step ? "reached" : null })));
}

/** What the recommendation is worth, in a sentence. @param {import("../api.js").Stakes | null} stakes */
export function certainty(stakes) {
  if (!stakes) return "";
  const { expected_loss: loss, probability_within: chance, questions_left: left } = stakes;
  if (chance < CONFIDENT) return text.notSure(left);
  return loss <= 0 ? text.surelyBest : text.within(percent(loss), percent(chance));
}

/** How sure we are, in words. */

import { h } from "../dom.js";
import { percent } from "../format.js";
import { text } from "../text.js";

const CONFIDENT = 0.5;

/** `about 4 more questions`, `we are fairly sure`. @param {import("../api.js").State} state @returns {string[]} */
export function progressWords({ stakes, answered }) {
  if (!stakes) return [];
  const left = answered ? text.left(stakes.questions_left) : text.leftAtStart(stakes.questions_left || 1);
  return [left, feeling(stakes, answered)];
}

function feeling({ probability_within: chance }, answered) {
  if (!answered) return text.sure.start;
  if (chance < 0.25) return text.sure.little;
  if (chance < 0.6) return text.sure.some;
  return chance < 0.9 ? text.sure.fairly : text.sure.very;
}

/**
 * The state as the person should see it: more answers never mean more questions, only less noise.
 * @param {import("../api.js").State | undefined} before @param {import("../api.js").State} state
 */
export function notRising(before, state) {
  const went = before?.stakes && state.stakes && state.answered > before.answered
    && String(before.must_haves) === String(state.must_haves);
  if (!went) return state;
  const left = Math.min(before.stakes.questions_left, state.stakes.questions_left);
  return { ...state, stakes: { ...state.stakes, questions_left: left } };
}

/** What the recommendation is worth, in a sentence. @param {import("../api.js").Stakes | null} stakes */
export function certainty(stakes) {
  if (!stakes) return "";
  const { expected_loss: loss, probability_within: chance, questions_left: left } = stakes;
  if (chance < CONFIDENT) return text.notSure(left);
  return loss <= 0 ? text.surelyBest : text.within(percent(loss), percent(chance));
}

/** The share of the questions that are behind us. @param {import("../api.js").State} state */
export function progressBar({ stakes, answered, done }) {
  const left = stakes?.questions_left ?? 0;
  const share = done ? 1 : answered / Math.max(answered + left, 1);
  const now = stakes ? Math.round(100 * share) : null;
  const values = { "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": now, "aria-label": text.progress };
  return h("div", { class: "bar", role: "progressbar", hidden: now === null, ...values },
    h("span", { style: { "--share": share } }));
}

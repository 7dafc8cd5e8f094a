/** Changes to an interview that may meet another tab's, and the interviews that this browser has begun. */

import { Problem, addMustHave, dropMustHave, interview } from "./api.js";
import { notice } from "./notices.js";
import { text } from "./text.js";

/** @typedef {import("./api.js").State} State */

const STORED = "setmargin.interviews";
const MOST = 3;

/**
 * Send a change. If the interview has gone on elsewhere, the change is dropped and the interview shown as it is now,
 * unless it is our own change that arrived while its reply was lost.
 * @param {State} state
 * @param {(state: State) => Promise<State>} send
 * @returns {Promise<State>}
 */
export async function change(state, send) {
  try {
    return await send(state);
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== "conflict") throw error;
    const now = await interview(state.id);
    if (!error.again || now.version !== state.version + 1) notice(text.otherTab);
    return now;
  }
}

/** Make these the must-haves: those that are not among them are dropped first, then the new ones are added. */
export async function changeMustHaves(state, rules, { onstep = (/** @type {State} */ _) => {} } = {}) {
  const dropped = state.must_haves.filter((rule) => !rules.includes(rule));
  const added = rules.filter((rule) => !state.must_haves.includes(rule));
  const steps = [...dropped.map((rule) => [dropMustHave, rule]), ...added.map((rule) => [addMustHave, rule])];
  let now = state;
  for (const [act, rule] of steps) {
    now = await change(now, (each) => act(each, rule));
    onstep(now);
  }
  return now;
}

/** The last few interviews of this browser that are not finished, newest first. */
export function begun() {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? "[]");
  } catch {
    return [];
  }
}

/** Remember where an interview stands, for the start page. @param {State} state */
export function remember(state) {
  const { id, catalogue, answered, finished } = state;
  const others = begun().filter((each) => each.id !== id);
  store(finished || !answered ? others : [{ id, title: catalogue.title, answered }, ...others].slice(0, MOST));
}

/** @param {string} id */
export const forget = (id) => store(begun().filter((each) => each.id !== id));

function store(list) {
  try {
    localStorage.setItem(STORED, JSON.stringify(list));
  } catch {
    // A browser that keeps nothing works as well: there is the link.
  }
}

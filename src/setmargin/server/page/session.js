/** Changes to an interview that may meet another tab's, and the interviews that this browser has begun. */

import { Problem, Unreachable, addMustHave, begin as beginInterview, dropMustHave, freshKey, interview, undo } from "./api.js";
import { tellChanged, tellStarted } from "./embedded.js";
import { notice, wish } from "./notices.js";
import { keepReturn } from "./returning.js";
import { text } from "./text.js";

/** @typedef {import("./api.js").State} State */

const STORED = "setmargin.interviews";
const MOST = 3;
/** What may have happened since the person looked, by the kind of the problem. */
const MEANWHILE = { conflict: text.otherTab, "other-question": text.otherQuestion };

/** A new interview. @param {Parameters<typeof beginInterview>[0]} wanted @returns {Promise<State>} */
export async function begin(wanted) {
  const state = await beginInterview(wanted);
  keepReturn(state.id);
  tellStarted(state);
  return state;
}

/**
 * Send a change. If the interview has gone on elsewhere, or something else is asked by now, the change is dropped and the
 * interview shown as it is now. If the server cannot be reached, the change waits until it can.
 * @param {State} state
 * @param {import("./api.js").Change} send
 * @param {string} [key]
 * @returns {Promise<State>}
 */
export async function change(state, send, key = freshKey()) {
  try {
    const now = await send(state, key);
    tellChanged(state, now);
    return now;
  } catch (error) {
    if (error instanceof Unreachable) {
      await wish(text.unreachable, text.retry);
      return change(state, send, key);
    }
    if (!(error instanceof Problem) || !(error.kind in MEANWHILE)) throw error;
    notice(MEANWHILE[error.kind]);
    return interview(state.id);
  }
}

/**
 * Make these the must-haves: those that are not among them are dropped first, then the new ones are added. Where that is
 * impossible, the interview has those again that it had.
 * @param {State} state
 * @param {string[]} rules
 * @param {(state: State) => void} onstep
 */
export async function changeMustHaves(state, rules, onstep) {
  const dropped = state.must_haves.filter((rule) => !rules.includes(rule)).map(dropMustHave);
  const added = rules.filter((rule) => !state.must_haves.includes(rule)).map(addMustHave);
  let now = state;
  const step = async (send) => { now = await change(now, send); onstep(now); };
  try {
    for (const send of [...dropped, ...added]) await step(send);
  } catch (error) {
    for (let steps = now.version - state.version; steps > 0; steps -= 1) await step(undo());
    throw error;
  }
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

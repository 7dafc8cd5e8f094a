/** What must-haves leave, asked for as they change: one question at a time, and only about what is on the screen now. */

import { Problem, Unreachable, possible } from "../api.js";

/** Milliseconds without a change before it is asked: a slider that moves changes dozens of times. */
const CALM = 180;

/**
 * Follow must-haves. Nothing depends on it: where the server does not say, the form works without.
 * @param {{name: string, digest?: string}} catalogue
 * @param {() => string[]} rules
 * @param {(found: import("../api.js").Possible) => void} onfound
 * @param {() => boolean} still whether the form is still there
 * @returns {() => void} to be called whenever they change
 */
export function narrowing({ name, digest }, rules, onfound, still) {
  let timer = 0;
  let under = new AbortController();
  const ask = async () => {
    under = new AbortController();
    const { signal } = under;
    try {
      const found = await possible(name, rules(), signal);
      if (!signal.aborted && still() && (!digest || found.digest === digest)) onfound(found);
    } catch (error) {
      const isExpected = signal.aborted || error instanceof Problem || error instanceof Unreachable;
      if (!isExpected) throw error;
    }
  };
  return () => {
    under.abort();
    clearTimeout(timer);
    timer = setTimeout(() => { if (still()) ask(); }, CALM);
  };
}

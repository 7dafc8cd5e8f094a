/** What the page says beside what it shows: a line for screen readers, and small messages at the foot of the window. */

import { button, byId, h } from "./dom.js";
import { text } from "./text.js";

const LONG = 8000;
const toasts = h("div", { class: "toasts" });

/** Say something to screen readers, after what they are saying now. @param {string} words */
export function announce(words) {
  const live = byId("live");
  live.textContent = "";
  requestAnimationFrame(() => { live.textContent = words; });
}

/**
 * A message that covers nothing important and moves nothing. It goes by itself, unless it offers something to do.
 * @param {string} words
 * @param {{action?: string, onaction?: () => void, stays?: boolean, alert?: boolean}} [options]
 * @returns {() => void} takes the message away
 */
export function notice(words, { action, onaction, stays = false, alert = false } = {}) {
  const close = () => toast.remove();
  const act = action && button("link", () => { close(); onaction?.(); }, null, action);
  const cross = !stays && button("cross", close, { "aria-label": text.close }, "×");
  const toast = h("div", { class: "toast", role: alert ? "alert" : "status" }, h("p", null, words), act, cross);
  toasts.replaceChildren(toast);
  // Behind an open window nothing can be clicked or heard.
  (document.querySelector("dialog:modal") ?? document.body).append(toasts);
  if (!stays && !action) setTimeout(close, LONG);
  return close;
}

/**
 * Say what is wrong, and wait until the person wants to try again or the browser is back online.
 * @param {string} words @param {string} action @returns {Promise<void>}
 */
export function wish(words, action) {
  return new Promise((resolve) => {
    const go = () => { close(); removeEventListener("online", go); resolve(); };
    const close = notice(words, { action, onaction: go, stays: true, alert: true });
    addEventListener("online", go);
  });
}

/** Take any message away: it belonged to what was shown before. */
export const quiet = () => toasts.replaceChildren();

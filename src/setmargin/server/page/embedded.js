/**
 * The page inside another site's, where the component of `embed.js` has put it: what happens is told to that site, which
 * says how to look. Whoever is outside may be there: browsers show the page only in those that the server allows.
 */

import { language, languages } from "./text.js";

/** Whether another page shows this one. */
export const isEmbedded = window.parent !== window;

const THEMES = ["light", "dark"];
const root = document.documentElement;
/** @type {string | null} the origin of the page outside, once it has spoken */
let outside = null;
/** @type {object[]} what it has not heard yet */
const waiting = [];

/** @typedef {import("./api.js").State} State */

/** Somebody has begun. @param {State} state */
export const tellStarted = (state) => tell("started", state);

/** What a change has led to: an answer, an end, or a new beginning after it. @param {State} before @param {State} now */
export function tellChanged(before, now) {
  if (now.finished && !before.finished) tell("finished", now);
  else if (before.finished && !now.finished) tell("reopened", now);
  else if (now.answered > before.answered) tell("answered", now);
}

function tell(kind, { id, version, catalogue, answered, finished }) {
  send({ setmargin: kind, detail: { interview: id, version, catalogue: catalogue.name, answered, taken: finished } });
}

function send(message) {
  if (!isEmbedded) return;
  if (outside === null) waiting.push(message);
  else window.parent.postMessage(message, outside);
}

/** Show the page in light or dark, whatever the visitor's system says. @param {unknown} theme */
function wear(theme) {
  root.style.colorScheme = THEMES.includes(/** @type {string} */ (theme)) ? String(theme) : "";
}

/** Go on in another language. @param {unknown} code */
function speakIn(code) {
  if (code === language || !languages.includes(/** @type {string} */ (code))) return;
  const address = new URL(location.href);
  address.searchParams.set("language", String(code));
  location.replace(address);
}

/** The page is as high as what it shows: the site outside scrolls. */
function grow() {
  if (root.classList.contains("grows")) return;
  root.classList.add("grows");
  new ResizeObserver(() => send({ setmargin: "height", height: Math.ceil(document.body.offsetHeight) })).observe(document.body);
}

/** To the beginning of what is shown, wherever that is scrolled. */
export function toTop() {
  scrollTo(0, 0);
  send({ setmargin: "top" });
}

/** Begin to listen. What the address says of the theme counts from the first moment. */
export function listen() {
  wear(new URLSearchParams(location.search).get("theme"));
  if (!isEmbedded) return;
  root.classList.add("embedded");
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== window.parent || data?.setmargin !== "look") return;
    outside = origin;
    wear(data.theme);
    speakIn(data.language);
    if (data.grows) grow();
    waiting.splice(0).forEach(send);
  });
  // Nothing that is anybody's: whoever hears it says who they are.
  window.parent.postMessage({ setmargin: "ready" }, "*");
}

/** Addresses of the page: each view has one, links work with and without a new tab, back and forward too. */

import { BASE, inside } from "./base.js";
import { toTop } from "./embedded.js";

/** @typedef {{pattern: RegExp, show: (...parts: string[]) => void | Promise<void>}} Route */

/** @type {Route[]} */
let routes = [];
let sequence = 0;
/** @type {{still: () => boolean, moved: () => void} | null} the view that follows back and forward itself */
let follower = null;
let isBack = false;

/** Take over links and the back button, and show the view of the address there is. @param {Route[]} given */
export function start(given) {
  routes = given;
  addEventListener("popstate", () => {
    if (follower?.still()) follower.moved();
    else show({ back: true });
  });
  document.addEventListener("click", followed);
  return show();
}

/** Show another view. @param {string} path its address @param {{replace?: boolean}} [options] */
export function go(path, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", path);
  toTop();
  return show();
}

/** Whether the person has gone elsewhere since; views that wait for the server ask before they draw. */
export function visit() {
  const mine = sequence;
  return () => mine === sequence;
}

/**
 * Let a view that has several entries in the browser's history follow them: `moved` is called instead of showing the
 * view anew, as long as the person has not gone elsewhere.
 * @param {string} path its address @param {() => boolean} still @param {() => void} moved
 */
export function follow(path, still, moved) {
  follower = { still: () => still() && location.pathname === path, moved };
}

/** Whether the person came to this view by the browser's back or forward. */
export const cameBack = () => isBack;

function show({ back = false } = {}) {
  sequence += 1;
  isBack = back;
  for (const { pattern, show } of routes) {
    const found = pattern.exec(inside(location.pathname));
    if (found) return show(...found.slice(1).map(decoded));
  }
  return undefined;
}

/** Part of an address; one that is badly written is nothing's name, and left as it is. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function followed(event) {
  const link = event.target instanceof Element ? event.target.closest(`a[href^="${BASE}/"]`) : null;
  const elsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (!link || elsewhere || link.hasAttribute("download") || link.hasAttribute("target")) return;
  event.preventDefault();
  go(link.getAttribute("href"));
}

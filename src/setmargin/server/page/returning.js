/** Where people go with what they took: `?return=…` names an address on a site that the server allows. */

import { linkOf } from "./format.js";

const STORED = "setmargin.return.";
const allowed = (document.documentElement.dataset.origins ?? "").split(" ").filter(Boolean);
/** @type {Map<string, string>} for browsers that keep nothing inside other pages */
const noted = new Map();

const given = () => new URLSearchParams(location.search).get("return");
/** What the first address of this visit gave: people may have chosen a catalogue since. */
const first = given();

/** The link that this visit's addresses give, or null. */
const asked = () => given() ?? first;

/** Keep in mind where an interview returns to. @param {string} id */
export function keepReturn(id) {
  const link = asked();
  if (!link) return;
  noted.set(id, link);
  try {
    sessionStorage.setItem(STORED + id, link);
  } catch {
    // It is in mind until the page is left.
  }
}

function kept(id) {
  try {
    return noted.get(id) ?? sessionStorage.getItem(STORED + id);
  } catch {
    return null;
  }
}

/**
 * The way back with the configuration that was taken, and whose site it is; null: there is none, or none that may be.
 * Names in braces are put in as in a catalogue's `action`; a link without any gets `interview` and `configuration`.
 * @param {import("./api.js").State} state
 * @returns {{href: string, host: string} | null}
 */
export function wayBack(state) {
  const { id, finished } = state;
  const link = given() ?? kept(id) ?? first;
  if (!link || !finished) return null;
  const filled = /\{[^{}]*\}/.test(link);
  const address = parsed(filled ? linkOf({ link }, { values: { interview: id, ...finished.values }, amounts: finished.amounts }) : link);
  if (!address || !mayBe(address)) return null;
  if (!filled) {
    address.searchParams.set("interview", id);
    address.searchParams.set("configuration", JSON.stringify(finished.values));
  }
  return { href: address.href, host: address.host };
}

function parsed(link) {
  try {
    return new URL(link, location.origin);
  } catch {
    return null;
  }
}

/** Whether people may be sent there: nobody's link leads them to a stranger. @param {URL} address */
function mayBe({ protocol, origin, host }) {
  if (!/^https?:$/.test(protocol)) return false;
  const matches = (each) => each === "*" || each === origin
    || (each.includes("://*.") && each.startsWith(`${protocol}//`) && host.endsWith(each.split("://*")[1]));
  return origin === location.origin || allowed.some(matches);
}

/** Who is told of finished interviews, for the owner: how that goes, and what was given up. */

import { sendAgain } from "../api.js";
import { button, h } from "../dom.js";
import { counted } from "../format.js";
import { notice } from "../notices.js";
import { text } from "../text.js";

/** Messages that were not taken, the newest. */
const MOST = 5;

/**
 * Nothing where nobody is told.
 * @param {{
 *   receivers: {address: string, waiting: number, sent: number, given_up: number}[],
 *   failed: {id: string, address: string, fate: "waiting" | "given up", attempts: number, problem: string}[]
 * }} told
 * @param {string} token @param {() => Promise<void>} again
 */
export function whoIsTold({ receivers, failed }, token, again) {
  if (!receivers.length) return null;
  const line = ({ address, waiting, sent, given_up: given }) => h("tr", null, h("th", { scope: "row" }, address),
    [sent, waiting, given].map((count) => h("td", null, counted(count))));
  const heads = [text.receiver, text.sentTo, text.waitingFor, text.givenUp];
  const act = async () => { notice(text.sentAgain(await sendAgain(token))); await again(); };
  const gaveUp = receivers.some(({ given_up: given }) => given > 0);
  const problem = ({ address, attempts, problem: words }) => h("li", null, text.notTaken(address, attempts, words));
  return h("section", { class: "told" }, h("h2", null, text.told), h("p", { class: "small" }, text.toldLead),
    h("div", { class: "wide", role: "region", "aria-label": text.told, tabindex: "0" }, h("table", { class: "overview" },
      h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", null, receivers.map(line)))),
    failed.length > 0 && h("ul", { class: "words" }, failed.slice(0, MOST).map(problem)),
    gaveUp && button("", act, null, text.sendAgain));
}

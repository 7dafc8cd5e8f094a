/** The best so far: a line that is always there and says what the last answer changed, and a drawer with all of it. */

import { button, capital, freshId, h, unseen } from "../dom.js";
import { label } from "../format.js";
import { text } from "../text.js";
import { description, itemCard, rows, summary } from "./option.js";
import { certainty } from "./sure.js";

const WIDE = matchMedia("(min-width: 1100px)");

/**
 * @param {import("../api.js").Catalogue} catalogue
 * @param {{ontake: () => void, onwhy: () => void, onadjust: () => void}} acts
 */
export function bestSoFar(catalogue, { ontake, onwhy, onadjust }) {
  const id = freshId("best");
  const name = h("span", { class: "name" });
  const line = h("span", { class: "summary" });
  const opener = button("best", () => toggle(), { "aria-haspopup": "dialog", "aria-expanded": "false" },
    name, line, h("kbd", { "aria-hidden": "true" }, "B"));
  // What scrolls can be reached by the keyboard.
  const body = h("div", { class: "body", tabindex: "0", role: "group", "aria-labelledby": id });
  const close = () => drawer.close();
  const heading = h("h2", { id, tabindex: "-1" });
  const drawer = h("dialog", { class: "drawer", "aria-labelledby": id },
    h("header", null, heading, button("cross", close, { "aria-label": text.close }, "×")),
    body,
    h("footer", null, button("primary", ontake, null, text.take),
      button("", onadjust, null, text.changeSomething), button("", onwhy, null, text.seeWhy)));
  drawer.addEventListener("click", (event) => { if (event.target === drawer) close(); });
  drawer.addEventListener("close", () => { opened(false); opener.focus({ preventScroll: true }); });

  const opened = (is) => {
    opener.setAttribute("aria-expanded", String(is));
    document.body.classList.toggle("with-drawer", is && WIDE.matches);
  };
  const toggle = () => {
    if (drawer.open) return close();
    if (WIDE.matches) drawer.show();
    else drawer.showModal();
    heading.focus();
    return opened(true);
  };
  let before = null;
  /** @returns {string} what the last answer changed, in words */
  const update = (state) => {
    const changed = before ? rows(catalogue, [before, state.best]).filter((row) => row.differs) : [];
    name.textContent = heading.textContent = state.answered ? text.best : text.firstGuessName;
    line.replaceChildren(...(changed.length ? changes(changed) : [summary(catalogue, state.best)]));
    const words = state.answered ? certainty(state.stakes) : text.firstGuess;
    const marked = new Map(changed.map((row) => [row.thing.name, row.cells[0]]));
    body.replaceChildren(...[itemCard(state.best)].filter(Boolean), description(catalogue, state.best, { marked }), h("p", { class: "small" }, words));
    before = state.best;
    return changed.map((row) => text.becomes(label(row.thing), row.cells[0], row.cells[1])).join(", ");
  };
  return { opener, drawer, update, toggle, close: () => drawer.open && (close(), true) };
}

/** `Price 1,480 € → 1,390 €`, amounts first. */
function changes(changed) {
  const ordered = [...changed.filter((row) => row.isQuantity), ...changed.filter((row) => !row.isQuantity)];
  return ordered.map(({ thing, cells: [from, to] }) => h("span", { class: "became" },
    `${capital(label(thing))} `, h("s", null, from), h("span", { "aria-hidden": "true" }, " → "),
    unseen(` ${text.now} `), h("b", null, to)));
}

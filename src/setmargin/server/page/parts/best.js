/** The best so far: a quiet line that is always there, and a drawer with all of it that follows every answer. */

import { button, freshId, h } from "../dom.js";
import { text } from "../text.js";
import { description, rows, summary } from "./option.js";
import { certainty } from "./sure.js";

const WIDE = matchMedia("(min-width: 1100px)");

/**
 * @param {import("../api.js").Catalogue} catalogue
 * @param {{ontake: () => void, onwhy: () => void, onadjust: () => void}} acts
 */
export function bestSoFar(catalogue, { ontake, onwhy, onadjust }) {
  const id = freshId("best");
  const line = h("span", { class: "summary" });
  const opener = button("best", () => toggle(), { "aria-haspopup": "dialog", "aria-expanded": "false" },
    h("span", { class: "name" }, text.best), line, h("kbd", { "aria-hidden": "true" }, "B"));
  const body = h("div", { class: "body" });
  const close = () => drawer.close();
  const heading = h("h2", { id, tabindex: "-1" }, text.best);
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
  const update = (state) => {
    line.textContent = summary(catalogue, state.best);
    const marked = before ? changed(catalogue, before, state.best) : new Set();
    const words = state.answered ? certainty(state.stakes) : text.firstGuess;
    body.replaceChildren(description(catalogue, state.best, { marked }), h("p", { class: "small" }, words));
    before = state.best;
  };
  return { opener, drawer, update, toggle, close: () => drawer.open && (close(), true) };
}

const changed = (catalogue, before, now) =>
  new Set(rows(catalogue, [before, now]).filter((row) => row.differs).map((row) => row.thing.name));

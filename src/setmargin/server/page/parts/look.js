/** What another answer would lead to, next to what there is: shown before anything is changed. */

import { previewAnswer } from "../api.js";
import { button, capital, h } from "../dom.js";
import { label } from "../format.js";
import { busy } from "../frame.js";
import { announce } from "../notices.js";
import { text } from "../text.js";
import { effects } from "./living.js";
import { rows } from "./option.js";

/**
 * Show it in the panel, with a button that changes the answer and one that leaves it.
 * @param {import("../api.js").Catalogue} catalogue
 * @param {import("../api.js").State} state
 * @param {import("../api.js").AnswerGiven} given
 * @param {import("../api.js").Answer} answer
 * @param {HTMLElement} panel
 * @param {{onchange: () => void, onleave: () => void}} acts
 */
export async function lookAt(catalogue, state, given, answer, panel, { onchange, onleave }) {
  const ready = busy();
  const { before, after, changed, more } = await previewAnswer(given, answer)(state).finally(ready);
  const differing = rows(catalogue, [before, after]).filter((row) => row.differs);
  const line = ({ thing, cells }) => h("tr", null, h("th", { scope: "row" }, capital(label(thing))),
    h("td", null, cells[0]), h("td", null, cells[1]));
  const table = h("table", { class: "compare" },
    h("thead", null, h("tr", null, h("td"), h("th", { scope: "col" }, text.asItIs),
      h("th", { scope: "col" }, text.asItWouldBe))),
    h("tbody", null, differing.map(line)));
  panel.replaceChildren(
    changed.length ? table : h("p", null, text.wouldStay),
    h("p", { class: "effects" }, effects(catalogue, more)),
    h("div", { class: "actions" },
      button("primary", onchange, null, text.changeAnswer), button("", onleave, null, text.leaveAnswer)));
  panel.hidden = false;
  announce(changed.length ? text.lookReady : text.wouldStay);
}

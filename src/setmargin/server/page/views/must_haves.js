/** Must-haves in the middle of an interview: the same form as in the first step, in a window. */

import { Problem } from "../api.js";
import { h } from "../dom.js";
import { busy } from "../frame.js";
import { notice } from "../notices.js";
import { open } from "../parts/dialog.js";
import { narrowing } from "../parts/narrowing.js";
import { conflict, editor, saidRules } from "../parts/wants.js";
import { changeMustHaves } from "../session.js";
import { text } from "../text.js";

/**
 * @param {import("../api.js").Catalogue} about
 * @param {import("../api.js").State} given
 * @param {(state: import("../api.js").State) => void} onchange called once at the end, with what is in force then
 */
export function showMustHaves(about, given, onchange) {
  let state = given;
  const left = h("p", { class: "small remain", role: "status" });
  const narrow = narrowing(about, () => form.rules(), ({ configurations: many, ...found }) => {
    form.narrow(found);
    left.textContent = many === null || about.configurations === null ? "" : text.remain(many, about.configurations);
  }, () => dialog.open);
  let form = editor(about, state.must_haves, narrow);
  const trouble = h("div");
  const apply = h("button", { class: "primary", type: "submit" }, text.apply);
  const send = async () => {
    const ready = busy();
    apply.disabled = true;
    try {
      await changeMustHaves(state, form.rules(), (now) => { state = now; });
      dialog.close();
    } catch (error) {
      if (!(error instanceof Problem) || !["impossible", "validation"].includes(error.kind)) throw error;
      trouble.replaceChildren(conflict(error, about, saidRules(about, form.rules(), without)));
      trouble.scrollIntoView({ block: "nearest" });
    } finally {
      ready();
      apply.disabled = false;
    }
  };
  const without = (rule) => {
    const next = editor(about, form.rules().filter((each) => each !== rule), narrow);
    form.element.replaceWith(next.element);
    form = next;
    trouble.replaceChildren();
    send();
  };
  const body = h("form", { novalidate: true, onsubmit: (event) => { event.preventDefault(); send(); } },
    h("p", { class: "small" }, text.mustHavesLead), form.element, h("footer", null, trouble, left, apply));
  const dialog = open(text.mustHaves, body);
  narrow();
  dialog.addEventListener("close", () => {
    if (state.version === given.version) return;
    onchange(state);
    if (String(state.must_haves) !== String(given.must_haves)) notice(text.mustHavesChanged);
  });
}

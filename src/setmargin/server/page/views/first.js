/** The first step: what a catalogue is about, and must-haves and budget for those who have any. */

import { Problem, begin, catalogue } from "../api.js";
import { h } from "../dom.js";
import { busy, frame } from "../frame.js";
import { conflict, editor } from "../parts/wants.js";
import { go, visit } from "../router.js";
import { text } from "../text.js";

const SIZES = [2, 3, 4];
const NUMBERS = ["set_size", "differences", "seed", "until"];

/** @param {string} name */
export async function showFirst(name) {
  const still = visit();
  const ready = busy();
  const about = await catalogue(name).finally(ready);
  if (still()) draw(about, wishes());
}

/** What the link says about the way of asking: `/c/pc?set_size=3&differences=2`. */
function wishes() {
  const query = new URLSearchParams(location.search);
  const numbers = NUMBERS.filter((each) => query.has(each)).map((each) => [each, Number(query.get(each))]);
  const strategy = query.get("strategy");
  return { ...Object.fromEntries(numbers), ...(strategy && { strategy }) };
}

function draw(about, wish) {
  const title = about.title || about.name;
  const page = frame({ title, kind: "first" });
  const trouble = h("div");
  const button = h("button", { class: "primary", type: "submit" });
  let form = editor(about, [], () => told());
  let size = wish.set_size ?? SIZES[0];
  const told = () => {
    const many = form.rules().length;
    button.textContent = many ? text.startWith(many) : text.start;
    trouble.replaceChildren();
  };
  const without = (rule) => {
    const next = editor(about, form.rules().filter((each) => each !== rule), () => told());
    form.element.replaceWith(next.element);
    form = next;
    told();
    start();
  };
  const start = async () => {
    const ready = busy();
    button.disabled = true;
    try {
      const state = await begin({ ...wish, catalogue: about.name, set_size: size, must_haves: form.rules() });
      await go(`/i/${encodeURIComponent(state.id)}`);
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== "impossible") throw error;
      trouble.replaceChildren(conflict(error, about, form.rules(), without));
      trouble.scrollIntoView({ block: "nearest" });
    } finally {
      ready();
      button.disabled = false;
    }
  };
  told();
  page.show(h("form", { novalidate: true, onsubmit: (event) => { event.preventDefault(); start(); } },
    h("header", { class: "lead" }, h("h1", null, title), h("p", null, about.description)),
    sizes(size, (many) => { size = many; }),
    h("section", { class: "must" },
      h("h2", null, text.mustHavesTitle), h("p", { class: "small" }, text.mustHavesLead), form.element),
    h("div", { class: "start-bar" }, trouble, button)));
}

function sizes(size, onsize) {
  const offered = [...new Set([...SIZES, size])].sort((one, other) => one - other);
  const choice = (many) => h("label", null,
    h("input", { type: "radio", name: "size", checked: many === size, onchange: () => onsize(many) }),
    h("span", null, text.sideBySide(many)));
  return h("fieldset", { class: "segments" }, h("legend", null, text.howMany), h("div", null, offered.map(choice)));
}

/** The first step: what a catalogue is about, and must-haves and budget for those who have any. */

import { Problem, begin, catalogue } from "../api.js";
import { freshId, h } from "../dom.js";
import { busy, frame } from "../frame.js";
import { conflict, editor } from "../parts/wants.js";
import { go, visit } from "../router.js";
import { text } from "../text.js";

/** How many options a question shows at most; undefined: as many as tell most. */
const SIZES = [undefined, 2, 3, 4];
/** In how many attributes options differ that are easy to compare. */
const EASY = 4;
const NUMBERS = ["set_size", "differences", "seed", "until"];
const WORDS = ["strategy", "policy"];

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
  const given = NUMBERS.filter((each) => query.has(each)).map((each) => [each, Number(query.get(each))]);
  const numbers = given.filter(([, number]) => Number.isFinite(number));
  const words = WORDS.filter((each) => query.get(each)).map((each) => [each, query.get(each)]);
  return Object.fromEntries([...numbers, ...words]);
}

function draw(about, wish) {
  const title = about.title || about.name;
  const page = frame({ title, kind: "first" });
  const trouble = h("div");
  const button = h("button", { class: "primary", type: "submit" });
  let form = editor(about, [], () => told());
  const way = { ...wish };
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
      const state = await begin({ ...way, catalogue: about.name, must_haves: form.rules() });
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
    h("div", { class: "ways" },
      sizes(way.set_size, (many) => { way.set_size = many; }),
      canBeEasy(about, way) && ease(way.differences, (most) => { way.differences = most; })),
    h("section", { class: "must" },
      h("h2", null, text.mustHavesTitle), h("p", { class: "small" }, text.mustHavesLead), form.element),
    h("div", { class: "start-bar" }, trouble, button)));
}

function sizes(size, onsize) {
  const offered = [...new Set([...SIZES, size])].sort((one, other) => (one ?? 0) - (other ?? 0));
  return segments(text.howMany, offered.map((many) => [many, many ? text.sideBySide(many) : text.asHelps]), size, onsize);
}

/** Only one strategy can keep options alike, and few attributes are easy to compare anyway. */
const canBeEasy = ({ attributes }, { strategy = "bayes" }) => attributes.length > EASY && strategy === "bayes";

function ease(differences, onease) {
  const offered = [...new Set([undefined, EASY, differences])];
  const words = (most) => (most === undefined ? text.anyDifference : text.fewDifferences(most));
  return segments(text.howDifferent, offered.map((most) => [most, words(most)]), differences, onease);
}

/** One of a few, in a row. */
function segments(title, offered, chosen, onchoose) {
  const name = freshId("segments");
  const choice = ([each, words]) => h("label", null,
    h("input", { type: "radio", name, checked: each === chosen, onchange: () => onchoose(each) }),
    h("span", null, words));
  return h("fieldset", { class: "segments" }, h("legend", null, title), h("div", null, offered.map(choice)));
}

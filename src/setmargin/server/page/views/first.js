/** The first step: what a catalogue is about, and must-haves and budget for those who have any. */

import { Problem, catalogue } from "../api.js";
import { questionAt } from "../base.js";
import { button, freshId, h } from "../dom.js";
import { busy, frame } from "../frame.js";
import { narrowing } from "../parts/narrowing.js";
import { conflict, editor, saidRules } from "../parts/wants.js";
import { go, visit } from "../router.js";
import { begin } from "../session.js";
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
  if (still()) draw(about, wishes(), still);
}

/** What the link says about the way of asking: `/c/pc?set_size=3&differences=2`. */
function wishes() {
  const query = new URLSearchParams(location.search);
  const given = NUMBERS.filter((each) => query.has(each)).map((each) => [each, Number(query.get(each))]);
  const numbers = given.filter(([, number]) => Number.isFinite(number));
  const words = WORDS.filter((each) => query.get(each)).map((each) => [each, query.get(each)]);
  return Object.fromEntries([...numbers, ...words]);
}

/** The must-haves of the link, `/c/pc?require=price<=900`; or those that were there before the person came back. */
function given() {
  const before = history.state?.rules;
  return Array.isArray(before) ? before : new URLSearchParams(location.search).getAll("require");
}

function draw(about, wish, still) {
  const title = about.title || about.name;
  const page = frame({ title, kind: "first" });
  const trouble = h("div");
  const submit = h("button", { class: "primary", type: "submit" });
  const left = h("p", { class: "small remain", role: "status" });
  const way = { ...wish };
  const opening = new Map(Object.entries(history.state?.opening ?? {}));
  const fill = (wanted) => editor(about, wanted, () => told(), { isShort: true });
  let form = fill(given());
  const rules = () => [...new Set([...form.rules(), ...requiredBy(about, opening)])];
  const count = ({ configurations: many, ...found }) => {
    form.narrow(found);
    const all = about.configurations;
    left.textContent = many === null || all === null ? "" : text.remain(many, all);
    left.classList.toggle("none", many === 0);
  };
  const narrow = narrowing(about, rules, count, still);
  const told = () => {
    const many = form.rules().length;
    submit.textContent = many ? text.startWith(many) : opening.size ? text.startSo : text.start;
    trouble.replaceChildren();
    narrow();
  };
  const without = (rule) => {
    const next = fill(form.rules().filter((each) => each !== rule));
    form.element.replaceWith(next.element);
    form = next;
    told();
    start();
  };
  const questions = (about.opening ?? []).map((question) => openingQuestion(question, opening, () => told()));
  const saidFirst = () => questions.flatMap(({ answer, drop }) => {
    const { title, require: rules } = answer() ?? { title: "", require: [] };
    return rules.length ? [{ words: title, rules, without: () => { drop(); start(); } }] : [];
  });
  const start = async () => {
    const ready = busy();
    submit.disabled = true;
    const said = Object.fromEntries(opening);
    try {
      const state = await begin({ ...way, catalogue: about.name, must_haves: form.rules(),
        ...(opening.size ? { opening: said } : {}) });
      // Whoever comes back finds what they said.
      history.replaceState({ rules: form.rules(), opening: said }, "");
      await go(questionAt(state.id));
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== "impossible") throw error;
      const said = [...saidRules(about, form.rules(), without), ...saidFirst()];
      trouble.replaceChildren(conflict(error, about, said));
      trouble.scrollIntoView({ block: "nearest" });
    } finally {
      ready();
      submit.disabled = false;
    }
  };
  told();
  page.show(h("form", { novalidate: true, onsubmit: (event) => { event.preventDefault(); start(); } },
    h("header", { class: "lead" }, h("h1", null, title), h("p", null, about.description)),
    questions.map(({ element }) => element),
    h("section", { class: "must" },
      h("h2", null, text.mustHavesTitle), h("p", { class: "small" }, text.mustHavesLead), form.element),
    h("details", { class: "settings" }, h("summary", null, text.settings), h("div", { class: "ways" },
      sizes(way.set_size, (many) => { way.set_size = many; }),
      canBeEasy(about, way) && ease(way.differences, (most) => { way.differences = most; }))),
    h("div", { class: "start-bar" }, trouble, left, submit)));
}

/** What the answers to opening questions ask for. */
function requiredBy(about, opening) {
  return (about.opening ?? []).flatMap((question) => answerTo(question, opening)?.require ?? []);
}

const answerTo = ({ id, answers }, opening) => answers.find((each) => each.id === opening.get(id));

/** One question before the first comparison: a tap answers it, another one takes that back. */
function openingQuestion(question, opening, onchange) {
  const { id, title, help, answers } = question;
  const choose = (answer) => {
    if (opening.get(id) === answer) opening.delete(id);
    else opening.set(id, answer);
    mark();
    onchange();
  };
  const buttons = answers.map((each) => button("answer", () => choose(each.id), { "data-id": each.id },
    each.image && h("img", { src: each.image, alt: "" }),
    h("span", null, each.title, each.help && h("span", { class: "small" }, each.help))));
  const mark = () => buttons.forEach((each) =>
    each.setAttribute("aria-pressed", String(opening.get(id) === each.dataset.id)));
  mark();
  const name = freshId("opening");
  const element = h("section", { class: "opening", role: "group", "aria-labelledby": name },
    h("h2", { id: name }, title), help && h("p", { class: "small" }, help), h("div", { class: "opening-answers" }, buttons));
  const drop = () => { opening.delete(id); mark(); onchange(); };
  return { element, answer: () => answerTo(question, opening), drop };
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

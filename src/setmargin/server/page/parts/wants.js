/** Must-haves to pick instead of to write: limits on quantities, values of attributes; and the way out of conflicts. */

import { button, capital, freshId, h } from "../dom.js";
import { amount, label, listed, value } from "../format.js";
import { inWords, limitOf, understood, written } from "../rules.js";
import { text } from "../text.js";
import { byGroup } from "./option.js";

/** So many attributes are shown at once before the first question; more are folded, so that it stays one short screen. */
const FEW = 6;

/**
 * A form over all attributes and quantities. `rules()` are the must-haves that it says now; `narrow` lets it show what
 * these leave.
 * @param {import("../api.js").Catalogue} catalogue
 * @param {string[]} rules
 * @param {() => void} [onchange]
 * @param {{isShort?: boolean}} [form] short: what is not asked for yet is folded where it is much
 * @returns {{
 *   element: HTMLElement, rules: () => string[], narrow: (found: import("../api.js").Possible) => void
 * }}
 */
export function editor(catalogue, rules, onchange = () => {}, { isShort = false } = {}) {
  const { wants, others } = understood(rules, catalogue);
  const kept = new Set(others);
  const change = (name, want) => { wants.set(name, { ...wants.get(name), ...want }); onchange(); };
  const of = (thing) => wants.get(thing.name) ?? {};
  /** @type {Map<string, (left: any) => void>} what to do when it is known what is left of a thing */
  const followers = new Map();
  const follow = (thing) => (follower) => { followers.set(thing.name, follower); };
  const element = h("div", { class: "wants" },
    others.length > 0 && keptRules(others, kept, catalogue, onchange),
    catalogue.quantities.length > 0 && h("fieldset", null, h("legend", null, text.limits),
      catalogue.quantities.map((thing) => limit(thing, of(thing), (want) => change(thing.name, want), follow(thing)))),
    folded(byGroup(catalogue, catalogue.attributes.map((thing) => ({ thing }))).map(({ title, members }) =>
      h("fieldset", null, h("legend", null, title ?? text.choicesTitle), h("div", { class: "picks" },
        members.map(({ thing }) => pick(thing, of(thing), (want) => change(thing.name, want), follow(thing))))))));
  /** All other wishes behind one line, unless there is one already. */
  function folded(fieldsets) {
    if (!isShort || catalogue.attributes.length <= FEW) return fieldsets;
    const isOpen = catalogue.attributes.some(({ name }) => wants.has(name));
    return h("details", { class: "others", open: isOpen }, h("summary", null, h("span", { class: "head" }, text.otherWishes),
      h("span", { class: "hint" }, catalogue.attributes.map(label).map(capital).join(" · "))), fieldsets);
  }
  const all = () => [...kept, ...[...wants].flatMap(([name, want]) => written(name, want))];
  const narrow = ({ attributes, quantities }) =>
    [...attributes, ...quantities].forEach((left) => followers.get(left.name)?.(left));
  return { element, rules: all, narrow };
}

/** Rules that are no simple choice: shown in words, to be removed. */
function keptRules(others, kept, catalogue, onchange) {
  const item = (rule) => {
    const words = inWords(rule, catalogue);
    const remove = () => { kept.delete(rule); line.remove(); onchange(); };
    const cross = button("link", remove, { "aria-label": text.remove(words) }, text.removeWord);
    const line = h("li", null, h("span", null, words), cross);
    return line;
  };
  return h("fieldset", null, h("legend", null, text.alsoInForce), h("ul", { class: "kept" }, others.map(item)));
}

// Quantities

function limit(thing, want, onwant, follow) {
  const side = limitOf(thing);
  const { low, high, step } = scale(thing);
  const open = side === "most" ? high : low;
  const id = freshId("limit");
  const words = `${capital(label(thing))} ${side === "most" ? text.atMost : text.atLeast}`;
  const field = h("input", { id, type: "number", inputmode: "decimal", min: low, max: high, step: "any",
    placeholder: text.noLimit, value: want[side] ?? null });
  const now = want[side] ?? open;
  const slider = h("input", { type: "range", min: low, max: high, step, value: now, "aria-label": words });
  const note = h("span", { class: "small left" });
  let left = { least: thing.least, most: thing.most };
  const tell = (number) => { onwant({ [side]: number }); explain(); };
  /** The range there is, or from where on there is anything: a limit that leaves nothing is put right by one tap. */
  const explain = () => {
    const end = side === "most" ? left.least : left.most;
    const number = field.value === "" ? undefined : Number(field.value);
    const isTooFar = end !== null && number !== undefined && (side === "most" ? number < end : number > end);
    const words = side === "most" ? text.onlyFrom : text.onlyTo;
    const cure = () => { field.value = String(end); slider.value = String(end); tell(end); };
    note.classList.toggle("none", isTooFar);
    if (isTooFar) note.replaceChildren(button("link", cure, null, words(amount(thing, end))));
    else note.textContent = end === null ? "" : text.range(amount(thing, left.least), amount(thing, left.most));
  };
  follow((found) => { left = found; explain(); });
  field.addEventListener("input", () => {
    const number = field.value === "" ? undefined : Number(field.value);
    slider.value = String(number ?? open);
    tell(Number.isFinite(number) ? number : undefined);
  });
  slider.addEventListener("input", () => {
    const number = Number(slider.value) === open ? undefined : Number(slider.value);
    field.value = number === undefined ? "" : String(number);
    tell(number);
  });
  return h("div", { class: "limit" },
    h("label", { for: id }, words),
    h("span", { class: "entry" }, field, thing.unit && h("span", { class: "unit" }, thing.unit)), slider, note);
}

/** Round ends and a round step, about a hundred of them. */
function scale({ least, most }) {
  const rough = (most - least || 1) / 100;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((each) => each * power >= rough) ?? 10);
  const tidy = (number) => Number(number.toPrecision(12));
  return { low: tidy(Math.floor(least / step) * step), high: tidy(Math.ceil(most / step) * step), step: tidy(step) };
}

// Attributes

function pick(thing, want, onwant, follow) {
  const said = h("span", { class: "said" });
  const tell = (now) => {
    said.textContent = inShort(thing, now);
    said.classList.toggle("some", said.textContent !== text.any);
  };
  const change = (now) => { tell(now); onwant(now); };
  tell(want);
  const body = (thing.numeric ? span : choices)(thing, want, change, follow);
  return h("details", { class: "pick" }, h("summary", null, h("span", null, capital(label(thing))), said), body);
}

function inShort(thing, { allowed = [], least, most }) {
  const show = (each) => value(thing, each);
  if (allowed.length) return listed(allowed.map(show), "or");
  if (least !== undefined && most !== undefined) return `${least} – ${show(most)}`;
  if (least !== undefined) return `${text.atLeast} ${show(least)}`;
  return most === undefined ? text.any : `${text.atMost} ${show(most)}`;
}

function choices(thing, { allowed = [] }, onwant, follow) {
  const chosen = new Set(allowed);
  const boxes = new Map();
  const toggle = (each, on) => {
    if (on) chosen.add(each);
    else chosen.delete(each);
    onwant({ allowed: thing.values.filter((value) => chosen.has(value)) });
  };
  const chip = (each) => {
    const box = h("input", { type: "checkbox", checked: chosen.has(each), onchange: () => toggle(each, box.checked) });
    boxes.set(each, box);
    return h("label", { class: "chip" }, box, h("span", null, value(thing, each)));
  };
  // What is chosen can always be let go of; where nothing is left at all, everything is open.
  follow(({ values }) => boxes.forEach((box, each) => {
    box.disabled = values.length > 0 && !values.includes(each) && !box.checked;
  }));
  return h("div", { class: "chips", role: "group", "aria-label": label(thing) }, thing.values.map(chip));
}

function span(thing, want, onwant, follow) {
  const now = { least: want.least, most: want.most };
  const values = [...thing.values].sort((one, other) => one - other);
  const lists = [];
  const select = (side, word) => {
    const entry = (each) => h("option", { value: each, selected: each === now[side] }, value(thing, each));
    const change = () => {
      now[side] = list.value === "" ? undefined : Number(list.value);
      onwant({ ...now });
    };
    const list = h("select", { onchange: change }, h("option", { value: "" }, text.any), values.map(entry));
    lists.push(list);
    return h("label", null, h("span", null, word), list);
  };
  follow(({ values: left }) => lists.forEach((list) => [...list.options].slice(1).forEach((option) => {
    option.disabled = left.length > 0 && !left.includes(Number(option.value)) && !option.selected;
  })));
  return h("div", { class: "span", role: "group", "aria-label": label(thing) },
    select("least", text.from), select("most", text.to));
}

// Conflicts

/**
 * Something that the person said, in words: the rules that it stands for, and how to do without it.
 * @typedef {{words: string, rules: string[], without: () => void}} Said
 */

/**
 * Must-haves as what the person said, one by one.
 * @param {import("../api.js").Catalogue} catalogue @param {string[]} rules @param {(rule: string) => void} onwithout
 * @returns {Said[]}
 */
export const saidRules = (catalogue, rules, onwithout) =>
  rules.map((rule) => ({ words: inWords(rule, catalogue), rules: [rule], without: () => onwithout(rule) }));

/**
 * Why nothing can be built, and a button for each thing said that could go.
 * @param {import("../api.js").Problem} problem
 * @param {import("../api.js").Catalogue} catalogue
 * @param {Said[]} said what the person asked for
 */
export function conflict(problem, catalogue, said) {
  const wanted = said.filter(({ rules }) => rules.some((rule) => problem.conflict.includes(rule)));
  const given = problem.conflict.filter((rule) => !wanted.some(({ rules }) => rules.includes(rule)));
  return h("div", { class: "conflict", role: "alert" },
    h("h3", null, text.impossibleTitle(problem.conflict.length)),
    wanted.length === 0 && h("p", null, problem.message),
    given.length > 0 && h("p", { class: "given" }, text.impossibleRules),
    given.length > 0 && h("ul", { class: "rules" }, given.map((rule) => h("li", null, lawOf(rule, catalogue)))),
    wanted.length > 1 && h("p", null, text.impossibleCure),
    h("div", { class: "cures" }, wanted.map(({ words, without }) => button("", without, null, text.without(words)))));
}

/** In words where it is simple, else as the catalogue writes it. */
function lawOf(rule, catalogue) {
  const words = inWords(rule, catalogue);
  return words === rule ? h("code", null, rule) : words;
}

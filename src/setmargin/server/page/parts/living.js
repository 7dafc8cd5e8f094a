/** The configuration whose parts can be changed in place: tap a row, tap a value, see what it does, take it or not. */

import { previews } from "../api.js";
import { button, capital, h, unseen } from "../dom.js";
import { difference, helpOf, imageOf, label, listed, named, value } from "../format.js";
import { busy } from "../frame.js";
import { announce } from "../notices.js";
import { text } from "../text.js";
import { byGroup, itemCard, itemTitle, rows } from "./option.js";

/**
 * @typedef {import("../api.js").Catalogue} Catalogue
 * @typedef {import("../api.js").Preview} Preview
 */

const FAR = 0.06;

/** `+90 €`, better ones in another colour and, for who cannot see it, in words. */
export function effects(catalogue, more) {
  return catalogue.quantities.filter(({ name }) => more[name]).map((thing) => {
    const good = (more[thing.name] < 0) === (thing.better === "lower");
    return h("span", { class: good ? "pill good" : "pill bad" }, difference(thing, more[thing.name]),
      ` ${good ? text.better : text.worse}`);
  });
}

/** `needs motor: hub 40 Nm`. */
function alsoChanged(catalogue, changed) {
  const things = new Map(catalogue.attributes.map((thing) => [thing.name, thing]));
  return changed.slice(1).map(({ name, now }) => named(things.get(name), now));
}

/** What a change does, in words: `+90 €, a little less you; also changes: frame steel`. */
export function spokenEffect(catalogue, { more, fit, changed }) {
  const much = catalogue.quantities.filter(({ name }) => more[name]).map((each) => difference(each, more[each.name]));
  const also = alsoChanged(catalogue, changed);
  return [[...much, text.fits[fit]].join(", "), also.length && text.alsoChanges(listed(also))].filter(Boolean).join("; ");
}

export class Living {
  /**
   * @param {Catalogue} catalogue
   * @param {import("../api.js").State} state
   * @param {import("../api.js").Option} option
   * @param {{ontake: (name: string, value: string | number) => Promise<void>}} acts
   */
  constructor(catalogue, state, option, { ontake }) {
    this.catalogue = catalogue;
    this.state = state;
    this.option = option;
    this.ontake = ontake;
    /** @type {Map<string, Promise<Preview[]>>} */
    this.asked = new Map();
    this.item = h("div");
    this.figures = h("dl", { class: "figures" });
    const own = rows(catalogue, [option]).filter((row) => !row.isQuantity);
    this.parts = h("div", { class: "groups" }, byGroup(catalogue, own).map(({ title, members }) =>
      h("div", null, title && h("h2", { class: "group" }, title),
        h("div", { class: "parts" }, members.map((row) => this.part(row))))));
    this.bar = h("div", { class: "trial", role: "group", "aria-label": text.tryTitle, hidden: true });
    this.element = h("div", { class: "configuration" },
      option.item && this.item, catalogue.quantities.length > 0 && this.figures, this.parts, this.bar);
    this.show(option);
  }

  part({ thing, cells }) {
    const now = h("span", { class: "now" }, cells[0]);
    const values = h("div", { class: "values" });
    const help = helpOf(thing);
    const part = h("details", { class: "part", name: "part", "data-name": thing.name },
      h("summary", null, h("span", { class: "name" }, capital(label(thing))), now),
      help && h("p", { class: "small" }, help), values);
    part.addEventListener("toggle", () => { if (part.open) this.fill(thing, values); });
    return part;
  }

  /** All the other values at once, with what each does as soon as that is known; asked for once. */
  async fill(thing, values) {
    if (values.childElementCount) return;
    if (!this.asked.has(thing.name)) {
      const asked = previews(this.state.id, thing.name).then(({ previews: found }) => found);
      this.asked.set(thing.name, asked);
      asked.catch(() => this.asked.delete(thing.name));
    }
    values.setAttribute("aria-busy", "true");
    values.replaceChildren(...thing.values.filter((each) => each !== this.option.values[thing.name])
      .map((each) => unknown(thing, each)));
    const ready = busy();
    const found = await this.asked.get(thing.name).catch((error) => { values.replaceChildren(); throw error; }).finally(() => {
      values.removeAttribute("aria-busy");
      ready();
    });
    values.replaceChildren(...found.map((each) => this.choice(thing, each)));
  }

  choice(thing, preview) {
    const words = value(thing, preview.value);
    if (!preview.option) {
      return h("button", { class: "value", type: "button", disabled: true, "data-value": String(preview.value) },
        h("span", null, words), h("small", null, text.notPossible));
    }
    const also = alsoChanged(this.catalogue, preview.changed);
    return button("value", () => this.try(thing, preview), { "data-value": String(preview.value), "aria-pressed": "false" },
      picture(thing, preview.value), h("span", null, words),
      preview.option.item && h("small", { class: "which" }, itemTitle(preview.option.item)), " ", effects(this.catalogue, preview.more), " ",
      h("small", { class: preview.loss > FAR ? "bad" : null }, text.fits[preview.fit]),
      also.length > 0 && h("small", { class: "also" }, text.needs(listed(also))));
  }

  /** Show what it would be; nothing is sent yet. */
  try(thing, preview) {
    this.tried = { thing, preview };
    this.show(preview.option);
    this.element.querySelectorAll(".value[aria-pressed]").forEach((each) => {
      const mine = each.closest(".part").dataset.name === thing.name && each.dataset.value === String(preview.value);
      each.setAttribute("aria-pressed", String(mine));
    });
    const words = text.tried(capital(label(thing)), value(thing, preview.value));
    const effect = spokenEffect(this.catalogue, preview);
    const take = button("primary", () => this.take(), null, text.takeChange);
    this.bar.replaceChildren(h("p", null, h("strong", null, words), " ", h("span", null, effect)),
      h("div", { class: "actions" }, take, button("", () => this.leave(), null, text.leaveIt)));
    this.bar.hidden = false;
    announce(`${words} ${effect}`);
  }

  leave() {
    this.tried = null;
    this.show(this.option);
    this.bar.hidden = true;
    this.element.querySelectorAll(".value[aria-pressed]").forEach((each) => each.setAttribute("aria-pressed", "false"));
    this.element.querySelector("details[open] summary")?.focus();
  }

  take() {
    const { thing, preview } = this.tried;
    return this.ontake(thing.name, preview.value);
  }

  /** The values that are shown, with what they are now where they would be different. */
  show(option) {
    const all = rows(this.catalogue, [this.option, option]);
    this.item.replaceChildren(...[itemCard(option)].filter(Boolean));
    this.figures.replaceChildren(...all.filter((row) => row.isQuantity).map(({ thing, cells, differs }) =>
      h("div", null, h("dt", null, capital(label(thing))), h("dd", null, cells[1], differs && was(cells[0])))));
    all.filter((row) => !row.isQuantity).forEach(({ thing, cells, differs }) => {
      const part = [...this.parts.querySelectorAll(".part")].find(({ dataset }) => dataset.name === thing.name);
      part.classList.toggle("changed", differs);
      part.querySelector(".now").replaceChildren(...[cells[1], differs && was(cells[0])].filter(Boolean));
    });
  }
}

/** A value while the server works out what it would do. */
const unknown = (thing, chosen) => h("button", { class: "value", type: "button", disabled: true },
  picture(thing, chosen), h("span", null, value(thing, chosen)), " ", h("small", null, text.workingOut));

const picture = (thing, chosen) =>
  imageOf(thing, chosen) !== null && h("img", { class: "picture", src: imageOf(thing, chosen), alt: "" });

/** What was taken, to be read. @param {Catalogue} catalogue @param {import("../api.js").Option} option */
export function fixed(catalogue, option) {
  const all = rows(catalogue, [option]);
  const pair = ({ thing, cells }) => h("div", null, h("dt", null, capital(label(thing))), h("dd", null, cells[0]));
  const figures = all.filter((row) => row.isQuantity);
  return h("div", { class: "configuration" },
    figures.length > 0 && h("dl", { class: "figures" }, figures.map(pair)),
    h("div", { class: "groups" }, byGroup(catalogue, all.filter((row) => !row.isQuantity)).map(({ title, members }) =>
      h("div", null, title && h("h2", { class: "group" }, title),
        h("dl", { class: title ? "facts" : "facts columns" }, members.map(pair))))));
}

const was = (before) => h("s", null, unseen(`, ${text.was} `), before);

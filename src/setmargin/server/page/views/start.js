/** The start: a card for each catalogue, and the interviews that were left open. */

import { catalogues } from "../api.js";
import { catalogueAt, questionAt } from "../base.js";
import { button, h } from "../dom.js";
import { frame } from "../frame.js";
import { visit } from "../router.js";
import { begun, forget } from "../session.js";
import { text } from "../text.js";

export async function showStart() {
  const still = visit();
  const page = frame({ title: text.startTitle, kind: "start" });
  const lead = h("header", { class: "lead" }, h("h1", null, text.startTitle), h("p", null, text.startLead));
  const list = h("ul", { class: "tiles", "aria-busy": "true" });
  page.show(lead, resumable(), list);
  const found = await catalogues();
  if (!still()) return;
  list.removeAttribute("aria-busy");
  list.append(...found.map(tile));
  if (!found.length) list.replaceWith(h("p", { class: "empty" }, text.noCatalogues));
}

function tile({ name, title, description, attributes, configurations }) {
  const facts = [configurations && text.possibilities(configurations), text.choices(attributes)].filter(Boolean);
  return h("li", null, h("a", { class: "tile", href: catalogueAt(name) },
    h("h2", null, title || name), h("p", null, description), h("span", { class: "small" }, facts.join(" · ")),
    h("span", { class: "begin", "aria-hidden": "true" }, text.begin)));
}

function resumable() {
  const list = begun();
  if (!list.length) return null;
  const item = ({ id, title, answered }) => {
    const drop = () => { forget(id); line.remove(); if (!begun().length) box.remove(); };
    const link = h("a", { href: questionAt(id) }, title, " ",
      h("span", { class: "small" }, text.answersSoFar(answered)));
    const line = h("li", null, link, button("cross", drop, { "aria-label": text.forgetInterview(title) }, "×"));
    return line;
  };
  const box = h("section", { class: "resume" }, h("h2", null, text.goOn), h("ul", null, list.map(item)));
  return box;
}

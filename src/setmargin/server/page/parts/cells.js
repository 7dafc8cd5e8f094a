/**
 * What can be said on a question's table itself: another value for one cell or for anything of an option, and arrow keys from
 * cell to cell. The mouse opens lists by resting on an arrow, so that one press says it all; all else has a press for it.
 */

import { button, h } from "../dom.js";
import { label } from "../format.js";
import { text } from "../text.js";
import { changeList, otherButtons } from "./changes.js";
import { meaning } from "./option.js";

/** Milliseconds that the mouse rests on an arrow before its list opens, and is elsewhere before it closes. */
const REST = 120;
const AWAY = 300;

/**
 * A button over the cell that opens a list of what else it could be.
 * @param {import("../api.js").Catalogue} catalogue @param {import("./option.js").Row} row @param {number} place
 * @param {import("../api.js").PossibleChanges} possible @param {(wish: import("./changes.js").Wish) => void} onwish
 */
export function otherValues(catalogue, row, place, possible, onwish) {
  const { thing, isQuantity, cells } = row;
  const others = isQuantity ? possible.better.includes(thing.name)
    : possible.attributes.some(({ name }) => name === thing.name);
  if (!others) return null;
  const open = () => show(opener, h("div",
    { class: "instead", role: "group", "aria-label": `${text.option(place + 1)}, ${label(thing)}` },
    h("span", { class: "small", "aria-hidden": "true" }, text.butWith(place + 1, label(thing))),
    otherButtons(catalogue, thing, possible, onwish)));
  const opener = button("tell rather", () => (isOpen(opener) ? closeList(opener.closest("table")) : open()), {
    tabindex: "-1", "aria-expanded": "false", "aria-label": text.otherThan(place + 1, label(thing), cells[place]),
    title: meaning(row, place),
  }, h("span", { class: "arrow", "aria-hidden": "true", onrest: open }, "▾"));
  return opener;
}

/**
 * Beside an option's name: a press takes it like anywhere else up there, and shows what can be changed about it; the mouse has
 * that list by resting.
 * @param {import("../api.js").Catalogue} catalogue @param {import("../api.js").Option} option @param {number} place
 * @param {import("../api.js").PossibleChanges} possible @param {(wish: import("./changes.js").Wish) => void} onwish
 */
export function alterButton(catalogue, option, place, possible, onwish) {
  const words = text.takeAndChange(place + 1);
  const open = () => show(opener, h("div", { class: "instead all", role: "group", "aria-label": words },
    changeList(catalogue, option, possible, [], onwish, { isFlat: true })));
  const opener = h("button", { class: "link alter arrow", type: "button", "aria-label": words, onrest: open },
    text.alter, h("span", { "aria-hidden": "true" }, " ▾"));
  return opener;
}

const isOpen = (opener) => opener.getAttribute("aria-expanded") === "true";

/** Open a list after what opens it; there is one at a time. */
function show(opener, list) {
  if (opener.nextElementSibling?.matches(".instead") || opener.closest(".sent, .fresh")) return;
  closeList(opener.closest("table"));
  opener.after(list);
  if (opener.hasAttribute("aria-expanded")) opener.setAttribute("aria-expanded", "true");
  stay(list, opener);
}

/** The mouse opens a list by resting on its arrow, and closes it by leaving. @param {HTMLElement} table */
export function restOpens(table) {
  let timer = 0;
  const soon = (act, pause) => { clearTimeout(timer); timer = setTimeout(act, pause); };
  const shut = () => closeList(table);
  table.addEventListener("pointerover", ({ target, pointerType }) => {
    const arrow = target.closest(".arrow");
    const list = table.querySelector(".instead");
    if (pointerType !== "mouse" || list?.parentElement.contains(target)) clearTimeout(timer);
    else if (arrow) soon(() => arrow.dispatchEvent(new Event("rest")), REST);
    else soon(shut, AWAY);
  });
  table.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType === "mouse") soon(shut, AWAY); });
}

/** Keep the list inside the window. */
function stay(list, opener) {
  if (list.matches(".all")) return;
  const cell = opener.getBoundingClientRect();
  const { width, height } = list.getBoundingClientRect();
  const dock = document.querySelector(".dock")?.getBoundingClientRect().top ?? innerHeight;
  list.classList.toggle("above", cell.bottom + height > dock && cell.top > height);
  list.style.setProperty("--shift", `${Math.min(0, document.documentElement.clientWidth - 8 - cell.left - width)}px`);
}

/** Close the list that is open; whether there was one. @param {Element | null} table */
export function closeList(table) {
  const list = table?.querySelector(".instead");
  if (!list) return false;
  const opener = list.previousElementSibling;
  if (isOpen(opener)) opener.setAttribute("aria-expanded", "false");
  if (list.contains(document.activeElement)) opener.focus({ preventScroll: true });
  list.remove();
  return true;
}

/** One stop for the tab key; arrow keys go from cell to cell. @param {HTMLElement} body */
export function cellMoves(body) {
  const first = body.querySelector(".tell");
  if (first) first.tabIndex = 0;
  body.addEventListener("focusin", ({ target }) => {
    if (!target.matches(".tell")) return;
    body.querySelectorAll('.tell[tabindex="0"]').forEach((each) => { each.tabIndex = -1; });
    target.tabIndex = 0;
  });
  body.addEventListener("keydown", (event) => {
    const to = event.target.matches(".tell") && next(body, event.target, event.key);
    if (!to) return;
    event.preventDefault();
    to.focus();
  });
}

/** The nearest cell that says something, that way. */
function next(body, from, key) {
  const { place } = from.parentElement.dataset;
  const line = [...from.closest("tr").querySelectorAll(".tell")];
  const column = [...body.querySelectorAll(`[data-place="${place}"] .tell`)];
  const step = (all, by) => all[all.indexOf(from) + by];
  return { ArrowRight: () => step(line, 1), ArrowLeft: () => step(line, -1), ArrowDown: () => step(column, 1),
    ArrowUp: () => step(column, -1) }[key]?.();
}

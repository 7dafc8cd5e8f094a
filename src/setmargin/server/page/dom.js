/** Elements from plain calls, never from markup in strings: what the server says can only ever become text. */

/** @typedef {Node | string | number | null | undefined | false | Child[]} Child */

/**
 * An element: `h("button", {class: "quiet", onclick: act}, "Skip")`. Attributes that are null or false are left out,
 * `style` takes an object (custom properties too), since the content security policy forbids style attributes.
 * @param {string} tag
 * @param {Record<string, any> | null} [attributes]
 * @param {...Child} children
 * @returns {any}
 */
export function h(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * A button that sends no form: `button("quiet", act, {disabled: true}, "Undo")`.
 * @param {string} kind
 * @param {() => void} onclick
 * @param {Record<string, any> | null} attributes
 * @param {...Child} children
 * @returns {any}
 */
export function button(kind, onclick, attributes, ...children) {
  return h("button", { class: kind || null, type: "button", onclick, ...attributes }, ...children);
}

/** Text for screen readers only. @param {string} text */
export const unseen = (text) => h("span", { class: "unseen" }, text);

/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

let ids = 0;
/** An id that nothing else on the page has. @param {string} word */
export const freshId = (word) => `${word}-${(ids += 1)}`;

/** A copy with a capital at its start. @param {string} text */
export const capital = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1);

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) set(element, name, value);
  element.append(...children.flat(Infinity).filter((child) => child || child === 0).map(asNode));
  return element;
}

const asNode = (child) => (child instanceof Node ? child : String(child));

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "style") Object.entries(value).forEach(([key, each]) => element.style.setProperty(key, String(each)));
  else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else element.setAttribute(name, value === true ? "" : String(value));
}

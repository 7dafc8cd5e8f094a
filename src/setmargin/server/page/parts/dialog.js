/** Windows over the page. The browser keeps the focus inside and gives it back. */

import { button, freshId, h } from "../dom.js";
import { text } from "../text.js";

/**
 * Open a dialog that is gone from the page once it is closed.
 * @param {string} title
 * @param {import("../dom.js").Child} body
 * @returns {HTMLDialogElement}
 */
export function open(title, body) {
  const id = freshId("dialog");
  const close = () => dialog.close();
  const cross = button("cross", close, { "aria-label": text.close }, "×");
  const heading = h("h2", { id, tabindex: "-1" }, title);
  const head = h("header", null, heading, cross);
  const dialog = h("dialog", { class: "window", "aria-labelledby": id }, head, h("div", { class: "body" }, body));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  heading.focus();
  return dialog;
}

/** Whether one is open: keys then belong to it. */
export const isOpen = () => document.querySelector("dialog:modal") !== null;

/** The keys, in a window; and a switch for those who speak to their computer, to whom single keys are a nuisance. */

import { h } from "../dom.js";
import { open } from "../parts/dialog.js";
import { text } from "../text.js";

const STORED = "setmargin.keys";

/** Whether single keys answer. */
export function keysAreOn() {
  try {
    return localStorage.getItem(STORED) !== "off";
  } catch {
    return true;
  }
}

/** @param {number} options how many options a question has */
export function showHelp(options) {
  const lines = text.help(options).map(([key, meaning]) => h("div", null, h("dt", null, h("kbd", null, key)), h("dd", null, meaning)));
  const box = h("input", { type: "checkbox", checked: keysAreOn(), onchange: () => keep(box.checked) });
  open(text.helpTitle, [h("dl", { class: "keys" }, lines), h("label", { class: "switch" }, box, text.helpSwitch)]);
}

function keep(on) {
  try {
    localStorage.setItem(STORED, on ? "on" : "off");
  } catch {
    // A browser that keeps nothing keeps the keys.
  }
}

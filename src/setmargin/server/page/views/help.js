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
  const line = ([key, meaning]) => h("div", null, h("dt", null, h("kbd", null, key)), h("dd", null, meaning));
  const box = h("input", { type: "checkbox", checked: keysAreOn(), onchange: () => keep(box.checked) });
  const list = h("dl", { class: "keys" }, text.help(options).map(line));
  open(text.helpTitle, [list, h("label", { class: "switch" }, box, text.helpSwitch)]);
}

function keep(on) {
  try {
    localStorage.setItem(STORED, on ? "on" : "off");
  } catch {
    // A browser that keeps nothing keeps the keys.
  }
}

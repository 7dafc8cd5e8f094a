/** The keys, in a window. */

import { h } from "../dom.js";
import { open } from "../parts/dialog.js";
import { text } from "../text.js";

/** @param {number} options how many options a question has */
export function showHelp(options) {
  const lines = text.help(options).map(([key, meaning]) => h("div", null, h("dt", null, h("kbd", null, key)), h("dd", null, meaning)));
  open(text.helpTitle, h("dl", { class: "keys" }, lines));
}

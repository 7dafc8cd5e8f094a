/** "Change something": what could be different about the best so far, in a window. */

import { adjust, changesOfBest } from "../api.js";
import { button, h } from "../dom.js";
import { busy } from "../frame.js";
import { changeList } from "../parts/changes.js";
import { open } from "../parts/dialog.js";
import { change } from "../session.js";
import { text } from "../text.js";

/**
 * @param {import("../api.js").Catalogue} about
 * @param {import("../api.js").State} state
 * @param {(state: import("../api.js").State) => void | Promise<void>} onchange
 */
export async function showAdjust(about, state, onchange) {
  const ready = busy();
  const { best, besides, changes } = await changesOfBest(state.id).finally(ready);
  let sending = false;
  const wish = async (wanted) => {
    if (sending) return;
    sending = true;
    const done = busy();
    try {
      const now = await change(state, adjust({ ...wanted, keep: true }));
      dialog.close();
      await onchange(now);
    } finally {
      sending = false;
      done();
    }
  };
  const dialog = open(text.changeSomething, [
    h("p", { class: "small" }, text.changeSomethingLead),
    changeList(about, best, changes, besides, wish),
    h("footer", null, button("", () => wish({}), null, text.changeNothing)),
  ]);
}

/** What cannot be undone is asked once more, in place. */

import { button, h } from "../dom.js";
import { text } from "../text.js";

/**
 * @param {string} words what the button says
 * @param {() => string | null} question what is asked then; null: there is nothing to delete
 * @param {() => Promise<void>} act
 */
export function deleting(words, question, act) {
  const place = h("span", { class: "deleting" });
  const ask = button("", () => {
    const asked = question();
    if (asked === null) return;
    const keep = button("", () => { place.replaceChildren(ask); ask.focus(); }, null, text.keepThem);
    const sure = button("danger", async () => {
      sure.disabled = true;
      try {
        await act();
      } finally {
        if (place.isConnected) place.replaceChildren(ask);
      }
    }, null, text.deleteThem);
    place.replaceChildren(h("span", { role: "alert" }, asked), sure, keep);
    keep.focus();
  }, null, words);
  place.append(ask);
  return place;
}

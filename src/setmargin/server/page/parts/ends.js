/** What a result ends in: the shop's own button, paper, and a link that lets others read it. */

import * as api from "../api.js";
import { button, h } from "../dom.js";
import { linkOf } from "../format.js";
import { announce } from "../notices.js";
import { text } from "../text.js";

/** Browsers give the clipboard to secure pages only; elsewhere the old way does. */
export async function copied(field, button, words) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy");
  }
  button.textContent = text.copied;
  announce(text.copied);
  setTimeout(() => { button.textContent = words; }, 2000);
}

export const ends = {
  /** What the catalogue's owner wants people to do with it. */
  action: ({ action }, option) => Boolean(action) && h("a", {
    class: "button primary action", href: linkOf(action, option), rel: "noopener",
  }, action.text),

  print: () => button("", () => window.print(), null, text.print),

  /** A link to this result alone; it is made when somebody asks for it. */
  share: (state) => {
    const field = h("input", { type: "text", readonly: true, "aria-label": text.shareLink, hidden: true });
    const copy = button("", async () => {
      if (!field.value) field.value = `${location.origin}/r/${await api.share(state)}`;
      field.hidden = false;
      await copied(field, copy, text.shareIt);
    }, null, text.shareIt);
    return h("span", { class: "share" }, copy, field);
  },
};

/** What a result ends in: the shop's own button, paper, and a link that lets others read it. */

import * as api from "../api.js";
import { address } from "../base.js";
import { button, h } from "../dom.js";
import { isEmbedded } from "../embedded.js";
import { linkOf } from "../format.js";
import { announce } from "../notices.js";
import { wayBack } from "../returning.js";
import { text } from "../text.js";

/** Links to other sites leave the site that shows the page, too. */
const TARGET = isEmbedded ? "_top" : null;

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
  /** Back to where the person came from, with what they took. */
  back: (state) => {
    const way = wayBack(state);
    return way && h("a", { class: "button primary back", href: way.href, target: TARGET }, text.backTo(way.host));
  },

  /** What the catalogue's owner wants people to do with it. */
  action: ({ action }, option) => Boolean(action) && h("a", {
    class: "button primary action", href: linkOf(action, option), rel: "noopener", target: TARGET,
  }, action.text),

  print: () => button("", () => window.print(), null, text.print),

  /** A link to this result alone; it is made when somebody asks for it. */
  share: (state) => {
    const field = h("input", { type: "text", readonly: true, "aria-label": text.shareLink, hidden: true });
    const copy = button("", async () => {
      if (!field.value) field.value = `${location.origin}${address("/r/")}${await api.share(state)}`;
      field.hidden = false;
      await copied(field, copy, text.shareIt);
    }, null, text.shareIt);
    return h("span", { class: "share" }, copy, field);
  },
};

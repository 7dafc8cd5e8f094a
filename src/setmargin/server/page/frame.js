/** What all views share: title, top line, main part, footer. */

import { address } from "./base.js";
import { byId, h } from "./dom.js";
import { quiet } from "./notices.js";
import { shopLogo, shopName, wearColours } from "./shop.js";
import { language, languages, nameOf, speak, text } from "./text.js";

const SLOW = 150;

/**
 * Begin a view.
 * @param {{title: string, kind: string, top?: import("./dom.js").Child}} view
 */
export function frame({ title, kind, top = null }) {
  const name = shopName() ?? text.name;
  document.title = title === name ? title : text.titled(title, name);
  document.body.className = kind;
  wearColours();
  quiet();
  document.querySelectorAll("dialog").forEach((dialog) => dialog.remove());
  const ours = !shopName() && h("span", { class: "sign", "aria-hidden": "true" });
  const sign = shopLogo() ? h("img", { class: "logo", src: shopLogo(), alt: "" }) : ours;
  const home = h("a", { class: "home", href: address("/"), title: text.home }, sign, h("span", null, name));
  byId("top").replaceChildren(...[home, top].flat().filter(Boolean));
  return { show: (...children) => show(h("div", { class: "page" }, ...children)) };
}

/** Put a view into the main part, and the focus where reading starts. @param {HTMLElement} page */
function show(page) {
  const main = byId("main");
  const first = main.childElementCount === 0;
  main.replaceChildren(page);
  const heading = page.querySelector("h1");
  if (first || !heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** Say that something is on its way, but only once it takes long enough to be noticed. @returns {() => void} */
export function busy() {
  const timer = setTimeout(() => document.body.classList.add("busy"), SLOW);
  return () => { clearTimeout(timer); document.body.classList.remove("busy"); };
}

/** The foot of every view. */
export function footer() {
  byId("foot").replaceChildren(...[
    h("p", null, text.footer), languages.length > 1 && languageSwitch(), h("a", { href: address("/owner") }, text.owner),
    h("span", null, text.name),
  ].filter(Boolean));
  byId("skip-link").textContent = text.skipLink;
}

function languageSwitch() {
  const entry = (code) => h("option", { value: code, lang: code, selected: code === language }, nameOf(code));
  const list = h("select", { "aria-label": text.languageTitle, onchange: () => speak(list.value) }, languages.map(entry));
  return h("div", { class: "languages" }, list);
}

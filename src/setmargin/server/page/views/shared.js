/** A result that somebody shared: to be read, not to be changed. */

import { shared } from "../api.js";
import { catalogueAt } from "../base.js";
import { h } from "../dom.js";
import { label } from "../format.js";
import { busy, frame } from "../frame.js";
import { ends } from "../parts/ends.js";
import { fixed } from "../parts/living.js";
import { offerCards } from "../parts/offers.js";
import { mattersWords, reasonList } from "../parts/reasons.js";
import { visit } from "../router.js";
import { text } from "../text.js";

/** @param {string} token */
export async function showShared(token) {
  const still = visit();
  const ready = busy();
  const { catalogue, finished, result } = await shared(token).finally(ready);
  if (!still()) return;
  const labels = new Map([...catalogue.attributes, ...catalogue.quantities].map((thing) => [thing.name, label(thing)]));
  const labelled = (name) => labels.get(name) ?? name;
  const title = catalogue.title || catalogue.name;
  const option = finished ?? result.best;
  const { quotes, alternatives } = result;
  frame({ title, kind: "result", top: h("p", { class: "where" }, title) }).show(
    h("section", { class: "outcome" },
      h("h1", null, finished ? text.sharedTaken : text.sharedTitle),
      h("p", { class: "small hint" }, text.sharedLead),
      h("p", { class: "matters" }, mattersWords(result.matters, labelled)),
      fixed(catalogue, option),
      h("div", { class: "actions" }, ends.action(catalogue, option), ends.print(),
        h("a", { class: "button", href: catalogueAt(catalogue.name) }, text.findYours))),
    quotes.length > 0 && h("section", { class: "why" }, h("h2", null, text.whyTitle), reasonList(catalogue, quotes)),
    alternatives.length > 0 && h("section", { class: "alternatives" }, h("h2", null, text.alternativesTitle),
      offerCards(catalogue, result.best, alternatives, labelled, null)),
  );
}

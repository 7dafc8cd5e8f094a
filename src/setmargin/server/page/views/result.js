/** What the interview came to: a configuration that can be changed in place, why, what else there is, and what then. */

import * as api from "../api.js";
import { address, catalogueAt, questionAt } from "../base.js";
import { button, byId, h } from "../dom.js";
import { isEmbedded, toTop } from "../embedded.js";
import { label } from "../format.js";
import { busy, frame } from "../frame.js";
import { announce, notice } from "../notices.js";
import { answerList } from "../parts/answers.js";
import { importanceBars } from "../parts/bars.js";
import { showBeside } from "../parts/beside.js";
import { deleting } from "../parts/deleting.js";
import { copied, ends } from "../parts/ends.js";
import { Living, fixed } from "../parts/living.js";
import { lookAt } from "../parts/look.js";
import { offerCards } from "../parts/offers.js";
import { changes, itemCard } from "../parts/option.js";
import { mattersWords, reasonList } from "../parts/reasons.js";
import { certainty } from "../parts/sure.js";
import { go, visit } from "../router.js";
import { dropAllOf, save } from "../saved.js";
import { change, forget, remember } from "../session.js";
import { text } from "../text.js";
import { showMustHaves } from "./must_haves.js";

/** @param {string} id */
export async function showResult(id) {
  const still = visit();
  const ready = busy();
  const asked = [api.interview(id), api.recommendation(id), api.catalogueOf(id)];
  const [state, result, about] = await Promise.all(asked).finally(ready);
  if (still()) new Outcome(about, still).draw(state, result);
}

class Outcome {
  constructor(about, still) {
    this.about = about;
    this.still = still;
    this.labels = new Map([...about.attributes, ...about.quantities].map((thing) => [thing.name, label(thing)]));
    this.sending = false;
    /** What the person took last, to be undone. */
    this.last = "";
  }

  draw(state, result) {
    this.state = state;
    this.result = result;
    this.option = state.finished ?? result.best;
    remember(state);
    const title = this.about.title || state.catalogue.name;
    const page = frame({ title, kind: "result", top: h("p", { class: "where" }, title) });
    const reasons = () => [this.why(), this.alternatives(), this.secondLook(), this.details()];
    page.show(this.chosen(), result.answers.length > 0 && reasons(), this.keep());
  }

  labelled = (name) => this.labels.get(name) ?? name;

  // Parts

  chosen() {
    const { state, result, option, about } = this;
    const shown = state.finished
      ? fixed(about, option)
      : new Living(about, state, option, { ontake: (name, value) => this.set(name, value) }).element;
    const undo = this.last && h("p", { class: "done", role: "status" }, this.last, " ",
      button("link", () => this.undo(), null, text.undo));
    return h("section", { class: "outcome" },
      h("h1", null, state.finished ? text.taken : text.suits), h("p", { class: "sure" }, lead(state, result)),
      result.answers.length > 0 && h("p", { class: "matters" }, mattersWords(result.matters, this.labelled)),
      undo || (!state.finished && h("p", { class: "small hint" }, text.changeHint)),
      state.finished && itemCard(option), shown, h("div", { class: "actions" }, this.nextSteps()));
  }

  nextSteps() {
    const { state } = this;
    const musts = button("quiet", () => this.mustHaves(), null, text.mustHavesOf(state.must_haves.length));
    const more = button("", () => this.askOn(), null, text.askOn);
    const done = state.finished
      ? button("", () => this.undo(), null, text.reopen)
      : button(this.about.action ? "" : "primary", () => this.take(null), null, text.imDone);
    return [ends.back(state), ends.action(this.about, this.option), done, more, musts];
  }

  why() {
    const { quotes } = this.result;
    return section("why", text.whyTitle, "",
      quotes.length ? reasonList(this.about, quotes) : h("p", null, text.noQuotes));
  }

  alternatives() {
    const { best, alternatives } = this.result;
    if (!alternatives.length) return null;
    return section("alternatives", text.alternativesTitle, "",
      offerCards(this.about, best, alternatives, this.labelled, (option) => this.take(option)));
  }

  /** Answers that the others contradict, each with a look at what another one would change. */
  secondLook() {
    const surprising = this.result.answers.filter((each) => each.surprising);
    if (!surprising.length) return null;
    return section("second", text.secondTitle, text.surprising, this.list(surprising, { isFolded: true }));
  }

  details() {
    const { importance, answers, best, would_change: hinges } = this.result;
    const line = ({ answer, instead }) => h("li", null,
      button("link", () => showAnswer(answer), null, text.withoutAnswer(answer)),
      ` ${text.it} `, h("span", null, changes(this.about, best, instead)));
    const others = answers.filter((each) => !each.surprising);
    return h("section", { class: "more" },
      h("details", { class: "fold importances" }, h("summary", null, text.detailsTitle),
        h("p", { class: "small" }, text.whyLead), importanceBars(importance, this.labelled)),
      h("details", { class: "fold hinges" }, h("summary", null, text.changeTitle),
        hinges.length ? [h("p", { class: "small" }, text.hingesLead), h("ul", { class: "words" }, hinges.map(line))]
          : h("p", { class: "small" }, text.nothingChanges)),
      others.length > 0 && h("details", { class: "fold given" },
        h("summary", null, text.answersOf(answers.length)), h("p", { class: "small" }, text.answersLead), this.list(others)));
  }

  list(answers, form) {
    const acts = (given, answer, panel) => ({
      onchange: () => this.change(given, answer),
      onleave: () => { panel.hidden = true; byId(`answer-${given.number}`)?.focus(); },
    });
    return answerList(this.about, answers, (given, answer, panel) =>
      lookAt(this.about, this.state, given, answer, panel, acts(given, answer, panel)), form);
  }

  keep() {
    const { state, about, option } = this;
    const own = h("input", {
      type: "text", readonly: true, value: location.origin + questionAt(state.id), "aria-label": text.link,
    });
    const copyOwn = button("", () => copied(own, copyOwn, text.copy), null, text.copy);
    return section("keep", text.keepTitle, "",
      h("div", { class: "actions" },
        ends.print(), ends.share(state),
        button("", () => this.save(), null, text.saveIt),
        button("", () => showBeside(about, state, option), null, text.compareIt)),
      h("details", { class: "fold" }, h("summary", null, text.moreTitle),
        h("p", { class: "small" }, text.keepLead), h("div", { class: "link-row" }, own, copyOwn),
        h("div", { class: "actions" },
          h("a", { class: "button", href: api.exportAddress(state.id), download: "" }, text.download),
          h("a", { class: "button", href: catalogueAt(state.catalogue.name) }, text.again),
          !isEmbedded && h("a", { class: "button", href: address("/") }, text.otherCatalogue)),
        h("p", { class: "small" }, text.deleteLead), deleting(text.deleteMine, () => text.deleteSure, () => this.delete())));
  }

  // What the person does

  take(option) {
    return this.act(api.finish(option), text.taken, { top: true });
  }

  /** A part gets another value, and what comes of it stays. */
  set(name, value) {
    return this.act(api.adjust({ name, value, keep: true }), text.changedPart, { last: text.changedPart });
  }

  undo() {
    return this.act(api.undo(), text.undone, { top: true });
  }

  change(given, answer) {
    return this.act(api.changeAnswer(given, answer), text.changed, { top: true, last: text.changed });
  }

  async askOn() {
    const { state } = this;
    if (state.question) return go(questionAt(state.id));
    if (this.sending) return undefined;
    this.sending = true;
    const ready = busy();
    try {
      const now = await change(state, api.askOn());
      return now.question ? await go(questionAt(now.id)) : await this.redraw(now, text.nothingMore, { top: true });
    } catch (error) {
      if (!(error instanceof api.Problem) || error.kind !== "validation") throw error;
      return notice(text.nothingMore);
    } finally {
      this.sending = false;
      ready();
    }
  }

  save() {
    const { state, option, about } = this;
    save({ id: state.id, version: state.version, catalogue: about.name, when: new Date().toISOString(), option });
    notice(text.savedIt);
  }

  /** Nothing of it is left, here or on the server. */
  async delete() {
    const { state: { id, catalogue } } = this;
    await api.forget(id);
    forget(id);
    dropAllOf(id);
    if (!this.still()) return;
    await go(isEmbedded ? catalogueAt(catalogue.name) : address("/"), { replace: true });
    notice(text.deleted);
  }

  mustHaves() {
    showMustHaves(this.about, this.state, (state) => this.redraw(state, text.changed, { top: true }));
  }

  async act(send, words, where) {
    if (this.sending) return;
    this.sending = true;
    const ready = busy();
    try {
      await this.redraw(await change(this.state, send), words, where);
    } finally {
      this.sending = false;
      ready();
    }
  }

  /** The same page with what is known now, and the eye where it was. */
  async redraw(state, words, { top = false, last = "" } = {}) {
    const result = await api.recommendation(state.id);
    if (!this.still()) return;
    const place = scrollY;
    this.last = last;
    this.draw(state, result);
    if (top) toTop();
    else scrollTo(0, place);
    announce(words);
  }
}

function lead({ finished, answered, done, must_haves: musts }, { stakes, answers }) {
  if (finished) return text.takenLead;
  if (answered) return certainty(stakes);
  if (!done || answers.length) return text.notAnswered;
  return musts.length ? text.nothingLeft : text.nothingToAsk;
}

function section(kind, title, lead, ...children) {
  return h("section", { class: kind }, h("h2", null, title), lead && h("p", { class: "small" }, lead), ...children);
}

function showAnswer(number) {
  const line = byId(`answer-${number}`);
  for (const fold of [line?.closest("details"), line?.querySelector("details")]) if (fold) fold.open = true;
  line?.scrollIntoView({ block: "center" });
  line?.focus({ preventScroll: true });
}

/** What the interview came to: the configuration, why, what comes close, what would change it, and all answers. */

import * as api from "../api.js";
import { button, byId, capital, h } from "../dom.js";
import { label, listed } from "../format.js";
import { busy, frame } from "../frame.js";
import { announce, notice } from "../notices.js";
import { answerList } from "../parts/answers.js";
import { importanceBars } from "../parts/bars.js";
import { comparisonTable } from "../parts/compare.js";
import { changes, rows } from "../parts/option.js";
import { certainty } from "../parts/sure.js";
import { go, visit } from "../router.js";
import { change, remember } from "../session.js";
import { text } from "../text.js";
import { showAdjust } from "./adjust.js";
import { showMustHaves } from "./must_haves.js";

const MOST_REASONS = 4;

/** @param {string} id */
export async function showResult(id) {
  const still = visit();
  const ready = busy();
  const asked = [api.interview(id), api.recommendation(id), api.catalogueOf(id)];
  const [state, result, about] = await Promise.all(asked).finally(ready);
  if (still()) new Outcome(about, still).draw(state, result);
}

const questionOf = (state) => `/i/${encodeURIComponent(state.id)}`;

class Outcome {
  constructor(about, still) {
    this.about = about;
    this.still = still;
    this.labels = new Map([...about.attributes, ...about.quantities].map((thing) => [thing.name, label(thing)]));
    this.sending = false;
  }

  draw(state, result) {
    this.state = state;
    remember(state);
    const title = state.catalogue.title || state.catalogue.name;
    const page = frame({ title, kind: "result", top: h("p", { class: "where" }, title) });
    const reasons = () => [this.why(result), this.alternatives(result), this.hinges(result), this.answers(result)];
    page.show(this.chosen(result), result.answers.length > 0 && reasons(), this.keep());
  }

  labelled = (name) => this.labels.get(name) ?? name;

  // Parts

  chosen(result) {
    const { state } = this;
    const option = state.finished ?? result.best;
    const all = rows(this.about, [option]);
    const figures = all.filter((row) => row.isQuantity);
    return h("section", { class: "outcome" },
      h("h1", null, state.finished ? text.taken : text.suits), h("p", { class: "sure" }, lead(state, result)),
      h("div", { class: "configuration" },
        figures.length > 0 && h("dl", { class: "figures" }, figures.map(pair)),
        h("dl", { class: "facts columns" }, all.filter((row) => !row.isQuantity).map(pair))),
      h("div", { class: "actions" }, this.nextSteps()));
  }

  nextSteps() {
    const { state } = this;
    const left = state.stakes?.questions_left ?? 0;
    if (state.finished) return button("", () => this.reopen(), null, text.reopen);
    const musts = button("", () => this.mustHaves(), null, text.mustHavesOf(state.must_haves.length));
    const take = button("primary", () => this.take(null), null, text.take);
    const adjust = button("", () => this.adjust(), null, text.changeSomething);
    return [take, adjust, state.question && h("a", { class: "button", href: questionOf(state) }, text.goOnAsking(left)), musts];
  }

  why({ importance, reasons }) {
    const words = tradeoffs(reasons, this.labelled).slice(0, MOST_REASONS);
    return section("why", text.whyTitle, text.whyLead,
      importanceBars(importance, this.labelled),
      words.length > 0 && h("ul", { class: "words" }, words.map((line) => h("li", null, line))));
  }

  alternatives({ best, alternatives }) {
    if (!alternatives.length) return null;
    const title = alternatives.length > 1 ? text.alternativesTitle : text.alternativeTitle;
    return section("alternatives", title, text.alternativesLead,
      comparisonTable(this.about, best, alternatives, (option) => this.take(option)));
  }

  hinges({ best, would_change: hinges }) {
    const line = ({ answer, instead }) => h("li", null,
      button("link", () => showAnswer(answer), null, text.withoutAnswer(answer)),
      ` ${text.it} `, h("span", null, changes(this.about, best, instead)));
    if (!hinges.length) return section("hinges", text.changeTitle, text.nothingChanges);
    return section("hinges", text.changeTitle, text.hingesLead, h("ul", { class: "words" }, hinges.map(line)));
  }

  answers({ answers }) {
    return section("given", text.answersTitle, text.answersLead,
      answerList(this.about, answers, (given, answer) => this.change(given, answer)));
  }

  keep() {
    const { state } = this;
    const address = location.origin + questionOf(state);
    const field = h("input", { type: "text", readonly: true, value: address, "aria-label": text.link });
    const copy = button("", () => copied(field, copy), null, text.copy);
    return section("keep", text.keepTitle, text.keepLead,
      h("div", { class: "link-row" }, field, copy),
      h("div", { class: "actions" },
        h("a", { class: "button", href: api.exportAddress(state.id), download: "" }, text.download),
        h("a", { class: "button", href: `/c/${encodeURIComponent(state.catalogue.name)}` }, text.again),
        h("a", { class: "button", href: "/" }, text.otherCatalogue)));
  }

  // What the person does

  take(option) {
    return this.act(api.finish(option), text.taken, { top: true });
  }

  reopen() {
    return this.act(api.undo(), text.undone, { top: true });
  }

  change(given, answer) {
    return this.act(api.changeAnswer(given, answer), text.changed, { focus: `answer-${given.number}` });
  }

  adjust() {
    return showAdjust(this.about, this.state, (state) => this.redraw(state, text.changed, { top: true }));
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
  async redraw(state, words, { top = false, focus = "" } = {}) {
    const result = await api.recommendation(state.id);
    if (!this.still()) return;
    const place = scrollY;
    this.draw(state, result);
    scrollTo(0, top ? 0 : place);
    if (focus) byId(focus)?.focus({ preventScroll: true });
    if (top) announce(words);
    else notice(words);
  }
}

/** What was given up, in a sentence for each thing that it was given up for. */
function tradeoffs(reasons, labelled) {
  const given = reasons.filter(({ kind }) => kind === "gave-up");
  const gains = [...new Set(given.map((each) => each.for))];
  return gains.map((won) => {
    const lost = given.filter((each) => each.for === won);
    const [{ gave_up: only, times }] = lost;
    if (lost.length === 1) return text.gaveUp(labelled(only), labelled(won), times);
    const several = lost.map((each) => text.often(labelled(each.gave_up), each.times));
    return text.gaveUpSeveral(listed(several), labelled(won));
  });
}

function lead({ finished, answered, done, must_haves: musts }, { stakes, answers }) {
  if (finished) return text.takenLead;
  if (answered) return certainty(stakes);
  if (!done || answers.length) return text.notAnswered;
  return musts.length ? text.nothingLeft : text.nothingToAsk;
}

const pair = ({ thing, cells }) => h("div", null, h("dt", null, capital(label(thing))), h("dd", null, cells[0]));

function section(kind, title, lead, ...children) {
  return h("section", { class: kind }, h("h2", null, title), lead && h("p", { class: "small" }, lead), ...children);
}

function showAnswer(number) {
  const line = byId(`answer-${number}`);
  line?.scrollIntoView({ block: "center" });
  line?.focus({ preventScroll: true });
}

/** Browsers give the clipboard to secure pages only; elsewhere the old way does. */
async function copied(field, button) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy");
  }
  button.textContent = text.copied;
  announce(text.copied);
  setTimeout(() => { button.textContent = text.copy; }, 2000);
}

/** An interview under way: one question at a time, answered by a click or a key, and another one that says why. */

import * as api from "../api.js";
import { questionAt, resultAt } from "../base.js";
import { button, h } from "../dom.js";
import { label } from "../format.js";
import { busy, frame } from "../frame.js";
import { announce, notice } from "../notices.js";
import { bestSoFar } from "../parts/best.js";
import { closeList } from "../parts/cells.js";
import { changeList, closeRow, keyOf, wishWords } from "../parts/changes.js";
import { rows, spoken } from "../parts/option.js";
import { alike, askReasons, markChosen, markPlaces, markReason, optionTable } from "../parts/options.js";
import { Milestones, milestoneBar, milestoneWords } from "../parts/sure.js";
import { isOpen } from "../parts/dialog.js";
import { cameBack, follow, go, visit } from "../router.js";
import { inWords } from "../rules.js";
import { change, remember } from "../session.js";
import { text } from "../text.js";
import { showAdjust } from "./adjust.js";
import { keysAreOn, showHelp } from "./help.js";
import { showMustHaves } from "./must_haves.js";

/** @typedef {import("../api.js").State} State */

/** @param {string} id */
export async function showQuestion(id) {
  const still = visit();
  const ready = busy();
  const [state, about] = await Promise.all([api.interview(id), api.catalogueOf(id)]).finally(ready);
  if (!still()) return;
  const again = cameBack() && history.state?.depth !== undefined ? await reopened(state) : state;
  if (!still()) return;
  if (again.finished || !again.question) await go(resultAt(again.id), { replace: true });
  else new Asking(about, again, still).tell(again === state ? "" : text.askedAgain(again.question.number));
}

/** Who goes back from the result wants the last question again: what was taken and what was answered is taken back. */
async function reopened(state) {
  let now = state;
  while ((now.finished || !now.question) && now.can_undo && now.undo_of !== "must-have") now = await change(now, api.undo());
  return now;
}

/** The key as it is meant: on some keyboards digits need the shift key. */
const pressed = ({ key, code, shiftKey }) => (shiftKey ? null : /^(?:Digit|Numpad)([1-9])$/.exec(code)?.[1]) ?? key;
/** Milliseconds in which nobody has read a new question: a click then is the second half of a double click. */
const TOO_SOON = 250;

/** What an answer said beside which option is taken: `Option 2, because of price`. */
function notedWords(about, answer) {
  const { choice, because = [], change } = answer ?? {};
  if (because.length && choice !== undefined) {
    const things = [...about.attributes, ...about.quantities];
    return text.notedReason(choice + 1, label(things.find(({ name }) => name === because[0])));
  }
  return change?.name ? text.notedWish((change.option ?? 0) + 1, wishWords(about, change)) : null;
}

/** One interview on the screen. What the server says is the truth; this draws it and sends what the person does. */
class Asking {
  /** @param {import("../api.js").Catalogue} about @param {State} state @param {() => boolean} still */
  constructor(about, state, still) {
    this.about = about;
    this.still = still;
    /** @type {number[] | null} places given so far, while ranking */
    this.ranking = null;
    /** @type {{answer: import("../api.js").Answer, place: number} | null} chosen, but not sent: more may be said */
    this.said = null;
    this.sending = false;
    /** What the last answer gave as its reason, in words. @type {string | null} */
    this.noted = null;
    /** @type {Map<string, string>} which question each hint was given with */
    this.hinted = new Map();
    this.milestones = new Milestones(state.id);
    /** How many steps of this interview are behind us in the browser's history; each of its entries knows its own. */
    this.depth = history.state?.depth ?? 0;
    /** @type {(import("../api.js").Answer | null)[]} what the last steps sent; null: no answer */
    this.sent = [];
    /** @type {(import("../api.js").Answer | null)[]} answers that were taken back, to be put back */
    this.back = [];
    history.replaceState({ depth: this.depth }, "");
    this.build(state);
    this.listen();
    this.draw(state);
    follow(questionAt(state.id), still, () => this.moved());
  }

  tell(words) {
    if (words) notice(words);
  }

  build(state) {
    const title = this.about.title || this.about.name;
    this.musts = button("quiet", () => this.mustHaves(), null);
    const keys = button("quiet keys", () => this.help(), null, text.keys, h("kbd", null, "?"));
    const page = frame({ title, kind: "asking", top: [h("p", { class: "where" }, title), this.musts, keys] });
    this.best = bestSoFar(this.about, {
      ontake: () => this.take(null), onwhy: () => go(resultAt(this.state.id)), onadjust: () => this.adjust(),
    });
    this.heading = h("h1", { tabindex: "-1" });
    this.lead = h("p", { class: "small lead" });
    this.progress = h("p", { class: "progress" });
    this.bar = h("div");
    this.slot = h("div", { class: "slot" });
    this.same = h("div");
    this.actions = h("div", { class: "actions" });
    this.takes = h("p", { class: "takes" });
    page.show(
      h("header", { class: "asked" }, this.bar, this.progress, this.heading, this.lead),
      this.slot, this.same, this.takes, h("div", { class: "dock" }, this.best.opener, this.actions), this.best.drawer,
    );
  }

  listen() {
    const onkey = (event) => (this.still() ? this.key(event) : document.removeEventListener("keydown", onkey));
    document.addEventListener("keydown", onkey);
    // Whoever leaves after a choice has made it.
    const onleave = () => {
      if (!this.still()) removeEventListener("pagehide", onleave);
      else if (this.said && !this.sending) api.answer(this.said.answer)(this.state, api.freshKey()).catch(() => {});
    };
    addEventListener("pagehide", onleave);
    const onback = ({ persisted }) => {
      if (!this.still()) removeEventListener("pageshow", onback);
      else if (persisted && this.said) go(questionAt(this.state.id), { replace: true });
    };
    addEventListener("pageshow", onback);
    const onelsewhere = ({ target }) => {
      if (!this.still()) document.removeEventListener("pointerdown", onelsewhere);
      else if (!target.closest("[data-place]:has(.instead)")) closeList(this.slot.firstElementChild);
    };
    document.addEventListener("pointerdown", onelsewhere);
  }

  // Drawing

  /** @param {State} state */
  draw(state) {
    this.state = state;
    remember(state);
    const milestone = this.milestones.at(state);
    const { number } = state.question;
    this.progress.replaceChildren(h("strong", null, text.question(number)), h("span", null, milestoneWords(milestone)));
    this.bar.replaceChildren(milestoneBar(milestone));
    this.drawOptions();
    this.musts.textContent = text.mustHavesOf(state.must_haves.length);
    this.changed = this.best.update(state);
  }

  /** The question as it is asked, before anything is chosen. */
  drawOptions() {
    const { options } = this.state.question;
    this.ranking = null;
    this.said = null;
    if (options.length === 1) this.drawChanges(0);
    else {
      this.drawActions();
      this.heading.textContent = text.whichBetter;
      this.lead.textContent = this.noted ?? this.hint();
      this.slot.replaceChildren(this.fresh(optionTable(this.about, this.state.question, this.taps())));
      const wasOpen = this.same.querySelector("details")?.open ?? false;
      this.same.replaceChildren(alike(this.about, options, wasOpen));
    }
  }

  /** What a tap on the table does: where a change is asked for, a cell says what it should be, elsewhere why. */
  taps() {
    const onchoose = (place) => this.choose(place);
    return this.state.question.asks_for_change
      ? { onchoose, onwish: (place, wish) => this.send({ change: { ...wish, option: place } }, [place]) }
      : { onchoose, onreason: (place, name) => this.because(place, name) };
  }

  /** What else can be tapped, once for each kind of question. */
  hint() {
    const { asks_for_change: asks } = this.state.question;
    const kind = asks ? "wish" : "reason";
    if (this.hinted.has(kind) && this.hinted.get(kind) !== this.state.question.id) return "";
    this.hinted.set(kind, this.state.question.id);
    return asks ? text.hintWish : text.hintReason;
  }

  /** What would you change about this option? */
  drawChanges(place) {
    const { options, changes, besides } = this.state.question;
    const about = options.length > 1 ? { option: place } : {};
    const wish = (wanted) => this.send({ change: { ...wanted, ...about } });
    const several = options.length > 1;
    this.heading.textContent = text.whatChange;
    this.lead.textContent = several ? text.changeLead : text.changeLeadSingle;
    this.same.replaceChildren();
    const back = () => { this.unchoose(); this.heading.focus({ preventScroll: true }); };
    this.slot.replaceChildren(this.fresh(h("section", { class: "panel", "aria-label": text.whatChange },
      several && button("link back", back, null, text.backToOptions),
      changeList(this.about, options[place], changes[place], besides, wish, { isFlat: true }))));
    this.drawActions(() => wish({}));
  }

  fresh(shown) {
    shown.classList.add("fresh");
    setTimeout(() => shown.classList.remove("fresh"), TOO_SOON);
    return shown;
  }

  /** @param {(() => void) | null} onnothing where changes are asked for: nothing should change */
  drawActions(onnothing = null) {
    const { question: { options }, can_undo: canUndo, undo_of: undoOf } = this.state;
    const several = options.length > 1;
    const action = (words, key, act, more = {}) =>
      button("quiet", act, more, words, h("kbd", { "aria-hidden": "true" }, key));
    const isRanking = this.ranking !== null;
    const pressed = { "aria-pressed": String(isRanking) };
    if (onnothing && several) {
      const carry = button("primary carry", () => this.carryOn(), null, text.carryOn, h("kbd", { "aria-hidden": "true" }, "C"));
      this.actions.replaceChildren(action(text.changeNothing, "0", onnothing, { class: "quiet nothing" }), carry);
      this.takes.replaceChildren();
      return;
    }
    this.actions.replaceChildren(
      ...(onnothing ? [action(text.changeNothing, "0", onnothing, { class: "primary nothing" })] : []),
      ...(several ? [action(text.noDifference, "=", () => this.send({ equal: true }))] : []),
      action(text.skip, "S", () => this.send({ skip: true })),
      action(undoOf === "must-have" ? text.undoMustHave : text.undo, "U", () => this.undo(),
        { disabled: !canUndo, title: undoOf && text.undoOf[undoOf] }),
      ...(options.length > 2 ? [action(text.rank, "R", () => this.rank(), pressed)] : []),
    );
    const take = (option, place) => button("link", () => this.take(option), null,
      several ? text.takeOption(place + 1) : text.take);
    this.takes.replaceChildren(h("span", null, several ? text.takeOne : text.takeIt), ...options.map(take));
  }

  /** Read the new question out, and start reading where it starts. */
  present(before = "") {
    const { options, number } = this.state.question;
    const several = options.length > 1;
    const told = rows(this.about, options).filter((row) => !several || row.differs);
    const said = options.map((_, place) => text.spokenOption(place + 1, spoken(told, place)));
    const asked = several ? said : [text.whatChange, spoken(told, 0)];
    const best = this.changed ? text.bestChanged(this.changed) : "";
    announce(`${before} ${text.spokenQuestion(number, asked)} ${best}`.trim());
    this.heading.focus({ preventScroll: true });
    if (this.progress.getBoundingClientRect().top < 0) this.bar.scrollIntoView({ block: "start" });
  }

  // What the person does

  /** One change at a time: what is pressed meanwhile, or too soon after, was meant for the question before. */
  isDeaf() {
    return this.sending || this.slot.firstElementChild.classList.contains("fresh");
  }

  choose(place) {
    if (this.isDeaf()) return undefined;
    if (this.said) return this.said.place === place ? this.carryOn() : this.decide({ choice: place }, place);
    if (this.ranking === null) return this.decide({ choice: place }, place);
    const { length } = this.state.question.options;
    const at = this.ranking.indexOf(place);
    this.ranking = at < 0 ? [...this.ranking, place] : this.ranking.slice(0, at);
    if (this.ranking.length === length - 1) {
      const last = Array.from({ length }, (_, each) => each).find((each) => !this.ranking.includes(each));
      this.ranking = [...this.ranking, last];
    }
    this.drawPlaces();
    return this.ranking.length === length ? this.decide({ ranking: this.ranking }, this.ranking[0]) : undefined;
  }

  /** This one is the best: before that is sent, the person may say why, or what to change about it. */
  decide(answer, place) {
    const { asks_for_change: asks, differing } = this.state.question;
    this.said = { answer, place };
    if (asks && "choice" in answer) {
      this.drawChanges(place);
      announce(`${text.chosenOption(place + 1)} ${text.whatChange} ${text.changeLead}`);
      this.heading.focus({ preventScroll: true });
      this.bar.scrollIntoView({ block: "nearest" });
      return undefined;
    }
    const group = this.fresh(this.slot.firstElementChild);
    askReasons(group, place, differing, (name) => this.send({ ...answer, because: [name] }, [place]));
    if (!group.querySelector(".reason")) return this.send(answer, [place], { soon: true });
    this.heading.textContent = text.whatDecided;
    this.lead.textContent = text.decidedLead;
    announce(`${text.chosenOption(place + 1)} ${text.whatDecided} ${text.decidedLead}`);
    group.querySelector(".chosen .choose").focus({ preventScroll: true });
    return undefined;
  }

  /** One tap for the choice and its reason; while options are ranked it is a place like anywhere else in the column. */
  because(place, name) {
    if (this.ranking !== null || this.said) return this.choose(place);
    if (this.isDeaf()) return undefined;
    markReason(this.slot, place, name);
    return this.send({ choice: place, because: [name] }, [place]);
  }

  carryOn() {
    return this.said ? this.send(this.said.answer, [this.said.place]) : undefined;
  }

  /** Nothing is chosen after all. */
  unchoose() {
    if (!this.said || this.sending) return;
    this.drawOptions();
    announce(text.whichBetter);
  }

  drawPlaces() {
    const places = this.ranking ?? [];
    markPlaces(this.slot, places);
    if (this.said) return;
    this.heading.textContent = this.ranking === null ? text.whichBetter : text.rankThem(places.length);
  }

  rank() {
    if (this.state.question.options.length < 3 || this.sending) return;
    const begins = this.ranking === null || this.said !== null;
    if (this.said) this.drawOptions();
    this.ranking = begins ? [] : null;
    this.drawActions();
    this.drawPlaces();
    announce(this.heading.textContent);
  }

  /** @param {import("../api.js").Answer} answer @param {number[]} chosen the columns that show it at once */
  send(answer, chosen = [], { soon = false } = {}) {
    if (soon ? this.sending : this.isDeaf()) return undefined;
    this.highlight(chosen);
    this.back = [];
    return this.act(api.answer(answer), (state) => this.went(state, answer)).catch((error) => {
      this.drawOptions();
      throw error;
    });
  }

  take(option) {
    return this.act(api.finish(option), (state) => this.next(state));
  }

  async act(send, then) {
    if (this.sending) return;
    this.sending = true;
    const ready = busy();
    try {
      const state = await change(this.state, send);
      if (this.still()) await then(state);
    } finally {
      this.sending = false;
      ready();
    }
    if (this.still()) await this.moved();
  }

  async next(state, words = "") {
    if (state.finished || !state.question) {
      remember(state);
      await go(resultAt(state.id));
      return;
    }
    this.offer?.();
    this.draw(state);
    this.present(words);
  }

  // Steps back and forward

  /** So many steps were made; the browser's history has one more entry, and the one before leads back to before them. */
  async went(state, answer = null, steps = 1) {
    const isOurs = steps > 0 && state.version === this.state.version + steps;
    this.noted = isOurs ? notedWords(this.about, answer) : null;
    if (isOurs) {
      this.depth += steps;
      this.sent.push(...Array.from({ length: steps }, () => answer));
      if (state.question && !state.finished) history.pushState({ depth: this.depth }, "");
    }
    await this.next(state);
  }

  /** First what was chosen and not sent, then what was: through the browser's history where that has it. */
  undo() {
    if (this.said) return this.unchoose();
    if (!this.state.can_undo || this.isDeaf()) return undefined;
    if (this.depth > 0) return history.back();
    return this.act(api.undo(), (state) => this.wentBack(state, { isAhead: false }));
  }

  /** The person went back or forward in the browser: take back what was answered since, or put it back. */
  async moved() {
    const wanted = history.state?.depth ?? 0;
    if (this.sending || wanted === this.depth) return undefined;
    if (this.said) {
      this.unchoose();
      return history.pushState({ depth: this.depth }, "");
    }
    const answer = this.back.at(-1);
    if (wanted < this.depth && this.state.can_undo) {
      this.depth -= 1;
      return this.act(api.undo(), (state) => this.wentBack(state, { isAhead: true }));
    }
    if (wanted > this.depth && answer) {
      this.back.pop();
      this.depth += 1;
      this.sent.push(answer);
      return this.act(api.answer(answer), (state) => this.next(state));
    }
    return history.replaceState({ depth: this.depth }, "");
  }

  /** A step was taken back; say which, and offer to put it back where the browser can go forward to it. */
  async wentBack(state, { isAhead }) {
    const { must_haves: before, question } = this.state;
    this.noted = null;
    const dropped = before.filter((rule) => !state.must_haves.includes(rule));
    const added = state.must_haves.filter((rule) => !before.includes(rule));
    const answer = this.sent.pop() ?? null;
    this.back.push(answer);
    const words = dropped.length + added.length
      ? (dropped.length ? text.mustHaveDropped : text.mustHaveAgain)(inWords([...dropped, ...added][0], this.about))
      : text.tookBack(state.question?.number ?? question.number);
    await this.next(state, words);
    if (!this.still()) return;
    const again = { action: text.putBack, onaction: () => history.forward() };
    this.offer = notice(words, answer && isAhead ? again : {});
  }

  highlight(chosen) {
    this.slot.firstElementChild.classList.add("sent");
    chosen.forEach((place) => markChosen(this.slot, place));
  }

  async adjust() {
    if (this.sending) return;
    this.best.close();
    await showAdjust(this.about, this.state, (state) => (this.still() ? this.went(state) : undefined));
  }

  async mustHaves() {
    if (this.sending) return;
    this.best.close();
    const { must_haves: before, version } = this.state;
    await showMustHaves(this.about, this.state, (state) => {
      const steps = String(state.must_haves) === String(before) ? 0 : state.version - version;
      if (this.still()) this.went(state, null, steps);
    });
  }

  help() {
    showHelp(this.state.question.options.length);
  }

  // Keys

  key(event) {
    const field = event.target instanceof Element && event.target.closest("input, select, textarea");
    if (event.ctrlKey || event.metaKey || event.altKey || field || isOpen() || event.repeat) return;
    const act = keysAreOn() || event.key === "Escape" ? this.acts(pressed(event)) : null;
    if (!act) return;
    event.preventDefault();
    act();
  }

  acts(key) {
    const place = "123456789".indexOf(key);
    if (place >= 0) return this.numbered(place);
    if (key === "Escape" && this.slot.querySelector(".panel, .decided, .instead")) return () => this.escape();
    return {
      0: () => this.actions.querySelector(".nothing")?.click(), c: () => this.carryOn(),
      "=": () => this.send({ equal: true }), s: () => this.send({ skip: true }), u: () => this.undo(),
      b: () => this.best.toggle(), m: () => this.mustHaves(), r: () => this.rank(), "?": () => this.help(),
      escape: () => this.best.close(),
    }[key.toLowerCase()];
  }

  /** What a digit means: a row of the list of changes, a reason, or an option. */
  numbered(place) {
    const panel = this.slot.querySelector(".panel");
    if (panel) return this.isDeaf() ? null : keyOf(panel, place);
    if (this.said) return () => { if (!this.isDeaf()) this.slot.querySelectorAll(".reason")[place]?.click(); };
    return place < this.state.question.options.length ? () => this.choose(place) : null;
  }

  /** One step back: the drawer, the row that is open, the choice. */
  escape() {
    if (closeList(this.slot.firstElementChild) || this.best.close()) return;
    const panel = this.slot.querySelector(".panel");
    if (!panel || !closeRow(panel)) this.unchoose();
  }
}

/** The owner's view: how interviews go, catalogue by catalogue. */

import { Problem, catalogue, forgetForOwner, forgetUnseen, offer, owned, priors, summary, told, withdraw } from "../api.js";
import { button, freshId, h } from "../dom.js";
import { number } from "../format.js";
import { busy, frame } from "../frame.js";
import { notice } from "../notices.js";
import { histogram, importanceBars } from "../parts/bars.js";
import { deleting } from "../parts/deleting.js";
import { funnel, refusedMost, stops, takenMost, takenValues, wanted } from "../parts/people.js";
import { whoIsTold } from "../parts/told.js";
import { visit } from "../router.js";
import { notedNone } from "../shop.js";
import { text } from "../text.js";

const STORED = "setmargin.token";
const DAYS = [7, 30, 90];
const UNSEEN = [30, 90, 365];
const A_DAY = 86_400_000;

export async function showOwner() {
  notedNone();
  const token = sessionStorage.getItem(STORED);
  if (token) await showSummary(token, null);
  else ask();
}

/** @param {string} [trouble] what was wrong with the last token */
function ask(trouble = "") {
  const id = freshId("token");
  const described = trouble ? `${id}-trouble` : null;
  const field = h("input",
    { id, type: "password", autocomplete: "off", required: true, "aria-describedby": described });
  const enter = (event) => {
    event.preventDefault();
    if (field.value) showSummary(field.value, null);
  };
  frame({ title: text.ownerTitle, kind: "owner" }).show(
    h("header", { class: "lead" }, h("h1", null, text.ownerTitle), h("p", null, text.ownerLead)),
    h("form", { class: "token", onsubmit: enter }, h("label", { for: id }, text.token), field,
      h("button", { class: "primary", type: "submit" }, text.show)),
    trouble && h("p", { class: "trouble", id: described, role: "alert" }, trouble));
}

async function showSummary(token, days) {
  const still = visit();
  const ready = busy();
  try {
    const since = days && new Date(Date.now() - days * A_DAY).toISOString();
    const asked = Promise.all([summary(token, since), priors(token), owned(token), told(token)]);
    const [found, known, { catalogues: offers }, others] = await asked;
    sessionStorage.setItem(STORED, token);
    const described = await describe(found.catalogues, offers);
    notedNone();
    if (still()) draw(found, { known, offers, described, others }, token, days);
  } catch (error) {
    if (!(error instanceof Problem) || ![401, 403].includes(error.status)) throw error;
    sessionStorage.removeItem(STORED);
    if (still()) ask(error.kind === "off" ? text.ownerOff : text.wrongToken);
  } finally {
    ready();
  }
}

/** What is known of the words of catalogues with interviews that are offered now, by name. */
async function describe(catalogues, offers) {
  const is = (name) => offers.some((each) => each.name === name && each.status === "offered");
  const names = catalogues.filter(({ name, interviews }) => interviews > 0 && is(name)).map(({ name }) => name);
  const found = await Promise.allSettled(names.map((name) => catalogue(name)));
  return new Map(names.map((name, place) => [name, /** @type {any} */ (found[place]).value ?? null]));
}

function draw({ catalogues }, { known, offers, described, others }, token, days) {
  const forget = () => { sessionStorage.removeItem(STORED); ask(); };
  const page = frame({ title: text.ownerTitle, kind: "owner" });
  const choice = (each, words) => h("option", { value: each ?? "", selected: each === days }, words);
  const again = () => showSummary(token, days);
  const list = h("select", { onchange: () => showSummary(token, Number(list.value) || null) },
    choice(null, text.sinceAll), DAYS.map((each) => choice(each, text.sinceDays(each))));
  page.show(
    h("header", { class: "lead" }, h("h1", null, text.ownerTitle),
      h("div", { class: "controls" }, h("label", null, h("span", null, text.since), list),
        button("quiet", forget, null, text.forget))),
    overview(catalogues), offering(offers, token, again), earlierPeople(known), whoIsTold(others, token, again),
    catalogues.filter(({ interviews }) => interviews > 0)
      .map((each) => details(each, described.get(each.name) ?? null)),
    forgetting(token, again));
}

/** Delete one interview, by the link that its visitor sent, or all that nobody has looked at for long. */
function forgetting(token, again) {
  const link = h("input", { type: "text", autocomplete: "off", spellcheck: "false", "aria-label": text.deleteLink });
  const idOf = () => decodeURIComponent(/\/i\/([^/?#]+)/.exec(link.value)?.[1] ?? link.value.trim());
  const days = h("select", { "aria-label": text.deleteUnseen },
    UNSEEN.map((each) => h("option", { value: each }, text.unseenFor(each))));
  const done = async (words) => { await again(); notice(words); };
  const one = async () => {
    try {
      await forgetForOwner(token, idOf());
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== "not-found") throw error;
      notice(text.nothingDeleted, { alert: true });
      return;
    }
    await done(text.deletedMany(1));
  };
  const many = async () => done(text.deletedMany(await forgetUnseen(token, Number(days.value))));
  return h("section", { class: "forgetting" }, h("h2", null, text.deleteTitle), h("p", { class: "small" }, text.deleteOwner),
    h("div", { class: "line" }, link, deleting(text.deleteOne, () => (idOf() ? text.deleteOneSure : null), one)),
    h("div", { class: "line" }, h("span", null, text.deleteUnseen), days,
      deleting(text.deleteAll, () => text.deleteAllSure(Number(days.value)), many)));
}

/** Which catalogues are offered, and a button to change that. */
function offering(offers, token, again) {
  const states = { offered: text.isOffered, withdrawn: text.isWithdrawn, "not served": text.isNotServed };
  const line = ({ name, title, status }) => {
    const change = status === "offered" ? withdraw : offer;
    const act = async () => { await change(token, name); await again(); };
    const words = status === "offered" ? text.withdraw : text.offer;
    return h("li", null, h("span", { class: "name" }, title || name), h("span", { class: "small" }, states[status]),
      button("quiet", act, { "aria-label": `${words}: ${title || name}` }, words));
  };
  return h("section", { class: "offering" }, h("h2", null, text.offering), h("p", { class: "small" }, text.offeringLead),
    h("ul", null, offers.map(line)));
}

/** What interviews expect of people; nothing where the server neither learns nor was told. */
function earlierPeople({ learning, catalogues }) {
  const shown = catalogues.filter(({ used, notes }) => learning || used || notes.length > 0);
  if (shown.length === 0) return null;
  const line = ({ title, catalogue, used, summary: words, notes, finished, learnt_at: next }) => [
    h("h3", null, title || catalogue),
    h("p", null, used ? text.expects(used) : text.expectsUsual, next !== null && ` ${text.learntAt(finished, next)}`),
    [...words, ...notes].length > 0 && h("ul", null, [...words, ...notes].map((each) => h("li", null, each))),
  ];
  return h("section", { class: "earlier" }, h("h2", null, text.earlier), shown.map(line));
}

function overview(catalogues) {
  const heads = [
    text.catalogue, text.interviews, text.answered, text.finished, text.medianQuestions, text.manyQuestions,
  ];
  const shown = (much) => (much === null || much === undefined ? "–" : number(much));
  const line = ({ title, name, interviews, answered, finished, questions: { median, p90 } }) =>
    h("tr", null, h("th", { scope: "row" }, title || name),
      [interviews, answered, finished, median, p90].map((each) => h("td", null, shown(each))));
  return h("div", { class: "wide", role: "region", "aria-label": text.interviews, tabindex: "0" },
    h("table", { class: "overview" },
      h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", null, catalogues.map(line))));
}

function details(did, described) {
  const { title, name, questions, left, importance } = did;
  const chart = (head, ...children) => h("div", { class: "chart" }, h("h3", null, head), ...children);
  const needed = questions.histogram.map((each) => ({ at: each.questions, count: each.count }));
  const leaving = left.map((each) => ({ at: each.answers, count: each.count }));
  return h("section", { class: "catalogue" }, h("h2", null, title || name),
    chart(text.howFar, funnel(did)), h("div", { class: "charts" },
    chart(text.whereStopped, stops(did)),
    chart(text.questionsNeeded, histogram(needed, text.questionsAsked)),
    chart(text.whereLeft, histogram(leaving, text.answersGiven)),
    chart(text.importance, importanceBars(importance, (each) => nameOf(described, each))),
    chart(text.takenValues, takenValues(did, described)), chart(text.takenMost, takenMost(did, described)),
    chart(text.wantedMost, wanted(did, described)), chart(text.refusedMost, refusedMost(did, described))));
}

function nameOf(described, name) {
  const things = described ? [...described.attributes, ...described.quantities] : [];
  return things.find((each) => each.name === name)?.title || name;
}

/** The owner's view: how interviews go, catalogue by catalogue. */

import { Problem, priors, summary } from "../api.js";
import { button, freshId, h } from "../dom.js";
import { number } from "../format.js";
import { busy, frame } from "../frame.js";
import { histogram, importanceBars } from "../parts/bars.js";
import { visit } from "../router.js";
import { text } from "../text.js";

const STORED = "setmargin.token";
const DAYS = [7, 30, 90];
const A_DAY = 86_400_000;

export async function showOwner() {
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
    const [found, known] = await Promise.all([summary(token, since), priors(token)]);
    sessionStorage.setItem(STORED, token);
    if (still()) draw(found, known, token, days);
  } catch (error) {
    if (!(error instanceof Problem) || ![401, 403].includes(error.status)) throw error;
    sessionStorage.removeItem(STORED);
    if (still()) ask(error.kind === "off" ? text.ownerOff : text.wrongToken);
  } finally {
    ready();
  }
}

function draw({ catalogues }, known, token, days) {
  const forget = () => { sessionStorage.removeItem(STORED); ask(); };
  const page = frame({ title: text.ownerTitle, kind: "owner" });
  const choice = (each, words) => h("option", { value: each ?? "", selected: each === days }, words);
  const list = h("select", { onchange: () => showSummary(token, Number(list.value) || null) },
    choice(null, text.sinceAll), DAYS.map((each) => choice(each, text.sinceDays(each))));
  page.show(
    h("header", { class: "lead" }, h("h1", null, text.ownerTitle),
      h("div", { class: "controls" }, h("label", null, h("span", null, text.since), list),
        button("quiet", forget, null, text.forget))),
    overview(catalogues), earlierPeople(known),
    catalogues.filter(({ interviews }) => interviews > 0).map(details));
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

function details({ title, name, questions, left, importance }) {
  const chart = (head, ...children) => h("div", { class: "chart" }, h("h3", null, head), ...children);
  const needed = questions.histogram.map((each) => ({ at: each.questions, count: each.count }));
  const leaving = left.map((each) => ({ at: each.answers, count: each.count }));
  return h("section", { class: "catalogue" }, h("h2", null, title || name), h("div", { class: "charts" },
    chart(text.questionsNeeded, histogram(needed, text.questionsAsked)),
    chart(text.whereLeft, histogram(leaving, text.answersGiven)),
    chart(text.importance, importanceBars(importance, (each) => each))));
}

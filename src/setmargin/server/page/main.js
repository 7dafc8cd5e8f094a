/** Which address shows what, and what happens when something goes wrong. */

import { Problem, Unreachable, trouble } from "./api.js";
import { address } from "./base.js";
import { button, h } from "./dom.js";
import { listen } from "./embedded.js";
import { footer, frame } from "./frame.js";
import { notice } from "./notices.js";
import { start } from "./router.js";
import { text } from "./text.js";
import { showFirst } from "./views/first.js";
import { showOwner } from "./views/owner.js";
import { showQuestion } from "./views/question.js";
import { showResult } from "./views/result.js";
import { showShared } from "./views/shared.js";
import { showStart } from "./views/start.js";

const ROUTES = [
  [/^\/$/, showStart],
  [/^\/c\/([^/]+)\/?$/, showFirst],
  [/^\/i\/([^/]+)\/?$/, showQuestion],
  [/^\/i\/([^/]+)\/result\/?$/, showResult],
  [/^\/r\/([^/]+)\/?$/, showShared],
  [/^\/owner\/?$/, showOwner],
  [/^/, async () => showMissing()],
];

/** A view that cannot be shown says why, and offers to try again. */
const careful = (show) => async (...parts) => {
  try {
    await show(...parts);
  } catch (error) {
    if (error instanceof Problem && error.status === 404) showMissing();
    else showFailure(error);
  }
};

function showMissing() {
  frame({ title: text.notFoundTitle, kind: "plain" }).show(
    h("h1", null, text.notFoundTitle), h("p", null, text.notFound), h("p", null, h("a", { href: address("/") }, text.home)));
}

function showFailure(error) {
  const retry = button("primary", () => location.reload(), null, text.retry);
  frame({ title: text.failedTitle, kind: "plain" }).show(
    h("h1", null, text.failedTitle), ...said(error).map((line) => h("p", null, line)), h("p", null, retry));
}

/** @param {unknown} error @returns {string[]} */
function said(error) {
  if (error instanceof Unreachable) return [text.unreachable];
  if (!(error instanceof Problem)) return [text.unexpected];
  // What often happens is said in the visitor's language; the rest as the server says it.
  const ours = text.problems[error.kind];
  return ours ? [ours] : [error.message, error.cure].filter(Boolean).map(sentence);
}

const sentence = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1).replace(/\.$/, "")}.`;

addEventListener("unhandledrejection", (event) => {
  const { reason } = event;
  const expected = reason instanceof Unreachable || reason instanceof Problem;
  if (expected) event.preventDefault();
  if (!expected) notice(text.unexpected, { alert: true, action: text.reload, onaction: () => location.reload() });
  else if (!document.querySelector(".toast .link")) notice(said(reason).join(" "), { alert: true });
});

let calm = () => {};
trouble.addEventListener("waiting", (event) => {
  calm();
  calm = notice(event.detail === "busy" ? text.busy : text.offline, { stays: true });
});
trouble.addEventListener("well", () => calm());

listen();
footer();
start(ROUTES.map(([pattern, show]) => ({ pattern, show: careful(show) })));

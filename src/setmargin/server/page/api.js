/** The public API, from the page's side: nothing here that another client could not do. */

import { address } from "./base.js";
import { noted, notedAll } from "./shop.js";
import { language } from "./text.js";

const ROOT = address("/api/v1");
const PATIENCE = [300, 700, 1500, 3000, 5000];
const LONGEST_WAIT = 10_000;
const PASSING = new Set([502, 504]);

/**
 * @typedef {{id: string, title: string | null, link: string | null, image: string | null}} Item
 * @typedef {{values: Record<string, string | number>, amounts: Record<string, number>, item?: Item | null}} Option
 * @typedef {{name: string, value: string | number | null}} KnownWish
 * @typedef {{
 *   attributes: {name: string, values: {value: string | number, amounts: Record<string, number>}[]}[], better: string[]
 * }} PossibleChanges
 * @typedef {{
 *   id: string, number: number, options: Option[], differing: string[], alike: string[],
 *   asks_for_change: boolean, besides: KnownWish[], changes: PossibleChanges[]
 * }} Question
 * @typedef {{expected_loss: number, probability_within: number, questions_left: number}} Stakes
 * @typedef {{
 *   choice?: number, ranking?: number[], equal?: true, skip?: true, because?: string[],
 *   change?: {name?: string, value?: string | number, option?: number}
 * }} Answer
 * @typedef {{
 *   number: number, question: string, options: Option[], answer: Answer, surprising: boolean, asked: boolean
 * }} AnswerGiven
 * @typedef {"better" | "same" | "little" | "less" | "much"} Fit
 * @typedef {{
 *   value: string | number, option: Option | null, changed: {name: string, before: string | number, now: string | number}[],
 *   more: Record<string, number>, loss: number, fit: Fit
 * }} Preview
 * @typedef {{
 *   name: string, kind: string, value: string | number | null, answers: number[], instead: string | number | null,
 *   quantity: string | null, by: number | null, lost: string | null
 * }} Quote
 * @typedef {{
 *   option: Option, loss: number, kind: "suggested" | "better" | "bolder" | "close", name: string | null, fit: Fit,
 *   tips: {name: string, factor: number} | null
 * }} Alternative
 * @typedef {{
 *   id: string, version: number, catalogue: {name: string, title: string}, answered: number, must_haves: string[],
 *   question: Question | null, best: Option, stakes: Stakes | null, done: boolean, finished: Option | null,
 *   can_undo: boolean, undo_of: "answer" | "must-have" | "asking-on" | "finish" | null
 * }} State
 * @typedef {{title: string | null, help: string | null, image: string | null}} Label
 * @typedef {{
 *   name: string, title?: string, unit: string | null, values: (string | number)[], numeric: boolean,
 *   help?: string | null, image?: string | null, currency?: string | null, decimals?: number | null, labels?: Label[]
 * }} Attribute
 * @typedef {{
 *   name: string, title?: string, unit: string | null, better: "lower" | "higher" | null, least: number, most: number,
 *   help?: string | null, image?: string | null, currency?: string | null, decimals?: number | null
 * }} Quantity
 * @typedef {{
 *   id: string, title: string, help: string | null, image: string | null, require: string[],
 *   matters: Record<string, number>
 * }} OpeningAnswer
 * @typedef {{id: string, title: string, help: string | null, answers: OpeningAnswer[]}} OpeningQuestion
 * @typedef {{
 *   name: string, title: string, description: string, configurations: number | null,
 *   attributes: Attribute[], quantities: Quantity[], theme?: import("./shop.js").Theme | null,
 *   action?: {text: string, link: string} | null, groups?: {title: string, members: string[]}[],
 *   opening?: OpeningQuestion[]
 * }} Catalogue
 */

/** What the server says is wrong. `kind` is the last part of its type: "conflict", "impossible", "not-found", … */
export class Problem extends Error {
  constructor(status, document = {}) {
    super(document.detail || document.title || String(status));
    this.status = status;
    this.kind = String(document.type ?? "").split("/").pop();
    this.cure = document.cure ?? "";
    /** @type {string[]} the smallest set of rules that nothing satisfies together */
    this.conflict = document.conflict ?? [];
  }
}

/** The server could not be reached, however often we tried; or the browser knows that it is offline. */
export class Unreachable extends Error {}

/** Tells "waiting" (with detail "offline" or "busy") when a try failed and another follows, and "well" after it. */
export const trouble = new EventTarget();

export const catalogues = () => request("GET", "/catalogues").then((body) => notedAll(body.catalogues));

/** The catalogue that is offered now. @param {string} name @returns {Promise<Catalogue>} */
export const catalogue = (name) => request("GET", `/catalogues/${encodeURIComponent(name)}`).then(noted);

/**
 * What must-haves leave of a catalogue; what is said of a thing does not count the must-haves about itself alone.
 * @typedef {{
 *   digest: string, configurations: number | null, attributes: {name: string, values: (string | number)[]}[],
 *   quantities: {name: string, least: number | null, most: number | null}[]
 * }} Possible
 * @param {string} name @param {string[]} rules @param {AbortSignal} signal @returns {Promise<Possible>}
 */
export const possible = (name, rules, signal) =>
  request("POST", `/catalogues/${encodeURIComponent(name)}/possible`, { body: { must_haves: rules }, signal });

/** @type {Map<string, Promise<Catalogue>>} */
const known = new Map();

/** The catalogue that an interview began with, asked for once. @param {string} id @returns {Promise<Catalogue>} */
export function catalogueOf(id) {
  if (!known.has(id)) {
    const asked = request("GET", at(id, "/catalogue"));
    known.set(id, asked);
    asked.catch(() => known.delete(id));
  }
  return /** @type {Promise<Catalogue>} */ (known.get(id)).then(noted);
}

/**
 * @param {{
 *   catalogue: string, must_haves?: string[], opening?: Record<string, string>, set_size?: number, differences?: number, policy?: string
 * }} wanted
 * @returns {Promise<State>}
 */
export const begin = (wanted) => request("POST", "/interviews", { body: wanted });

/** @param {string} id @returns {Promise<State>} */
export const interview = (id) => request("GET", at(id));
/** @param {string} id @returns {Promise<{best: Option, besides: KnownWish[], changes: PossibleChanges}>} */
export const changesOfBest = (id) => request("GET", at(id, "/changes"));
/** What each other value of an attribute would come to. @param {string} id @param {string} name */
export const previews = (id, name) => request("GET", at(id, `/previews?${new URLSearchParams({ name })}`));
/** What another answer to an earlier question would lead to. @param {AnswerGiven} given @param {Answer} answer */
export const previewAnswer = ({ number, question }, answer) => (state) =>
  send(state, undefined, "POST", `/answers/${number}/preview`, { answer, question });
/** Delete an interview with all that was shown and said, and links to its results. @param {string} id @returns {Promise<null>} */
export const forget = (id) => request("DELETE", at(id));
/** A link to the result as it is now, which lets nobody answer. @param {State} state @returns {Promise<string>} */
export const share = (state) => send(state, undefined, "POST", "/share", {}).then(({ token }) => token);
/** @param {string} token */
export const shared = async (token) => {
  const found = await request("GET", `/shared/${encodeURIComponent(token)}`);
  return { ...found, catalogue: noted(found.catalogue) };
};
export const recommendation = (id) => request("GET", at(id, "/recommendation"));
export const exportAddress = (id) => ROOT + at(id, "/export");

/**
 * A change to an interview, to be sent under a key: however often it is sent under the same key, it happens once.
 * @typedef {(state: State, key: string) => Promise<State>} Change
 */

/** To the question of the state, which is what the person was shown. @param {Answer} answer @returns {Change} */
export const answer = (answer) => (state, key) =>
  send(state, key, "POST", "/answers", { answer, question: state.question?.id });
/** @param {AnswerGiven} given what was shown and said before @param {Answer} answer @returns {Change} */
export const changeAnswer = ({ number, question }, answer) => (state, key) =>
  send(state, key, "PUT", `/answers/${number}`, { answer, question });
/** @returns {Change} */
export const askOn = () => (state, key) => send(state, key, "POST", "/ask-on", {});
/** @param {{name?: string, value?: string | number, keep?: boolean}} wish @returns {Change} */
export const adjust = (wish) => (state, key) => send(state, key, "POST", "/adjustments", wish);
/** @returns {Change} */
export const undo = () => (state, key) => send(state, key, "POST", "/undo", {});
/** @param {string} rule @returns {Change} */
export const addMustHave = (rule) => (state, key) => send(state, key, "POST", "/must-haves", { rule });
/** @param {Option | null} option null: the recommendation @returns {Change} */
export const finish = (option) => (state, key) =>
  send(state, key, "POST", "/finish", option ? { configuration: option.values } : {});

/** @param {string} rule @returns {Change} */
export const dropMustHave = (rule) => (state, key) => {
  const query = new URLSearchParams({ rule, version: String(state.version) });
  return request("DELETE", at(state.id, `/must-haves?${query}`), { key });
};

/** @param {string} token @param {string | null} since a day, as in 2026-01-31 */
export const summary = (token, since) =>
  request("GET", `/owner/summary${since ? `?${new URLSearchParams({ since })}` : ""}`, { token });

/**
 * What interviews begin with, by catalogue.
 * @typedef {{version: number, source: "learnt" | "given", people: number | null}} PriorVersion
 * @typedef {{
 *   catalogue: string, title: string, used: PriorVersion | null, summary: string[], notes: string[],
 *   finished: number, learnt_at: number | null
 * }} Prior
 * @param {string} token @returns {Promise<{learning: boolean, catalogues: Prior[]}>}
 */
export const priors = (token) => request("GET", "/owner/priors", { token });

/**
 * Every catalogue that was ever offered.
 * @typedef {{name: string, title: string, status: "offered" | "withdrawn" | "not served"}} OwnersCatalogue
 * @param {string} token @returns {Promise<{catalogues: OwnersCatalogue[]}>}
 */
export const owned = (token) => request("GET", "/owner/catalogues", { token });
/** @param {string} token @param {string} name */
export const withdraw = (token, name) => request("POST", `/owner/catalogues/${encodeURIComponent(name)}/withdraw`, { token });
/** @param {string} token @param {string} name */
export const offer = (token, name) => request("POST", `/owner/catalogues/${encodeURIComponent(name)}/offer`, { token });

/** The owner deletes an interview. @param {string} token @param {string} id @returns {Promise<null>} */
export const forgetForOwner = (token, id) => request("DELETE", `/owner${at(id)}`, { token });
/** The owner deletes those that nobody has looked at for so many days; says how many. @param {string} token @param {number} days */
export const forgetUnseen = (token, days) =>
  request("DELETE", `/owner/interviews?${new URLSearchParams({ days: String(days) })}`, { token }).then(({ interviews }) => interviews);

/** Who is told of finished interviews. @param {string} token */
export const told = (token) => request("GET", "/owner/webhooks", { token });
/** Tell them what was given up; says how much that is. @param {string} token @returns {Promise<number>} */
export const sendAgain = (token) => request("POST", "/owner/webhooks/send-again", { token }).then(({ messages }) => messages);

const at = (id, rest = "") => `/interviews/${encodeURIComponent(id)}${rest}`;

function send(state, key, method, rest, body) {
  return request(method, at(state.id, rest), { body: { version: state.version, ...body }, key });
}

/** One key for all tries of one change, so that an answer whose reply was lost is not given twice. */
export function freshKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function request(method, path, { body, key, token, signal } = {}) {
  const headers = { Accept: "application/json", "Accept-Language": language };
  if (body) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  if (token) headers.Authorization = `Bearer ${token}`;
  // What is under way arrives even if the page is closed.
  const keepalive = method !== "GET" && !signal;
  const wanted = { method, headers, body: body && JSON.stringify(body), cache: "no-store", keepalive, signal };
  for (let tries = 0; ; tries += 1) {
    const response = await fetch(ROOT + path, wanted).catch(() => null);
    signal?.throwIfAborted();
    const passing = response ? isPassing(response) : navigator.onLine;
    // What may be given up any time is not worth a wait, nor a word about it.
    if (passing && tries < PATIENCE.length && !signal) {
      trouble.dispatchEvent(new CustomEvent("waiting", { detail: response ? "busy" : "offline" }));
      await pause(wait(response, tries));
      continue;
    }
    if (tries) trouble.dispatchEvent(new Event("well"));
    if (!response) throw new Unreachable();
    return read(response);
  }
}

/** Whether it may help to ask again: the server says when, or a proxy could not reach it. */
const isPassing = ({ status, headers }) => PASSING.has(status) || headers.has("Retry-After");

async function read(response) {
  if (response.status === 204) return null;
  const document = await response.json().catch(() => null);
  if (response.ok && document !== null) return document;
  throw new Problem(response.status, document ?? {});
}

function wait(response, tries) {
  const asked = Number(response?.headers.get("Retry-After")) * 1000;
  return Math.min(LONGEST_WAIT, Math.max(asked || 0, PATIENCE[tries]));
}

const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

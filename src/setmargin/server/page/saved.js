/** Results that are kept in this browser, to be compared. */

const STORED = "setmargin.results";
const MOST = 8;

/**
 * @typedef {{id: string, version: number, catalogue: string, when: string, option: import("./api.js").Option}} Saved
 * @returns {Saved[]} the newest first
 */
export function saved() {
  try {
    const found = JSON.parse(localStorage.getItem(STORED) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/** Keep a result; one of the same version is kept once. @param {Saved} result */
export function save(result) {
  const others = saved().filter(({ id, version }) => id !== result.id || version !== result.version);
  store([result, ...others].slice(0, MOST));
}

/** @param {Saved} result */
export const drop = (result) => store(saved().filter(({ id, version }) => id !== result.id || version !== result.version));

/** Nothing of an interview that was deleted is kept. @param {string} interview */
export const dropAllOf = (interview) => store(saved().filter(({ id }) => id !== interview));

/** Whether it could be kept: some browsers keep nothing. */
function store(list) {
  try {
    localStorage.setItem(STORED, JSON.stringify(list));
  } catch {
    // There are the links.
  }
}

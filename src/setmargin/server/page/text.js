/**
 * The texts of the page in the visitor's language. Each language is one file in texts/, which the server finds; it says in
 * the index which there are, and which of them the browser asks for.
 */

const STORED = "setmargin.language";
const root = document.documentElement;

/** The codes of all languages there are. */
export const languages = (root.dataset.languages ?? root.lang).split(" ");

/** The code of the language that is shown. */
export const language = [asked(), remembered()].find((each) => languages.includes(each)) ?? root.lang;
root.lang = language;

/** @type {{text: typeof import("./texts/en.js").text}} */
export const { text } = await import(`./texts/${language}.js`);

/** What a language calls itself. @param {string} code */
export const nameOf = (code) => new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;

/** Show the page in another language from now on. @param {string} code */
export function speak(code) {
  try {
    localStorage.setItem(STORED, code);
  } catch {
    // A browser that keeps nothing is asked by the address.
  }
  const address = new URL(location.href);
  address.searchParams.delete("language");
  if (remembered() !== code) address.searchParams.set("language", code);
  location.replace(address);
}

/** What the address says: `/c/bicycle?language=de`. */
function asked() {
  return new URLSearchParams(location.search).get("language");
}

function remembered() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

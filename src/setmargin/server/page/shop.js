/** Whose page it is: the theme of the catalogue that was read last, or of all that are offered if they share one. */

/** @typedef {Record<string, string>} Colours by the names of CSS variables */
/** @typedef {{name: string | null, logo: string | null, light: Colours, dark: Colours}} Theme */

/** @type {Theme | null} */
let theme = null;

/** Keep in mind whose catalogue it is. @template {{theme?: Theme | null}} T @param {T} about @returns {T} */
export function noted(about) {
  theme = about.theme ?? null;
  return about;
}

/** What follows is about no shop in particular. */
export function notedNone() {
  theme = null;
}

/** The same for all that are offered. @template {{theme?: Theme | null}[]} T @param {T} cards @returns {T} */
export function notedAll(cards) {
  const [first, ...others] = cards.map((card) => card.theme ?? null);
  theme = others.every((each) => each?.name === first?.name) ? first ?? null : null;
  return cards;
}

/** The shop's name, or null. */
export const shopName = () => theme?.name ?? null;
/** The address of the shop's logo, or null. */
export const shopLogo = () => theme?.logo ?? null;

/** Put on the shop's colours: the style sheet has a place for each, in light and in dark. */
export function wearColours() {
  const { style } = document.documentElement;
  const worn = Array.from(style).filter((name) => name.startsWith("--shop-"));
  worn.forEach((name) => style.removeProperty(name));
  for (const scheme of /** @type {const} */ (["light", "dark"])) {
    const colours = Object.entries(theme?.[scheme] ?? {});
    colours.forEach(([name, colour]) => style.setProperty(`--shop-${scheme}-${name}`, colour));
  }
}

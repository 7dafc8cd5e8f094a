/** Where the page is: at the top of its site, or below a path. */

/** That path, such as `/configure`; empty at the top. */
export const BASE = new URL("..", import.meta.url).pathname.slice(0, -1);

/** The address of a view or a file of the page. @param {string} path */
export const address = (path) => BASE + path;

/** The path of a view, wherever the page is. @param {string} path as in `location.pathname` */
export const inside = (path) => path.slice(BASE.length) || "/";

/** Where a catalogue is begun with. @param {string} name */
export const catalogueAt = (name) => address(`/c/${encodeURIComponent(name)}`);
/** Where an interview goes on. @param {string} id */
export const questionAt = (id) => address(`/i/${encodeURIComponent(id)}`);
/** What it has come to. @param {string} id */
export const resultAt = (id) => `${questionAt(id)}/result`;

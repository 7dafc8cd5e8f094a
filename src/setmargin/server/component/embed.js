/**
 * Puts an interview on any page that the server allows (`setmargin serve --allowed-origin https://shop.example`):
 *
 *   <script src="https://configure.example/embed.js"></script>
 *   <setmargin-interview catalogue="bicycle" language="de" theme="dark" height="auto"></setmargin-interview>
 *
 * It shows the page in a frame. What happens there are events of the element, which bubble: `setmargin-started`,
 * `setmargin-answered`, `setmargin-finished` and `setmargin-reopened`. docs/embedding.md tells of all attributes.
 */
(() => {
  const NAME = "setmargin-interview";
  const EVENTS = ["started", "answered", "finished", "reopened"];
  /** What is shown; another value of one of these begins anew. */
  const SHOWN = ["server", "catalogue", "interview", "require", "return"];
  const LOOKS = ["language", "theme", "width", "height", "label"];
  const USUAL = { width: "100%", height: "45rem" };
  const LEAST_HEIGHT = 200;
  const script = /** @type {HTMLScriptElement | null} */ (document.currentScript);
  const home = script && new URL(".", script.src).href;

  class SetmarginInterview extends HTMLElement {
    static observedAttributes = [...SHOWN, ...LOOKS];

    #frame = document.createElement("iframe");
    #style = new CSSStyleSheet();
    #heard = (/** @type {MessageEvent} */ event) => this.#hear(event);
    #content = 0;
    #planned = false;

    constructor() {
      super();
      const inside = this.attachShadow({ mode: "open" });
      inside.adoptedStyleSheets = [this.#style];
      inside.append(this.#frame);
      this.#frame.allow = "clipboard-write";
    }

    connectedCallback() {
      addEventListener("message", this.#heard);
      this.#size();
      this.#show();
    }

    disconnectedCallback() {
      removeEventListener("message", this.#heard);
    }

    attributeChangedCallback(name, before, now) {
      if (!this.isConnected || before === now) return;
      if (LOOKS.includes(name)) {
        this.#size();
        this.#look();
      } else if (!this.#planned) {
        // Several attributes that change together begin anew once.
        this.#planned = true;
        queueMicrotask(() => { this.#planned = false; if (this.isConnected) this.#show(); });
      }
    }

    /** The address of the server, without which nothing can be shown. @returns {URL} */
    get #server() {
      const given = this.getAttribute("server") ?? home;
      if (!given) throw new Error(`${NAME}: give the attribute server, the address of setmargin`);
      return new URL(given.endsWith("/") ? given : `${given}/`, document.baseURI);
    }

    get #grows() {
      return this.getAttribute("height") === "auto";
    }

    #show() {
      const [catalogue, interview] = [this.getAttribute("catalogue"), this.getAttribute("interview")];
      const path = interview ? `i/${encodeURIComponent(interview)}` : catalogue ? `c/${encodeURIComponent(catalogue)}` : "";
      const address = new URL(path, this.#server);
      const rules = (this.getAttribute("require") ?? "").split(/[;\n]/).map((rule) => rule.trim()).filter(Boolean);
      rules.forEach((rule) => address.searchParams.append("require", rule));
      for (const name of ["language", "theme", "return"]) {
        const given = this.getAttribute(name);
        // An address on this site may go without its beginning.
        if (given) address.searchParams.set(name, name === "return" && given.startsWith("/") ? location.origin + given : given);
      }
      this.#content = 0;
      this.#frame.src = address.href;
    }

    #size() {
      const length = (name) => {
        const given = this.getAttribute(name)?.trim() || USUAL[name];
        return /^\d+(\.\d+)?$/.test(given) ? `${given}px` : given;
      };
      const height = this.#grows ? `${Math.max(this.#content, LEAST_HEIGHT)}px` : length("height");
      this.#style.replaceSync(":host { display: block; } iframe { display: block; width: 100%; height: 100%; border: 0; }");
      const own = /** @type {CSSStyleRule} */ (this.#style.cssRules[0]).style;
      own.setProperty("width", length("width"));
      own.setProperty("height", height);
      this.#frame.title = this.getAttribute("label") ?? "setmargin";
    }

    /** Tell the page how to look. */
    #look() {
      const [language, theme] = [this.getAttribute("language"), this.getAttribute("theme")];
      const look = { setmargin: "look", language, theme, grows: this.#grows };
      this.#frame.contentWindow?.postMessage(look, this.#server.origin);
    }

    #hear({ source, origin, data }) {
      if (source !== this.#frame.contentWindow || origin !== this.#server.origin) return;
      if (data?.setmargin === "ready") this.#look();
      else if (data?.setmargin === "height" && this.#grows) {
        this.#content = Number(data.height) || 0;
        this.#size();
      } else if (data?.setmargin === "top" && this.getBoundingClientRect().top < 0) {
        this.scrollIntoView({ block: "start" });
      } else if (EVENTS.includes(data?.setmargin)) {
        const { detail } = data;
        this.dispatchEvent(new CustomEvent(`setmargin-${data.setmargin}`, { detail, bubbles: true, composed: true }));
      }
    }
  }

  if (!customElements.get(NAME)) customElements.define(NAME, SetmarginInterview);
})();

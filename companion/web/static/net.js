// Talking to the companion.

export const me = { role: "viewer", csrf: "", language: "en", words: {} };
const CHOSEN = "language";

export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español", fr: "Français" };

// Until another one is chosen, the phone's; "" is the display's.
export const ownLanguage = () => {
  const phones = navigator.language.slice(0, 2);
  return localStorage.getItem(CHOSEN) ?? (phones in LANGUAGES ? phones : "");
};
export const setOwnLanguage = (code) => localStorage.setItem(CHOSEN, code);
const inLanguage = (path) => `${path}${path.includes("?") ? "&" : "?"}lang=${ownLanguage()}`;

export class Failed extends Error {
  constructor(status, data) {
    super(data.error ?? String(status));
    this.status = status;
    this.data = data;
  }
}

async function answered(answer) {
  const data = await answer.json().catch(() => ({}));
  if (answer.status === 401) location.replace("/");
  if (!answer.ok) throw new Failed(answer.status, data);
  return data;
}

export const get = async (path) => answered(await fetch(inLanguage(path)));
export const post = async (path, data = {}) =>
  answered(await fetch(inLanguage(path), {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF": me.csrf },
    body: JSON.stringify(data),
  }));

export async function introduce() {
  Object.assign(me, await get("/api/me"));
  document.documentElement.lang = me.language;
}

// Words: English as written in the scripts, looked up in the catalogue of the display's language.
export function t(text, values = {}) {
  const words = me.words[text] ?? text;
  return words.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "?");
}

// The stream of events, open only while somebody looks.
export class Events extends EventTarget {
  #source = null;
  last = {};

  open() {
    this.close();
    this.#source = new EventSource(inLanguage("/events"));
    for (const name of ["game", "table", "screen"]) {
      this.#source.addEventListener(name, (event) => {
        this.last[name] = JSON.parse(event.data);
        this.dispatchEvent(new CustomEvent(name, { detail: this.last[name] }));
      });
    }
    this.#source.onopen = () => this.dispatchEvent(new Event("here"));
    this.#source.onerror = () => {
      this.dispatchEvent(new Event("lost"));
      if (this.#source?.readyState === EventSource.CLOSED) get("/api/me").catch(() => setTimeout(() => this.open(), 3000));
    };
  }

  close() {
    this.#source?.close();
    this.#source = null;
  }
}

export const events = new Events();

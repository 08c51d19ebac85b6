// Making elements. Texts are always set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" && "value" in element) element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

export const h = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);
export const s = (tag, attributes, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);
// A number as it is written in the page's language.
export const number = (value, digits) =>
  value.toLocaleString(document.documentElement.lang, { minimumFractionDigits: digits, maximumFractionDigits: digits });
export const byId = (id) => document.getElementById(id);

const ICONS = {
  table: "M4 5h16v11H4zM8 20h8M12 16v4",
  games: "M6 4h12v16l-6-4-6 4z",
  calibrate: "M12 3v4M12 17v4M3 12h4M17 12h4M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8z",
  settings: "M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4",
  up: "M6 15l6-6 6 6",
  down: "M6 9l6 6 6-6",
  back: "M15 6l-6 6 6 6",
  ok: "M5 13l5 5 9-11",
  undo: "M9 14l-4-4 4-4M5 10h9a5 5 0 0 1 0 10h-3",
  menu: "M4 7h16M4 12h16M4 17h16",
  pen: "M5 19l1-4L16 5l3 3L9 18z",
  note: "M5 5h14v11H11l-4 4v-4H5z",
};

export function icon(name) {
  const path = s("path", {
    d: ICONS[name], fill: "none", stroke: "currentColor", "stroke-width": 2,
    "stroke-linecap": "round", "stroke-linejoin": "round",
  });
  return s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, path);
}

// One stop of the Tab key for many things: arrows go from one to the next.
export function roving(container) {
  const items = () => [...container.querySelectorAll("[data-rove]")];
  container.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const all = items();
    const at = all.indexOf(document.activeElement);
    if (at < 0) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      all[at].dispatchEvent(new MouseEvent("click", { bubbles: true }));
    } else if (step) {
      event.preventDefault();
      const next = all[(at + step + all.length) % all.length];
      all.forEach((item) => item.setAttribute("tabindex", item === next ? 0 : -1));
      next.focus();
    }
  });
}

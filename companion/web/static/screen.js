// The small display as it is, and its four buttons.

import { h, icon } from "./dom.js";
import { events, me, post, t } from "./net.js";
import { attempt } from "./sheet.js";

const HOLD_MS = { ok: 1000, back: 2000 };

export class Screen {
  #canvas = h("canvas", { width: 128, height: 64, role: "img" });
  #words = h("p", { class: "screen-words visually-hidden", "aria-live": "polite" });

  constructor() {
    const buttons = [["back", t("Back")], ["up", t("Up")], ["down", t("Down")], ["ok", t("OK")]];
    this.element = h("div", {},
      h("div", { class: "oled" }, this.#canvas), this.#words,
      me.role === "player" && h("div", { class: "buttons", role: "group", "aria-label": t("The four buttons") },
        buttons.map(([name, label]) => pushButton(name, label))),
      me.role === "player" && h("div", { class: "more" },
        h("button", { class: "quiet", onclick: () => press("ok", "hold") }, icon("menu"), t("Menu")),
        h("button", { class: "quiet", onclick: () => attempt(() => post("/api/undo")) }, icon("undo"), t("Take back"))));
  }

  show({ size: [width, height], bits }) {
    const bytes = Uint8Array.from(atob(bits), (c) => c.charCodeAt(0));
    const stride = Math.ceil(width / 8);
    Object.assign(this.#canvas, { width, height });
    const context = this.#canvas.getContext("2d");
    const image = context.createImageData(width, height);
    const [r, g, b] = [226, 240, 255];
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const lit = bytes[y * stride + (x >> 3)] & (0x80 >> (x & 7));
        image.data.set(lit ? [r, g, b, 255] : [8, 10, 14, 255], 4 * (y * width + x));
      }
    }
    context.putImageData(image, 0, 0);
  }

  describe(view) {
    const choices = view.choices.map((choice, i) => (i === view.chosen ? `> ${choice}` : choice));
    const words = [view.title, view.big, ...view.lines, ...choices].filter(Boolean).join(". ");
    if (this.#words.textContent === words) return;
    this.#words.textContent = words;
    this.#canvas.setAttribute("aria-label", t("The display: {words}", { words }));
  }
}

const press = (button, action = "press") => attempt(() => post("/api/press", { button, action }));

// As on the device: let go to press, or hold for the menu (ok) and to take back (back).
function pushButton(name, label) {
  let timer = 0;
  let held = false;
  const down = () => {
    held = false;
    if (HOLD_MS[name]) {
      timer = setTimeout(() => {
        held = true;
        if (name === "back" && !events.last.game?.guided) attempt(() => post("/api/undo"));
        else press(name, "hold");
      }, HOLD_MS[name]);
    }
  };
  const up = () => clearTimeout(timer);
  const hint = { ok: t("hold: menu"), back: t("hold: take back") }[name];
  return h("button", {
    class: `push ${name}`, "data-button": name, title: hint ?? null,
    onpointerdown: down, onpointerup: up, onpointerleave: up, onpointercancel: up,
    oncontextmenu: (event) => event.preventDefault(),
    onclick: () => {
      if (!held) press(name);
      held = false;
    },
  }, icon(name), h("span", {}, label));
}

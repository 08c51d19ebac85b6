// The camera's picture, and drawn over it what is read: each thing can be tapped.

import { h, roving, s } from "./dom.js";
import { events, me, t } from "./net.js";
import { stateName } from "./drawing.js";

const RETRY_MS = 2000;
const LEAST_BOXES = 3; // of dice or cards, before the picture follows them

export class CameraView {
  #image = h("img", { alt: t("The table, live"), class: "live" });
  #overlay = s("svg", { class: "overlay", role: "group", "aria-label": t("What the camera reads") });
  #say = h("p", { class: "say", role: "status" });
  #tap;
  #shown = "";
  #running = false;
  #retry = 0;
  #inner;
  #closer;
  #crop = null; // of the picture, px: what lies on the table
  #near = true;
  #table = null;
  #missing; // a button: something that is not seen
  #pointing = false; // the next tap on the picture says where it lies
  #cross = h("div", { class: "cross", hidden: true }); // moved by the arrow keys, for those who can't tap
  #crossAt = [50, 50]; // in % of the picture

  constructor(tap) {
    this.#tap = tap;
    this.#image.onerror = () => {
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.#running && this.#load(), RETRY_MS);
    };
    this.#inner = h("div", { class: "inner" }, this.#image, this.#overlay, this.#cross);
    this.frame = h("div", { class: "frame", hidden: true }, this.#inner);
    this.#closer = h("button", { class: "quiet", onclick: () => this.#toggle() }, t("Whole picture"));
    this.#missing = h("button", { class: "quiet", "aria-pressed": "false", hidden: true, onclick: () => this.#point(!this.#pointing) }, t("Something is missing"));
    this.#missing.addEventListener("keydown", (event) => this.#keyed(event));
    this.#overlay.addEventListener("click", (event) => this.#pointed(event), true);
    this.element = h("section", { class: "card camera" },
      h("div", { class: "card-head" }, h("h2", {}, t("The camera sees")), this.#closer), this.frame, this.#say, this.#missing);
    roving(this.#overlay);
  }

  start() {
    this.#running = true;
    if (!this.frame.hidden) this.#load();
  }

  stop() {
    this.#running = false;
    this.#image.removeAttribute("src");
  }

  #load() {
    this.#image.src = `/live.mjpg?at=${Date.now()}`;
  }

  show(table) {
    const had = !this.frame.hidden;
    this.frame.hidden = !table.size;
    const eyes = events.last.game?.game?.eyes;
    this.#missing.hidden = me.role !== "player" || !table.size || !table.settled || table.guided || !["dice", "cards"].includes(eyes);
    if (this.#missing.hidden && this.#pointing) this.#point(false);
    this.#say.textContent = this.#pointing ? t("Tap the picture where it lies.") : words(table);
    if (!table.size) return this.stopPicture();
    if (this.#running && !had) this.#load();
    const text = JSON.stringify(table);
    if (text === this.#shown) return undefined;
    this.#shown = text;
    const [width, height] = table.size;
    this.#table = table;
    this.#fit();
    this.#overlay.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#overlay.classList.toggle("stale", !table.settled && !table.guided);
    const focused = document.activeElement?.getAttribute("data-rove");
    this.#overlay.replaceChildren(hatch(width),
      ...table.spaces.map((space) => this.#space(space)),
      ...table.cutters.map((cutter) => this.#cutter(cutter, table, width)),
      ...(me.role === "player" ? this.#bareSides(table, width) : []),
      ...table.dice.map((die) => this.#piece("die", die, width)),
      ...table.cards.map((card) => this.#piece("card", card, width)));
    const all = [...this.#overlay.querySelectorAll("[data-rove]")];
    const same = all.find((item) => item.getAttribute("data-rove") === focused);
    (same ?? all[0])?.setAttribute("tabindex", 0);
    same?.focus();
    return undefined;
  }

  #toggle() {
    this.#near = !this.#near;
    this.#closer.textContent = this.#near ? t("Whole picture") : t("Closer");
    this.#shown = "";
    this.show(this.#table); // names are as large on the phone as before
  }

  #shownPart(width) {
    return this.#near && this.#crop ? this.#crop : { x: 0, width };
  }

  // Shows the part of the picture that matters as large as the phone allows.
  #fit() {
    this.#crop = this.#table.guided ? null : cropOf(this.#table, this.#crop);
    this.#closer.hidden = !this.#crop;
    showPart(this.frame, this.#inner, this.#table.size, this.#near ? this.#crop : null);
  }

  stopPicture() {
    this.#image.removeAttribute("src");
    this.#shown = "";
  }

  #tappable(name, label, act) {
    return me.role === "player"
      ? { "data-rove": name, role: "button", tabindex: -1, "aria-label": label, onclick: act }
      : { role: "img", "aria-label": label };
  }

  // The ring is closed as far as the camera is sure.
  #space(space) {
    const [a, b, c, d, x, y] = space.at;
    const sure = Math.round(space.confidence * 100);
    const label = space.said
      ? t("{space}: {what}, as you said", { space: space.id, what: stateName(space.state) })
      : t("{space}: {what} ({sure} %)", { space: space.id, what: stateName(space.state), sure });
    const ring = (kind, more) => s("circle", {
      r: 0.86, class: kind, transform: `matrix(${a} ${b} ${c} ${d} ${x} ${y}) rotate(-90)`, ...more,
    });
    return s("g", { class: `space ${space.state ?? "unsure"} ${space.said ? "said" : ""}`, "data-space": space.id, ...this.#tappable(`space ${space.id}`, label, () => this.#tap.onSpace(space)) },
      s("title", {}, label),
      ring("hit", {}),
      ring("edge", {}),
      ring("sure", { pathLength: 100, "stroke-dasharray": space.said ? null : `${Math.max(sure, 4)} 100` }));
  }

  #cutter(cutter, table, width) {
    const radius = width / 42;
    if (!cutter.ends) { // a stick lies there, but on which line?
      const [x, y] = table.sides[cutter.side].at;
      const unsure = t("Stick on side {side}: unsure", { side: cutter.side });
      return s("g", { class: "cutter unsure", ...this.#tappable(`cutter ${cutter.side}`, unsure, () => this.#tap.onPiece("cutter", cutter, table)) },
        s("title", {}, unsure),
        s("circle", { cx: x, cy: y, r: radius * 1.7, class: "hit" }),
        s("circle", { cx: x, cy: y, r: radius * 1.2 }),
        s("text", { x, y, dy: "0.36em", "font-size": radius * 1.5 }, "?"));
    }
    const [x1, y1, x2, y2] = cutter.ends;
    const stick = t("Stick on line {number}: {colour}", { number: cutter.number, colour: stateName(cutter.colour) });
    const label = cutter.said ? t("{what}, as you said", { what: stick }) : stick;
    return s("g", { class: `cutter ${cutter.colour ?? "unsure"}`, ...this.#tappable(`cutter ${cutter.side}`, label, () => this.#tap.onPiece("cutter", cutter, table)) },
      s("title", {}, label),
      s("line", { x1, y1, x2, y2, "stroke-width": width / 130 }),
      s("line", { x1, y1, x2, y2, class: "hit", "stroke-width": width / 30 }),
      s("circle", { cx: x1, cy: y1, r: radius }),
      s("text", { x: x1, y: y1, dy: "0.36em", "font-size": radius * 1.35 }, cutter.number));
  }

  // Sides on which no stick is seen: tapped when one lies there all the same.
  #bareSides(table, width) {
    const radius = width / 52;
    const seen = new Set(table.cutters.map((cutter) => String(cutter.side)));
    return Object.entries(table.sides).filter(([side]) => !seen.has(side)).map(([side, { at: [x, y] }]) => {
      const label = t("No stick on side {side}", { side });
      return s("g", { class: "cutter bare", "data-side": side, ...this.#tappable(`cutter ${side}`, label, () => this.#tap.onPiece("cutter", { side: Number(side), number: null, colour: null, missing: true }, table)) },
        s("title", {}, label),
        s("circle", { cx: x, cy: y, r: radius * 1.8, class: "hit" }),
        s("circle", { cx: x, cy: y, r: radius }),
        s("text", { x, y, dy: "0.36em", "font-size": radius * 1.6 }, "+"));
    });
  }

  #point(on) {
    this.#pointing = on;
    this.#cross.hidden = true;
    this.#missing.setAttribute("aria-pressed", String(on));
    this.#say.textContent = on ? t("Tap the picture where it lies.") : words(this.#table);
  }

  // A tap says where a die or card lies that is not seen: it is as large as the others.
  #pointed(event) {
    if (!this.#pointing || !event.detail) return; // not by a key
    event.stopPropagation();
    const frame = this.#overlay.getBoundingClientRect();
    this.#lies((event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height);
  }

  // Arrow keys move a cross over the picture, enter says that it lies there.
  #keyed(event) {
    const step = { ArrowLeft: [-2, 0], ArrowRight: [2, 0], ArrowUp: [0, -2], ArrowDown: [0, 2] }[event.key];
    if (!this.#pointing || event.repeat && !step) return;
    if (step) {
      this.#crossAt = this.#crossAt.map((at, i) => Math.min(98, Math.max(2, at + step[i])));
      [this.#cross.style.left, this.#cross.style.top] = this.#crossAt.map((at) => `${at}%`);
      this.#cross.hidden = false;
    } else if (event.key === "Enter" && !this.#cross.hidden) {
      this.#lies(...this.#crossAt.map((at) => at / 100));
    } else if (event.key === "Escape") {
      this.#point(false);
    } else {
      return;
    }
    event.preventDefault();
  }

  // Where it lies, in shares of the picture.
  #lies(across, down) {
    this.#point(false);
    const kind = events.last.game?.game?.eyes === "cards" ? "card" : "die";
    const [width, height] = this.#table.size;
    const sizes = (kind === "card" ? this.#table.cards : this.#table.dice).map(({ box }) => [box[2], box[3]]);
    const middle = (i, otherwise) => sizes.map((size) => size[i]).sort((a, b) => a - b)[sizes.length >> 1] ?? Math.round(otherwise);
    const [w, tall] = kind === "card" ? [middle(0, width / 8), middle(1, width / 6)] : [middle(0, width / 20), middle(1, width / 20)];
    const [x, y] = [across * width, down * height];
    this.#tap.onPiece(kind, { box: [Math.round(x - w / 2), Math.round(y - tall / 2), w, tall], value: null, missing: true });
  }

  #piece(kind, piece, width) {
    const [x, y, w, height] = piece.box;
    const { x: left, width: shown } = this.#shownPart(width);
    const value = piece.value === null ? "?" : nameOf(kind, piece.value);
    const sure = Math.round(piece.confidence * 100);
    const label = piece.said
      ? t("{what}, as you said", { what: value })
      : kind === "die"
        ? t("Die: {value} ({sure} %)", { value, sure })
        : t("Card: {value} ({sure} %)", { value, sure });
    const size = shown / 28;
    const middle = x + w / 2;
    const anchor = middle - left < shown * 0.12 ? "start" : left + shown - middle < shown * 0.12 ? "end" : "middle";
    const at = { start: x, middle, end: x + w }[anchor]; // a long name stays in the picture
    return s("g", { class: `piece ${piece.value === null ? "unsure" : ""} ${piece.said ? "said" : ""}`, ...this.#tappable(`${kind} ${piece.box}`, label, () => this.#tap.onPiece(kind, piece)) },
      s("title", {}, label),
      s("rect", { x, y, width: w, height, rx: shown / 160, "stroke-width": shown / 320 }),
      s("text", { x: at, y: y - size * 0.25, "font-size": size, "text-anchor": anchor }, value));
  }
}

// As the players call it: "blue 13", not "b13".
function nameOf(kind, value) {
  const choices = events.last.game?.game?.choices[kind] ?? [];
  return choices.find((choice) => choice.value === value)?.name ?? String(value);
}

// Shows a part of a picture (px of it; null: all) as wide as the frame around it.
export function showPart(frame, inner, [width, height], part) {
  const { x, y, width: w, height: tall } = part ?? { x: 0, y: 0, width, height };
  frame.style.aspectRatio = `${w} / ${tall}`;
  inner.style.width = `${(100 * width) / w}%`;
  inner.style.height = `${(100 * height) / tall}%`;
  inner.style.left = `${(-100 * x) / w}%`;
  inner.style.top = `${(-100 * y) / tall}%`;
}

// The part of a picture that holds boxes (left, top, right, bottom), a margin beside; the one before as long as it fits.
export function around(boxes, [width, height], before = null) {
  const [x1, y1] = [0, 1].map((i) => Math.min(...boxes.map((box) => box[i])));
  const [x2, y2] = [2, 3].map((i) => Math.max(...boxes.map((box) => box[i])));
  if (before && x1 >= before.x && y1 >= before.y && x2 <= before.x + before.width && y2 <= before.y + before.height) return before;
  const margin = 0.13 * Math.max(x2 - x1, y2 - y1);
  const x = Math.max(0, x1 - margin);
  const y = Math.max(0, y1 - margin);
  return { x, y, width: Math.min(width, x2 + margin) - x, height: Math.min(height, y2 + margin) - y };
}

function cropOf(table, before) {
  const sides = ([x, y, width, height]) => [x, y, x + width, y + height];
  const boxes = [
    ...table.spaces.map(({ at: [a, b, c, d, x, y] }) => [x - Math.hypot(a, c), y - Math.hypot(b, d), x + Math.hypot(a, c), y + Math.hypot(b, d)]),
    ...table.dice.map((die) => sides(die.box)),
    ...table.cards.map((card) => sides(card.box)),
    ...Object.values(table.sides).map(({ at: [x, y] }) => [x, y, x, y]),
  ];
  return boxes.length < LEAST_BOXES ? before : around(boxes, table.size, before);
}

// What the picture can't say: why nothing is taken over now.
function words(table) {
  if (!table.size) return t("There is no picture. The game goes on with the buttons.");
  if (table.guided) return "";
  if (table.hand) return t("A hand is over the table: I wait.");
  if (!table.spaces.length && !table.dice.length && !table.cards.length) return "";
  if (!table.settled) return t("Something moves: I wait until it lies still.");
  return me.role === "player" ? t("Is something read wrongly? Tap it.") : "";
}

function hatch(width) {
  const step = width / 90;
  return s("defs", {}, s("pattern", { id: "hatch", width: step, height: step, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    s("line", { x1: 0, y1: 0, x2: 0, y2: step, class: "hatch", "stroke-width": step * 0.9 })));
}

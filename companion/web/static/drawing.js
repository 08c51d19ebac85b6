// The games' own drawings: boards, dice, sheets. Colours are never the only difference: every thing bears its name.

import { h, s } from "./dom.js";
import { t } from "./net.js";

const PIPS = { 1: "4", 2: "26", 3: "246", 4: "0268", 5: "02468", 6: "035682" };

export const stateName = (state) =>
  ({ red: t("red"), green: t("green"), white: t("white"), empty: t("empty") })[state] ?? t("unsure");

export function drawPicture(picture, onTap) {
  if (!picture) return null;
  if (picture.kind === "board") return drawBoard(picture, onTap);
  if (picture.kind === "dice") return h("div", { class: "dice", role: "img", "aria-label": diceLabel(picture.values) }, picture.values.map((v, i) => drawDie(v, picture.blink.includes(i))));
  if (picture.kind === "grid") return drawGrid(picture);
  if (picture.kind === "plot") return drawPlot(picture);
  if (picture.kind === "trick") return drawTrick(picture);
  return null;
}

function drawBoard(board, onTap) {
  const marks = board.marks.map((mark) => {
    const differs = mark.seen !== null;
    const label = differs
      ? t("{space}: should be {should}, I see {seen}", { space: mark.id, should: stateName(mark.state), seen: stateName(mark.seen) })
      : `${mark.id}: ${stateName(mark.state)}`;
    const tap = onTap && mark.id ? { "data-rove": mark.id, role: "button", tabindex: -1, onclick: () => onTap(mark) } : {};
    const group = s("g", { class: `mark ${mark.state ?? "unsure"}`, "data-space": mark.id, "aria-label": label, ...tap },
      s("title", {}, label),
      s("circle", { cx: mark.x, cy: mark.y, r: board.radius * 0.86 }),
      mark.state === "empty" && mark.id && s("text", { x: mark.x, y: mark.y, dy: "0.35em", class: "name" }, mark.id));
    if (mark.blink) group.append(s("circle", { cx: mark.x, cy: mark.y, r: board.radius, class: "blink" }));
    return group;
  });
  const first = marks.find((mark) => mark.hasAttribute("data-rove"));
  first?.setAttribute("tabindex", 0);
  const sticks = board.sticks.map((stick) => {
    const [x1, y1, x2, y2] = stick.ends;
    return s("line", { x1, y1, x2, y2, class: `stick ${stick.colour}` });
  });
  return s("svg", { class: "board", viewBox: "-1.16 -1.16 2.32 2.32", role: "group", "aria-label": t("The board as the game has it") },
    s("clipPath", { id: "plate" }, s("circle", { r: 1.12 })),
    s("circle", { r: 1.12, class: "plate" }), marks, s("g", { "clip-path": "url(#plate)" }, sticks));
}

const diceLabel = (values) => values.map((v) => (v === null ? t("unsure") : faceName(v))).join(", ");
export const faceName = (value) =>
  ({ blue: t("blue"), red: t("red"), yellow: t("yellow"), green: t("green"), wizard: t("wizard"), jester: t("jester") })[value] ?? String(value);

function drawDie(value, blink) {
  const pips = typeof value === "number" ? [...(PIPS[value] ?? "")].map(Number) : null;
  const face = s("svg", { viewBox: "0 0 36 36", class: `die ${typeof value === "string" ? value : ""} ${blink ? "blink-die" : ""}` },
    s("rect", { x: 1.5, y: 1.5, width: 33, height: 33, rx: 7 }));
  if (pips) pips.forEach((at) => face.append(s("circle", { cx: 9 + (at % 3) * 9, cy: 9 + Math.floor(at / 3) * 9, r: 3.2 })));
  else face.append(s("text", { x: 18, y: 18, dy: "0.36em" }, value === null ? "?" : faceName(value).slice(0, 2)));
  return face;
}

function drawGrid(grid) {
  const marked = new Set(grid.blink.map(([row, column]) => `${row},${column}`));
  return h("div", { class: "scroll" }, h("table", { class: "grid" },
    h("tbody", {}, grid.rows.map((row, i) => h("tr", {},
      h("th", { scope: "row", class: `face ${grid.labels[i]}` }, faceName(grid.labels[i])),
      row.map((entry, j) => h("td", { class: marked.has(`${i},${j}`) ? "marked" : "" }, entry)))))));
}

// The cards on the table in the order of play.
function drawTrick({ cards }) {
  return h("ol", { class: "trick" }, cards.map((card) => h("li", {},
    h("div", { class: `laid ${card.colour ?? "plain"}` },
      h("strong", { class: card.face.length > 2 ? "word" : "" }, card.face),
      card.colour_name && h("span", {}, card.colour_name)),
    h("span", { class: "who" }, card.player),
    card.leads && h("small", {}, t("leads")))));
}

// Scores over the rounds: a line for each player, the one it is about bold.
function drawPlot({ curves, bold }) {
  const all = curves.flat();
  const [low, high] = [Math.min(0, ...all), Math.max(1, ...all)];
  const last = Math.max(1, ...curves.map((curve) => curve.length - 1));
  const at = (score, round) => `${((100 * round) / last).toFixed(1)},${(50 - (50 * (score - low)) / (high - low)).toFixed(1)}`;
  return s("svg", { class: "plot", viewBox: "-2 -3 104 56", role: "img", "aria-label": t("Points, round by round: {points}", { points: curves[bold]?.join(", ") ?? "" }) },
    s("line", { x1: 0, x2: 100, y1: 50 + (50 * low) / (high - low), y2: 50 + (50 * low) / (high - low), class: "zero" }),
    curves.map((curve, i) => s("polyline", { points: curve.map(at).join(" "), class: i === bold ? "bold" : "" })));
}

export function drawView(view) {
  return h("section", { class: `view ${view.tone}` },
    view.title && h("h3", {}, view.title),
    view.big && h("p", { class: "big" }, view.big),
    view.lines.map((line) => {
      const [, name, value] = /^(.*): (.*)$/.exec(line) ?? [];
      return name === undefined ? h("p", {}, line) : h("p", { class: "row" }, h("span", {}, name), h("strong", {}, value));
    }),
    drawPicture(view.picture));
}

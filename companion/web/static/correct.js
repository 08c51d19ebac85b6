// Saying what lies on the table, against what the camera reads.

import { h } from "./dom.js";
import { events, post, t } from "./net.js";
import { stateName } from "./drawing.js";
import { attempt, closeSheet, openSheet } from "./sheet.js";

const choicesFor = (kind) => events.last.game?.game?.choices[kind] ?? [];

const say = async (data) => {
  if (await attempt(() => post("/api/overrule", data))) closeSheet();
};

function picks(options, chosen, pick) {
  return h("div", { class: "picks" }, options.map(({ value, name }) =>
    h("button", { class: `pick ${value}`, "aria-pressed": String(value === chosen), onclick: () => pick(value) },
      h("span", { class: "dot", "aria-hidden": "true" }), name)));
}

export function askSpace(space) {
  const read = space.said
    ? t("You said: {what}.", { what: stateName(space.state) })
    : space.confidence === undefined
      ? null
      : t("I read: {what} ({sure} %).", { what: stateName(space.state), sure: Math.round(space.confidence * 100) });
  openSheet(t("What lies on {space}?", { space: space.id }),
    read && h("p", {}, read),
    picks(choicesFor("space"), space.seen ?? space.state, (value) => say({ kind: "space", id: space.id, value })),
    h("p", { class: "hint" }, t("Your word counts until something changes there.")));
}

export function askPiece(kind, piece, table) {
  if (kind === "cutter") {
    const numbers = table.sides[piece.side].numbers.map((number) => ({ value: number, name: String(number) }));
    const colours = ["red", "green", "white"].map((value) => ({ value, name: stateName(value) }));
    let { colour } = piece; // of a stick whose colour is not known it must be said first
    const pickColour = (value) => {
      colour = value;
      for (const button of colourPicks.children) button.setAttribute("aria-pressed", String(button.classList.contains(value)));
      for (const button of linePicks.children) button.disabled = false;
    };
    const linePicks = picks(numbers, piece.number, (value) => say({ kind, side: piece.side, value, colour }));
    for (const button of linePicks.children) button.disabled = !colour;
    const colourPicks = picks(colours, colour, pickColour);
    openSheet(t("Which stick is this?"),
      h("h3", {}, t("Colour")), colourPicks,
      h("h3", {}, t("Line")),
      linePicks,
      !piece.missing && h("button", { class: "quiet", onclick: () => say({ kind, side: piece.side, value: null }) }, t("There is no stick")));
    return;
  }
  const title = kind === "die" ? t("What does the die show?") : t("Which card is this?");
  openSheet(title,
    picks(choicesFor(kind), piece.value, (value) => say({ kind, box: piece.box, value })),
    piece.missing
      ? h("p", { class: "hint" }, t("It counts until something on the table is touched."))
      : h("button", { class: "quiet", onclick: () => say({ kind, box: piece.box, value: null }) }, t("Nothing lies there")));
}

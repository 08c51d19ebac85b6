// A new game: which one, who plays, by which rules.

import { byId, h } from "./dom.js";
import { get, post, t } from "./net.js";
import { attempt, closeSheet, openSheet } from "./sheet.js";

export async function askNewGame() {
  const found = await attempt(() => get("/api/new-game"));
  if (!found) return;
  let form;
  const which = choice("new-which", t("Game"), found.games.map((game) => game.title), 0, () => fill());
  const rest = h("div", { class: "settings" });
  const say = h("p", { class: "say warn", role: "alert" });
  const fill = () => {
    form = gameForm(found.games[Number(which.input.value)]);
    rest.replaceChildren(...form.elements);
  };
  fill();
  openSheet(t("New game"), h("form", {
    onsubmit: (event) => {
      event.preventDefault();
      say.textContent = "";
      begin(form.answer(), found.playing, say);
    },
  }, which.element, rest, say, h("button", { class: "primary", type: "submit" }, t("Begin"))));
}

function gameForm(game) {
  const counts = Array.from({ length: game.most - game.least + 1 }, (_, i) => game.least + i);
  const count = choice("new-count", t("How many players?"), counts, 0, () => seat());
  const players = Array.from({ length: game.most }, (_, i) => playerRow(game, i, () => name()));
  const first = choice("new-first", game.first, [], 0);
  const rules = game.rules.map((rule, i) => (rule.several ? several(`new-rule-${i}`, rule) : one(`new-rule-${i}`, rule)));
  const playing = () => players.slice(0, counts[Number(count.input.value)]);
  const name = () => {
    const old = first.input.value || "";
    const names = playing().map((player) => player.name());
    first.input.replaceChildren(h("option", { value: "" }, t("drawn by lot")), ...names.map((text, i) => h("option", { value: i }, text)));
    first.input.value = Number(old) < names.length ? old : "";
  };
  const seat = () => {
    players.forEach((player, i) => { player.element.hidden = i >= playing().length; });
    name();
  };
  seat();
  return {
    elements: [count.element,
      !game.seats.length && h("p", { class: "hint" }, t("Clockwise, as you sit.")),
      ...players.map((player) => player.element), first.element, ...rules.map((rule) => rule.element)].filter(Boolean),
    answer: () => ({
      game: game.game,
      players: playing().map((player) => player.answer()),
      first: first.input.value === "" ? null : Number(first.input.value),
      rules: rules.map((rule) => rule.answer()),
    }),
  };
}

function playerRow(game, i, renamed) {
  const name = choice(`new-name-${i}`, t("Name"), game.names, i, renamed);
  const others = [["seat", t("Seat"), game.seats], ["colour", t("Colour"), game.colours]].filter(([, , options]) => options.length)
    .map(([key, label, options]) => ({ key, options, ...choice(`new-${key}-${i}`, label, options.map((option) => option.name), i) }));
  return {
    element: h("fieldset", { class: "player" }, h("legend", {}, t("Player {number}", { number: i + 1 })), name.element, others.map((other) => other.element)),
    name: () => game.names[Number(name.input.value)],
    answer: () => ({ name: game.names[Number(name.input.value)], ...Object.fromEntries(others.map(({ key, options, input }) => [key, options[Number(input.value)].value])) }),
  };
}

function one(id, rule) {
  const { element, input } = choice(id, rule.label, rule.options, 0);
  return { element, answer: () => Number(input.value) };
}

function several(id, rule) {
  const boxes = rule.options.map((_, i) => h("input", { type: "checkbox", id: `${id}-${i}` }));
  return {
    element: h("fieldset", { class: "several" }, h("legend", {}, rule.label),
      rule.options.map((name, i) => h("label", { for: `${id}-${i}` }, boxes[i], name))),
    answer: () => boxes.flatMap((box, i) => (box.checked ? [i] : [])),
  };
}

function choice(id, label, names, chosen, changed) {
  const input = h("select", { id, onchange: () => changed?.() }, names.map((name, i) => h("option", { value: i }, name)));
  if (names.length) input.value = chosen;
  return { input, element: h("p", { class: "field" }, h("label", { for: id }, label), input) };
}

// A game that is on is left only by those who say so.
function begin(answer, playing, say) {
  if (!playing) return start({ ...answer, leave: false }, say);
  const form = [...byId("sheet").children];
  const back = () => byId("sheet").replaceChildren(...form);
  openSheet(t("Leave this game?"),
    h("p", {}, t("It stays among the games, not finished.")),
    h("button", { class: "primary", onclick: closeSheet }, t("No, play on")),
    h("button", { class: "danger", onclick: () => { back(); start({ ...answer, leave: true }, say); } }, t("Yes, new game")));
  return undefined;
}

// What is refused is said in the form: the sheet covers the short words below.
async function start(answer, say) {
  try {
    await post("/api/new-game", answer);
  } catch (error) {
    say.textContent = error.message;
    return;
  }
  closeSheet();
  location.hash = "table";
}

// Games that were played: the list, a game step by step, the dice.

import { h, number } from "./dom.js";
import { get, ownLanguage, t } from "./net.js";
import { drawPicture, drawView } from "./drawing.js";
import { tools } from "./past.js";
import { attempt } from "./sheet.js";

export function gamesPage() {
  const list = h("div", { class: "games" });
  const dice = h("div", { class: "dice-list" });
  const player = h("div", {});
  const element = h("div", { class: "page narrow" }, player,
    h("section", { class: "card" }, h("h2", {}, t("Games")), list),
    h("section", { class: "card" }, h("h2", {}, t("Dice")), dice));

  const open = (game) => player.replaceChildren(replay(game, () => player.replaceChildren()));
  return {
    title: t("Games"),
    element,
    async enter() {
      const games = (await attempt(() => get("/api/games"))) ?? [];
      list.replaceChildren(...(games.length ? games.map((game) => gameLine(game, open)) : [h("p", { class: "hint" }, t("Nothing was played yet."))]));
      const kinds = (await attempt(() => get("/api/dice"))) ?? [];
      dice.replaceChildren(...(kinds.length ? kinds.map(dieCard) : [h("p", { class: "hint" }, t("No dice were rolled yet."))]));
    },
    leave() {},
  };
}

function gameLine(game, open) {
  const day = new Date(`${game.day}T12:00`).toLocaleDateString(document.documentElement.lang, { day: "numeric", month: "long", year: "numeric" });
  const state = game.id === "now" && !game.over ? t("being played") : game.over ? t("finished") : t("not finished");
  return h("button", { class: "game-line", onclick: () => { open(game); scrollTo(0, 0); } },
    h("strong", {}, `${game.title}: ${game.players.join(", ")}`),
    h("span", {}, `${day} · ${state} · ${t("moves: {count}", { count: game.events })}`));
}

function replay(game, close) {
  const board = h("div", { class: "drawing" });
  const what = h("div", { class: "replay-words", "aria-live": "polite" });
  const standing = h("div", { class: "standing" });
  const slider = h("input", { type: "range", min: 0, max: game.events, value: game.events, id: "step", "aria-label": t("Move") });
  const count = h("output", { for: "step" });
  let wanted = -1;
  const show = async () => {
    const step = Number(slider.value);
    wanted = step;
    count.textContent = `${step} / ${game.events}`;
    const data = await attempt(() => get(`/api/games/${game.id}/${step}`));
    if (!data || wanted !== step) return;
    board.replaceChildren(...[drawPicture(data.drawing)].filter(Boolean));
    what.replaceChildren(h("div", { class: "what" }, h("strong", {}, data.what || t("The start")),
      game.id === "now" && step > 0 && tools({ index: step - 1, what: data.what, note: data.note, editable: data.editable }, show)),
      ...(data.reasons.length ? [h("ul", { class: "reasons" }, data.reasons.map((reason) => h("li", {}, reason)))] : []),
      ...(data.note ? [h("p", { class: "note" }, data.note)] : []));
    standing.replaceChildren(...data.standing.map(drawView));
  };
  const move = (by) => {
    slider.value = Number(slider.value) + by;
    show();
  };
  slider.addEventListener("input", show);
  show();
  const download = (kind) => h("a", { class: "button", href: `/api/games/${game.id}/export.${kind}?lang=${ownLanguage()}`, download: "" }, kind.toUpperCase());
  return h("section", { class: "card replay" },
    h("div", { class: "card-head" }, h("h2", {}, `${game.title}: ${game.players.join(", ")}`), h("button", { class: "quiet", onclick: close }, t("Close"))),
    board,
    h("div", { class: "slider" },
      h("button", { "aria-label": t("One move back"), onclick: () => move(-1) }, "‹"), slider,
      h("button", { "aria-label": t("One move on"), onclick: () => move(1) }, "›"), count),
    what, standing,
    h("p", { class: "downloads" }, t("Take it along:"), " ", download("json"), " ", download("csv")));
}

function dieCard(die) {
  const most = Math.max(1, ...die.faces.map((face) => face.count));
  const even = die.rolls / die.faces.length;
  return h("div", { class: "die-card" },
    h("h3", {}, `${die.die}, ${t("rolls: {count}", { count: die.rolls })}`),
    h("div", { class: "bars" }, die.faces.map(({ face, count }) => {
      const bar = h("span", { class: "bar" });
      bar.style.height = `${(100 * count) / most}%`;
      return h("div", { class: "bar-place", role: "img", "aria-label": `${face}: ${count}` }, h("span", { class: "bar-count" }, count), h("span", { class: "bar-room" }, bar), h("span", { class: "bar-face" }, face));
    })),
    h("p", {}, die.verdict),
    h("p", { class: "hint" }, die.p === null
      ? t("Evenly spread, each face would have {count}.", { count: number(even, 1) })
      : t("Evenly spread, each face would have {count}. Chi-square {square}, p = {p}.", { count: number(even, 1), square: number(die.chi_square, 1), p: number(die.p, die.p < 0.01 ? 4 : 2) })));
}

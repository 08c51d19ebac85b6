// The table now: the display with its buttons, the camera's picture with what is read in it, the game, the log.

import { h, roving } from "./dom.js";
import { events, me, t } from "./net.js";
import { CameraView } from "./camera.js";
import { drawPicture, drawView } from "./drawing.js";
import { tools } from "./past.js";
import { askPiece, askSpace } from "./correct.js";
import { Screen } from "./screen.js";

export function tablePage() {
  const screen = new Screen();
  const camera = new CameraView({ onSpace: askSpace, onPiece: askPiece });
  const drawing = h("div", { class: "drawing" });
  const standing = h("div", { class: "standing" });
  const log = h("ol", { class: "log" });
  const drawingCard = h("section", { class: "card", hidden: true }, h("h2", {}, t("The game says")), drawing);
  const standingCard = h("section", { class: "card", hidden: true }, h("h2", {}, t("Score")), standing);
  const logCard = h("section", { class: "card", hidden: true }, h("h2", {}, t("What happened")), log);
  roving(drawing);

  const shown = {};
  const update = (name, data, draw) => {
    const text = JSON.stringify(data);
    if (shown[name] === text) return;
    shown[name] = text;
    draw();
  };
  const onGame = ({ detail: { game, view } }) => {
    screen.describe(view);
    drawingCard.hidden = !game?.drawing;
    standingCard.hidden = !game;
    logCard.hidden = !game?.log.length;
    if (!game) return;
    update("drawing", game.drawing, () => {
      const focused = document.activeElement?.getAttribute("data-rove");
      drawing.replaceChildren(...[drawPicture(game.drawing, me.role === "player" && game.eyes === "board" ? askSpace : null), legend(game)].filter(Boolean));
      if (focused) drawing.querySelector(`[data-rove="${CSS.escape(focused)}"]`)?.focus();
    });
    update("standing", game.standing, () => standing.replaceChildren(...game.standing.map(drawView)));
    update("log", game.log, () => log.replaceChildren(...game.log.map(logLine)));
  };
  const onTable = ({ detail }) => camera.show(detail);
  const onScreen = ({ detail }) => screen.show(detail);

  return {
    title: t("Table"),
    element: h("div", { class: "page table-page" },
      h("div", { class: "column" },
        h("section", { class: "card device" }, screen.element),
        camera.element),
      h("div", { class: "column" }, drawingCard, standingCard, logCard)),
    enter() {
      events.addEventListener("game", onGame);
      events.addEventListener("table", onTable);
      events.addEventListener("screen", onScreen);
      if (events.last.game) onGame({ detail: events.last.game });
      if (events.last.table) onTable({ detail: events.last.table });
      if (events.last.screen) onScreen({ detail: events.last.screen });
      camera.start();
    },
    leave() {
      events.removeEventListener("game", onGame);
      events.removeEventListener("table", onTable);
      events.removeEventListener("screen", onScreen);
      camera.stop();
    },
  };
}

// Who plays which colour, where players have colours.
function legend(game) {
  if (!game.colours.every(Boolean)) return null;
  return h("p", { class: "legend" }, game.players.map((name, i) => h("span", { class: game.colours[i] }, h("span", { class: "dot" }), name)));
}

function logLine(line) {
  return h("li", { value: line.index + 1 },
    h("div", { class: "what" }, h("span", {}, line.what),
      tools(line)),
    line.reasons.length > 0 && h("ul", { class: "reasons" }, line.reasons.map((reason) => h("li", {}, reason))),
    line.note && h("p", { class: "note" }, line.note));
}

// The pages of the phone and the way between them.

import { byId, h, icon } from "./dom.js";
import { events, introduce, me, ownLanguage, t } from "./net.js";
import { calibratePage } from "./calibrate.js";
import { gamesPage } from "./games.js";
import { settingsPage } from "./settings.js";
import { tablePage } from "./table.js";

const PAGES = {
  table: { name: () => t("Table"), make: tablePage },
  games: { name: () => t("Games"), make: gamesPage },
  calibrate: { name: () => t("Camera"), make: calibratePage },
  settings: { name: () => t("Settings"), make: settingsPage },
};

let page = null;
let connected = true;

function show() {
  const wanted = location.hash.slice(1);
  const name = wanted in PAGES ? wanted : "table";
  page?.leave();
  page = PAGES[name].make();
  document.title = `${page.title} – Tabletop Companion`;
  byId("title").textContent = page.title;
  byId("main").replaceChildren(page.element);
  page.enter();
  for (const link of byId("tabs").children) {
    if (link.getAttribute("href") === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  scrollTo(0, 0);
}

function status() {
  const game = events.last.game?.game;
  let text = t("No game is on");
  if (!connected) text = t("The companion does not answer …");
  else if (events.last.game?.guided) text = t("A calibration is on");
  else if (game?.over) text = t("The game is over");
  else if (game?.turn) text = t("{name}'s turn", { name: game.turn });
  else if (game) text = `${game.title}: ${events.last.game.view.title ?? events.last.game.view.big ?? ""}`;
  const place = byId("status");
  if (place.textContent !== text) place.textContent = text;
  place.classList.toggle("lost", !connected);
  const troubles = events.last.game?.troubles ?? [];
  if (byId("troubles").dataset.said === troubles.join("\n")) return;
  byId("troubles").dataset.said = troubles.join("\n");
  byId("troubles").replaceChildren(...troubles.map((trouble) => h("p", {}, trouble)));
}

function tabs() {
  byId("tabs").replaceChildren(...Object.entries(PAGES).map(([name, { name: words }]) =>
    h("a", { href: `#${name}` }, icon(name), h("span", {}, words()))));
}

export async function begin() {
  await introduce();
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of document.querySelectorAll("[data-t-label]")) element.setAttribute("aria-label", t(element.dataset.tLabel));
  document.body.dataset.role = me.role;
  tabs();
  events.open();
  show();
}

events.addEventListener("game", status);
events.addEventListener("game", ({ detail }) => {
  // The display's language was changed: the page follows.
  if (!ownLanguage() && detail.language !== me.language) begin();
});
events.addEventListener("here", () => { connected = true; status(); });
events.addEventListener("lost", () => { connected = false; status(); });
addEventListener("hashchange", show);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the names after # are those of the pages
  byId("main").focus();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    events.close();
    page?.leave();
  } else {
    events.open();
    page?.enter();
  }
});

begin();

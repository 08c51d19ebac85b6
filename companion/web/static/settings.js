// What can be set, and which phones are paired.

import { h, s } from "./dom.js";
import { get, LANGUAGES, me, ownLanguage, post, setOwnLanguage, t } from "./net.js";
import { askNewGame } from "./newgame.js";
import { attempt, openSheet, toast } from "./sheet.js";

export function settingsPage() {
  const list = h("div", { class: "settings" });
  const devices = h("ul", { class: "devices" });
  const player = me.role === "player";
  return {
    title: t("Settings"),
    element: h("div", { class: "page narrow" },
      h("section", { class: "card" }, h("h2", {}, t("This phone")), phoneLanguage(),
        h("button", { class: "quiet danger", onclick: leave }, t("Unpair this phone"))),
      player && h("section", { class: "card" }, h("h2", {}, t("Companion")), list,
        h("button", { onclick: askNewGame }, t("New game"))),
      player && h("section", { class: "card" }, h("h2", {}, t("Paired phones")), devices,
        h("div", { class: "two" },
          h("button", { onclick: () => invite("player") }, t("Let one play")),
          h("button", { onclick: () => invite("viewer") }, t("Let one watch"))))),
    async enter() {
      if (!player) return;
      const found = await attempt(() => get("/api/settings"));
      if (found) list.replaceChildren(...found.settings.map((setting) => field(setting)), ...(found.kept ? [] : [h("p", { class: "hint" }, t("There is no file for the settings: they last until the companion is switched off."))]));
      await showDevices(devices);
    },
    leave() {},
  };
}

function phoneLanguage() {
  const select = h("select", { id: "own-language", onchange: () => { setOwnLanguage(select.value); location.reload(); } },
    h("option", { value: "" }, t("like the display")),
    Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code }, name)));
  select.value = ownLanguage();
  return h("p", { class: "field" }, h("label", { for: "own-language" }, t("Language of this page")), select);
}

function field(setting) {
  const id = `set-${setting.section}-${setting.key}`;
  const send = async (value) => {
    const done = await attempt(() => post("/api/settings/set", { section: setting.section, key: setting.key, value }));
    if (done) toast(done.restart ? t("Saved. It counts after a restart.") : done.kept ? t("Saved.") : t("Set until the companion is switched off."));
  };
  let input;
  if (setting.kind === "choice") {
    input = h("select", { id, onchange: () => send(setting.options[input.value].value) }, setting.options.map((option, i) => h("option", { value: i }, option.name)));
    input.value = setting.options.findIndex((option) => option.value === setting.value);
  } else if (setting.kind === "range") {
    const [min, max] = setting.range;
    input = h("input", { id, type: "range", min, max, value: setting.value, onchange: () => send(Number(input.value)) });
  } else {
    input = h("textarea", { id, rows: 6, onchange: () => send(input.value.split("\n").map((name) => name.trim()).filter(Boolean)) }, setting.value.join("\n"));
  }
  const hints = [setting.hint, setting.restart && t("Counts after a restart.")].filter(Boolean);
  if (hints.length) input.setAttribute("aria-describedby", `${id}-hint`);
  return h("p", { class: "field" }, h("label", { for: id }, setting.label), input,
    hints.length > 0 && h("span", { class: "hint", id: `${id}-hint` }, hints.join(" ")));
}

async function showDevices(list) {
  const devices = (await attempt(() => get("/api/devices"))) ?? [];
  list.replaceChildren(...devices.map((device) => h("li", {},
    h("span", {}, device.name, h("br"), h("small", {}, [device.role === "player" ? t("may play") : t("may only watch"), device.own && t("this phone")].filter(Boolean).join(", "))),
    !device.own && h("button", { class: "quiet danger", onclick: async () => { await attempt(() => post("/api/devices/forget", { id: device.id })); showDevices(list); } }, t("Remove")))));
}

async function invite(role) {
  const found = await attempt(() => post("/api/invite", { role }));
  if (!found) return;
  const size = found.square.length;
  const path = found.square.flatMap((row, y) => [...row].map((module, x) => (module === "1" ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  openSheet(role === "player" ? t("Let one play") : t("Let one watch"),
    s("svg", { class: "square", viewBox: `-4 -4 ${size + 8} ${size + 8}`, role: "img", "aria-label": t("Square code") },
      s("rect", { x: -4, y: -4, width: size + 8, height: size + 8, fill: "#fff" }), s("path", { d: path, fill: "#000" })),
    h("p", {}, t("The other phone opens this with its camera, or goes to {address} and types", { address: found.address })),
    h("p", { class: "code" }, found.code));
}

async function leave() {
  await attempt(() => post("/api/leave"));
  location.replace("/");
}

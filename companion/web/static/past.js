// Changing a past move, and writing a note beside it.

import { byId, h, icon } from "./dom.js";
import { get, me, post, t } from "./net.js";
import { attempt, closeSheet, openSheet } from "./sheet.js";

// The two buttons beside a move, for those who may act; `done` is called after it was changed.
export function tools(line, done) {
  return me.role === "player" && h("span", { class: "tools" },
    line.editable && h("button", { class: "tool", "aria-label": t("Change: {what}", { what: line.what }), onclick: () => editEvent(line, done) }, icon("pen")),
    h("button", { class: "tool", "aria-label": t("Note: {what}", { what: line.what }), onclick: () => writeNote(line, done) }, icon("note")));
}

async function editEvent(line, done) {
  const fields = await attempt(() => get(`/api/event/${line.index}`));
  if (!fields) return;
  const inputs = fields.map((field, i) => {
    const select = h("select", { id: `field-${i}` }, field.options.map((option, k) => h("option", { value: k }, option.name)));
    select.value = field.options.findIndex((option) => option.value === field.value);
    return { field, select };
  });
  const send = async (submitted) => {
    submitted.preventDefault();
    const changes = inputs.map(({ field, select }) => ({ path: field.path, value: field.options[select.value].value }));
    if (!(await attempt(() => post("/api/edit", { index: line.index, changes }), t("Changed. Everything after it was judged anew.")))) return;
    closeSheet();
    done?.();
  };
  openSheet(t("Change the past"),
    h("p", {}, line.what),
    h("form", { onsubmit: send },
      inputs.map(({ field, select }, i) => h("p", { class: "field" }, h("label", { for: `field-${i}` }, field.label), select)),
      h("p", { class: "hint" }, t("What came after it stays, if the rules still allow it.")),
      h("button", { class: "primary", type: "submit" }, t("Change"))));
}

function writeNote(line, done) {
  const text = h("textarea", { id: "note", rows: 3, maxlength: 500 }, line.note);
  const send = async (submitted) => {
    submitted.preventDefault();
    if (!(await attempt(() => post("/api/note", { index: line.index, text: text.value }), t("Written down.")))) return;
    closeSheet();
    done?.();
  };
  openSheet(t("Note"),
    h("p", {}, line.what),
    h("form", { onsubmit: send },
      h("p", { class: "field" }, h("label", { for: "note" }, t("Your words")), text),
      h("button", { class: "primary", type: "submit" }, t("Write down"))));
  byId("note").focus();
}

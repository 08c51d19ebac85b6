// A sheet that comes up from below to ask something, and short words that go away by themselves.

import { byId, h } from "./dom.js";
import { t } from "./net.js";

export function openSheet(title, ...content) {
  const sheet = byId("sheet");
  document.body.append(byId("toast"));
  sheet.replaceChildren(
    h("div", { class: "sheet-head" },
      h("h2", { id: "sheet-title" }, title),
      h("button", { class: "quiet", onclick: closeSheet }, t("Close"))),
    ...content.filter(Boolean), // what there is not is left out
  );
  if (!sheet.open) sheet.showModal();
  sheet.onclick = (event) => { // without a value: false would keep the forms in it from being sent
    if (event.target === sheet) closeSheet();
  };
  sheet.onclose = () => document.body.append(byId("toast"));
  return sheet;
}

export function closeSheet() {
  byId("sheet").close();
}

let timer = 0;
export function toast(text) {
  const place = byId("toast");
  const sheet = byId("sheet");
  (sheet.open ? sheet : document.body).append(place); // an open sheet covers all that is not in it
  place.textContent = text;
  place.classList.add("shown");
  clearTimeout(timer);
  timer = setTimeout(() => place.classList.remove("shown"), 5000);
}

// Does something and says why when it can't be done.
export async function attempt(act, done) {
  try {
    const result = await act();
    if (done) toast(done);
    return result;
  } catch (error) {
    const refused = error.data?.refused;
    toast(refused ? [refused.title, refused.big].filter(Boolean).join(": ") : t("That did not work: {why}", { why: error.message }));
    return undefined;
  }
}

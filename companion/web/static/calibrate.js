// Teaching the companion the table: aim, take a picture, judge it, drag the corner spaces where it errs.

import { h, number, s } from "./dom.js";
import { around, showPart } from "./camera.js";
import { get, me, post, t } from "./net.js";
import { attempt, toast } from "./sheet.js";

const LOOK_AGAIN_MS = 1200;
const LOUPE = { size: 132, zoom: 3 };

export function calibratePage() {
  const place = h("div", { class: "column" });
  const more = h("div", { class: "column" });
  const choice = { layout: "hex37", side: 1 };
  let stop = () => {};
  let here = false; // whether somebody looks
  let kept = false; // a step that waits for whoever put the phone aside meanwhile

  const show = (step) => {
    stop();
    stop = step.stop ?? (() => {});
    kept = !step.stop;
    place.replaceChildren(step.element);
  };
  const aim = () => {
    kept = false;
    if (here) show(aimStep(choice, (taken) => judge(taken)));
  };
  const judge = async (taken, points) => {
    show({ element: h("section", { class: "card" }, h("h2", {}, t("I measure …")), h("p", { class: "hint" }, t("This takes a few seconds."))) });
    const found = await attempt(() => post("/api/calibrate/find", { number: taken.number, ...choice, points }));
    if (found) show(judgeStep(choice, taken, found, { again: aim, drag: () => show(dragStep(taken, points, found, (dragged) => judge(taken, dragged), aim)) }));
    else aim();
  };

  return {
    title: t("Camera"),
    element: h("div", { class: "page narrow" }, place, more),
    async enter() {
      here = true;
      if (kept) return;
      if (me.role !== "player") {
        place.replaceChildren(h("section", { class: "card" }, h("p", {}, t("This phone may only watch."))));
        return;
      }
      const found = await attempt(() => get("/api/layouts"));
      if (found) {
        choice.layouts = found.layouts;
        more.replaceChildren(guides(found.guides), boards(found.layouts, aim, choice));
      }
      aim();
    },
    leave() {
      here = false;
      stop();
      stop = () => {};
    },
  };
}

// ---- aiming ----

// The circle that the board is to fill, in shares of a picture of this size.
function toFill(width, height) {
  const radius = 0.45 * Math.min(width, height);
  return s("ellipse", { class: "fill", cx: .5, cy: .5, rx: radius / width, ry: radius / height });
}

function aimStep(choice, next) {
  const image = h("img", { class: "live", alt: t("The table, live"), src: `/live.mjpg?at=${Date.now()}` });
  const rim = s("svg", { class: "overlay rim", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" });
  const frame = h("div", { class: "frame whole" }, image, rim);
  const advice = h("p", { class: "advice", role: "status" }, t("I look …"));
  const meters = h("dl", { class: "meters" });
  const layout = select("layout", t("Board"), choice.layouts ?? ["hex37"], choice.layout, (value) => { choice.layout = value; });
  const side = select("side", t("Which side of the board is at the bottom of the picture?"), [1, 2, 3], choice.side, (value) => { choice.side = Number(value); });
  let running = true;
  let timer = 0;

  const look = async () => {
    try {
      const seen = await get(`/api/aim?layout=${encodeURIComponent(choice.layout)}`);
      if (!running) return;
      advice.textContent = seen.advice;
      advice.classList.toggle("good", seen.hint === null);
      const [width, height] = seen.size;
      frame.style.aspectRatio = `${width} / ${height}`;
      const found = seen.rim.length > 0 && s("polygon", { points: seen.rim.map((p) => p.join(",")).join(" "), class: seen.hint === null ? "good" : "" });
      rim.replaceChildren(...[toFill(width, height), found].filter(Boolean));
      meters.replaceChildren(
        meter(t("Sharp"), seen.sharp, "%", seen.hint !== "blurred"),
        meter(t("Fills the picture"), seen.fill, "%", seen.fill !== null && seen.fill >= 50 && seen.hint !== "outside"),
        meter(t("Tilted"), seen.tilt, "°", seen.tilt !== null && seen.tilt <= 35, 45));
    } catch (error) {
      advice.textContent = error.status === 404 ? t("The camera gives no picture.") : t("That did not work: {why}", { why: error.message });
    }
    if (running) timer = setTimeout(look, LOOK_AGAIN_MS);
  };
  look();

  const take = async () => {
    const taken = await attempt(() => post("/api/calibrate/take", { layout: choice.layout, side: choice.side }));
    if (taken) next(taken);
  };
  return {
    element: h("section", { class: "card" },
      h("h2", {}, t("1. Aim at the empty board")),
      frame,
      advice, meters, layout, side,
      h("button", { class: "primary", onclick: take }, t("Take the picture"))),
    stop() {
      running = false;
      clearTimeout(timer);
      image.removeAttribute("src");
    },
  };
}

function select(id, label, options, value, onChange) {
  const input = h("select", { id, onchange: () => onChange(input.value) }, options.map((option) => h("option", { value: option }, option)));
  input.value = value;
  return h("p", { class: "field" }, h("label", { for: id }, label), input);
}

function meter(name, value, unit, good, most = 100) {
  const bar = h("span", { class: `meter-bar ${good ? "good" : ""}` });
  bar.style.width = `${Math.min(100, (100 * (value ?? 0)) / most)}%`;
  return h("div", { class: "meter" }, h("dt", {}, name), h("dd", {}, value === null ? "–" : `${value} ${unit}`), h("span", { class: "meter-room", "aria-hidden": "true" }, bar));
}

// ---- judging ----

const pictureOf = (taken) => h("img", { src: `/api/calibrate/picture/${taken.number}`, alt: t("The picture that was taken") });

// The taken picture; of a board that was found only the part around it.
function frameOf(taken, found, ...inside) {
  const inner = h("div", { class: "inner" }, pictureOf(taken), ...inside);
  const frame = h("div", { class: "frame whole" }, inner);
  const boxes = Object.values(found?.spaces ?? {}).map(([x, y]) => [x - 2 * found.radius, y - 2 * found.radius, x + 2 * found.radius, y + 2 * found.radius]);
  showPart(frame, inner, taken.size, boxes.length ? around(boxes, taken.size) : null);
  return frame;
}

function judgeStep(choice, taken, found, { again, drag }) {
  const [width, height] = taken.size;
  const overlay = s("svg", { class: "overlay", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  if (found.found) {
    for (const [space, [x, y]] of Object.entries(found.spaces)) {
      overlay.append(s("circle", { cx: x, cy: y, r: found.radius, class: "found", "stroke-width": width / 400 }),
        s("text", { x, y, dy: "0.36em", class: "found-name", "font-size": found.radius * 0.75 }, space));
    }
  }
  const save = async () => {
    if (!(await attempt(() => post("/api/calibrate/save", { number: taken.number })))) return;
    toast(t("Saved. The game looks with it from now on."));
    location.hash = "table";
  };
  return {
    element: h("section", { class: "card" },
      h("h2", {}, t("2. Is every ring on its space?")),
      frameOf(taken, found, overlay),
      found.found
        ? [h("p", { class: "advice good", role: "status" }, t("{quality}: {mm} mm off", { quality: found.quality, mm: number(found.error_mm, 2) })),
          ...found.advice.map((line) => h("p", {}, line)),
          h("button", { class: "primary", onclick: save }, t("Yes, save it"))]
        : [h("p", { class: "advice", role: "status" }, found.why),
          h("details", {}, h("summary", {}, t("More")), h("p", { class: "hint" }, found.detail)),
          h("p", {}, t("Drag the corner spaces onto the picture, then I measure again."))],
      h("div", { class: "two" },
        h("button", { class: found.found ? "" : "primary", onclick: drag }, t("Drag the corners")),
        h("button", { onclick: again }, t("Another picture")))),
  };
}

// ---- dragging ----

function dragStep(taken, points, found, measure, again) {
  const [width, height] = taken.size;
  const places = Object.fromEntries(Object.entries(taken.corners).map(([space, at]) => [space, points?.[space] ?? found.spaces?.[space] ?? at]));
  const overlay = s("svg", { class: "overlay drag", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": t("Corner spaces") });
  const outline = s("polygon", { class: "outline", "stroke-width": width / 300 });
  const loupe = h("canvas", { class: "loupe", width: LOUPE.size, height: LOUPE.size, hidden: true, "aria-hidden": "true" });
  const frame = frameOf(taken, found, overlay);
  frame.append(loupe);
  const inner = frame.firstChild;
  const picture = frame.querySelector("img");
  const radius = found?.radius ? found.radius * 0.9 : width / 36;
  overlay.append(outline);

  const draw = () => outline.setAttribute("points", Object.values(places).map((at) => at.join(",")).join(" "));
  const magnify = (space) => {
    const [x, y] = places[space];
    const box = inner.getBoundingClientRect();
    const view = LOUPE.size / LOUPE.zoom / (box.width / width); // px of the picture
    const context = loupe.getContext("2d");
    const scale = picture.naturalWidth / width;
    context.fillRect(0, 0, LOUPE.size, LOUPE.size);
    context.drawImage(picture, (x - view / 2) * scale, (y - view / 2) * scale, view * scale, view * scale, 0, 0, LOUPE.size, LOUPE.size);
    context.strokeStyle = "#35d0ff";
    context.beginPath();
    context.moveTo(LOUPE.size / 2, 0);
    context.lineTo(LOUPE.size / 2, LOUPE.size);
    context.moveTo(0, LOUPE.size / 2);
    context.lineTo(LOUPE.size, LOUPE.size / 2);
    context.stroke();
    const shown = frame.getBoundingClientRect();
    loupe.classList.toggle("right", box.left + (x / width) * box.width < shown.left + shown.width / 2);
    loupe.hidden = false;
  };

  for (const space of Object.keys(places)) {
    const handle = s("g", { class: "handle", tabindex: 0, role: "slider", "aria-label": t("Space {space}", { space }), "aria-valuetext": "", "data-space": space },
      s("circle", { r: radius * 1.6, class: "hit" }), s("circle", { r: radius, class: "ring", "stroke-width": width / 250 }),
      s("circle", { r: width / 400, class: "centre" }),
      s("text", { y: -radius * 1.3, "font-size": radius * 1.2 }, space));
    const set = (x, y) => {
      places[space] = [Math.min(width - 1, Math.max(0, Math.round(x * 10) / 10)), Math.min(height - 1, Math.max(0, Math.round(y * 10) / 10))];
      handle.setAttribute("transform", `translate(${places[space].join(" ")})`);
      handle.setAttribute("aria-valuetext", places[space].map(Math.round).join(", "));
      draw();
    };
    set(...places[space]);
    handle.addEventListener("pointerdown", (down) => {
      down.preventDefault();
      handle.setPointerCapture(down.pointerId);
      handle.focus({ preventScroll: true });
      const box = inner.getBoundingClientRect();
      const scale = width / box.width;
      const [x0, y0] = places[space];
      const move = (event) => {
        set(x0 + (event.clientX - down.clientX) * scale, y0 + (event.clientY - down.clientY) * scale);
        magnify(space);
      };
      const up = () => {
        handle.removeEventListener("pointermove", move);
        loupe.hidden = true;
      };
      handle.addEventListener("pointermove", move);
      handle.addEventListener("pointerup", up, { once: true });
      handle.addEventListener("pointercancel", up, { once: true });
      magnify(space);
    });
    handle.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? 10 : 1;
      const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
      if (!by) return;
      event.preventDefault();
      set(places[space][0] + by[0], places[space][1] + by[1]);
      magnify(space);
    });
    handle.addEventListener("blur", () => { loupe.hidden = true; });
    overlay.append(handle);
  }
  draw();
  return {
    element: h("section", { class: "card" },
      h("h2", {}, t("Drag each ring onto its space")),
      h("p", { class: "hint" }, t("They stand in the right order already. A few dots off is fine: I measure finely myself.")),
      frame,
      h("button", { class: "primary", onclick: () => measure(places) }, t("Measure")),
      h("button", { class: "quiet", onclick: again }, t("Another picture"))),
  };
}

// ---- what else can be learned ----

function guides(list) {
  const others = list.filter(({ name }) => name !== "board");
  const lead = async (name) => {
    if (await attempt(() => post("/api/guide", { name }), t("Follow the display: it leads you, with its buttons."))) location.hash = "table";
  };
  return others.length > 0 && h("section", { class: "card" }, h("h2", {}, t("Teach me your pieces")),
    h("p", { class: "hint" }, t("Each face or card is shown to the camera one to three times.")),
    h("div", { class: "two" }, others.map(({ name, title }) => h("button", { onclick: () => lead(name) }, title))));
}

function boards(list, refresh, choice) {
  const file = h("input", { type: "file", id: "layout-file", accept: ".json,application/json" });
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    let data = null;
    try {
      data = JSON.parse(await chosen.text());
    } catch {
      toast(t("This is no file of a board."));
      return;
    }
    const added = await attempt(() => post("/api/layouts/add", data), t("The board was added."));
    if (!added) return;
    choice.layouts = [...new Set([...list, added.name])];
    choice.layout = added.name;
    refresh();
  });
  return h("section", { class: "card" }, h("h2", {}, t("Another board")),
    h("p", { class: "field" }, h("label", { for: "layout-file" }, t("A file that describes your board (JSON)")), file));
}

// Lets this phone in: by the code in the address (from the square code on the display), or typed.

const form = document.getElementById("form");
const code = document.getElementById("code");
const say = (name) => {
  document.getElementById("say").textContent = name ? document.getElementById(name).content.textContent : "";
};

function deviceName() {
  const agent = navigator.userAgent;
  const kind = /iPhone|iPad|Android|Windows|Macintosh|Linux/.exec(agent);
  const browser = /Firefox|Edg|Chrome|Safari/.exec(agent);
  return [kind, browser].map((found) => (found ? found[0].replace("Edg", "Edge") : "")).join(" ").trim() || "?";
}

async function pair(digits) {
  say("");
  try {
    const answer = await fetch("/api/pair", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ code: digits, name: deviceName() }),
    });
    if (answer.ok) location.replace("/");
    else say(answer.status === 429 ? "wait" : "wrong");
  } catch {
    say("lost");
  }
  code.select();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  pair(code.value);
});

// Coming from elsewhere, a browser may hold its cookie back the first time.
const known = await fetch("/api/me").catch(() => null);
const role = known?.ok ? (await known.json()).role : null;
const inAddress = /^\/p\/(\d{6})$/i.exec(location.pathname);
if (role === "player" || (role && !inAddress)) location.replace("/");
else if (inAddress) {
  code.value = inAddress[1];
  await pair(inAddress[1]);
  if (role) location.replace("/"); // with a code that is not good it goes on watching
} else code.focus();

// A running research: each view from the server replaces the last. The server has escaped everything in it.
"use strict";

const live = document.getElementById("live");
const spoken = document.getElementById("spoken");
// A voice that reads every change helps nobody: one sentence now and then, and at the end.
const SPEAK_EVERY_MS = 20000;
let spokenAt = Date.now();

function speak(words) {
  spoken.textContent = words;
  spokenAt = Date.now();
}

// What a reader opened or closed stays so, and what has the focus keeps it.
function show(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  const opened = new Map([...live.querySelectorAll("details[data-key]")].map((one) => [one.dataset.key, one.open]));
  const focused = live.contains(document.activeElement) ? document.activeElement.closest("details")?.dataset.key : null;
  for (const one of fresh.querySelectorAll("details[data-key]")) {
    if (opened.has(one.dataset.key)) one.open = opened.get(one.dataset.key);
  }
  live.replaceChildren(...fresh.body.childNodes);
  if (focused) live.querySelector(`details[data-key="${focused}"] > summary`)?.focus({ preventScroll: true });
}

function tell() {
  const count = (name) => [...live.querySelectorAll(".counters div")].find((one) => one.querySelector("dt").textContent === name)?.querySelector("dd").textContent;
  const action = document.getElementById("action")?.textContent ?? "";
  speak(`${action}. ${count("searches")} searches, ${count("pages")} pages, ${count("cost")}.`);
}

const source = new EventSource(live.dataset.live);
source.addEventListener("view", (event) => {
  show(event.data);
  if (Date.now() - spokenAt > SPEAK_EVERY_MS) tell();
});
source.addEventListener("over", (event) => {
  source.close();
  show(event.data);
  speak("The research is over.");
  location.reload();
});
addEventListener("pagehide", () => source.close());

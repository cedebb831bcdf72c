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
  shownAt = Date.now();
  if (focused) live.querySelector(`details[data-key="${focused}"] > summary`)?.focus({ preventScroll: true });
}

function tell() {
  const count = (name) => [...live.querySelectorAll(".counters div")].find((one) => one.querySelector("dt").textContent === name)?.querySelector("dd").textContent;
  const action = document.getElementById("action")?.textContent ?? "";
  speak(`${action}. ${count("searches")} searches, ${count("pages")} pages, ${count("cost")}.`);
}

// Between two views the clock goes on by itself: a slow search is not a hung one.
let shownAt = Date.now();
setInterval(() => {
  const clock = document.getElementById("clock");
  const seconds = Math.floor((Number(clock?.dataset.ms) + Date.now() - shownAt) / 1000);
  if (!clock || !(seconds >= 0)) return;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number) => String(number).padStart(2, "0");
  clock.textContent = hours ? `${hours} h ${two(minutes)} min` : minutes ? `${minutes} min ${two(seconds % 60)} s` : `${seconds} s`;
}, 1000);

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

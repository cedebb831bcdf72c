// Comfort for every page: theme, keys, full evidence on demand. All of it works without.
"use strict";

const themes = ["system", "light", "dark"];

// The report has a theme of its own, for when it is a file; here it follows the page.
function follow() {
  const report = document.querySelector(".probity");
  if (!report) return;
  const chosen = document.documentElement.dataset.theme;
  if (chosen) report.dataset.theme = chosen;
  else delete report.dataset.theme;
}

function theme() {
  return document.documentElement.dataset.theme ?? "system";
}

function choose(name) {
  if (name === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  try {
    localStorage.setItem("probity-theme", name);
  } catch {
    // Kept for this page only.
  }
  document.getElementById("theme-name").textContent = name;
  follow();
}

function readyTheme() {
  const button = document.getElementById("theme");
  document.getElementById("theme-name").textContent = theme();
  button.hidden = false;
  follow();
  button.addEventListener("click", () => choose(themes[(themes.indexOf(theme()) + 1) % themes.length]));
}

const types = (target) => target.closest("input, textarea, select, [contenteditable]");

// The links that j and k walk through: those of a list, or the claims of a report.
function stops() {
  return [...document.querySelectorAll("[data-walk] > li > a, [data-walk] > li > h2 > a")];
}

function walk(step) {
  const links = stops();
  const at = links.indexOf(document.activeElement);
  const next = links[Math.min(Math.max(at + step, 0), links.length - 1)];
  next?.focus();
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || types(event.target)) return;
  const search = document.getElementById("search");
  if (event.key === "/" && search) {
    event.preventDefault();
    search.focus();
    search.select();
  } else if (event.key === "/" || event.key === "g") location.assign("/");
  else if (event.key === "j") walk(1);
  else if (event.key === "k") walk(-1);
}

// Cards of a report lead to the page with all of their evidence.
function readyCards(report, cards) {
  for (const card of cards) {
    const link = document.createElement("a");
    link.href = report.dataset.claims + encodeURIComponent(card.id);
    link.textContent = "All evidence";
    link.setAttribute("aria-label", `All evidence for ${card.id}`);
    const line = document.createElement("p");
    line.className = "more";
    line.append(link);
    card.append(line);
  }
}

// A very long report comes without its cards: each follows when its sentence is opened, and then what was clicked or
// pressed is done again. The server has escaped everything in them.
async function bring(report, ids) {
  const panel = report.querySelector(".evidence");
  for (const id of ids) {
    const answer = await fetch(report.dataset.card + encodeURIComponent(id));
    if (!answer.ok) return false;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const cards = [...fresh.querySelectorAll("section.c")].filter((card) => !document.getElementById(card.id));
    readyCards(report, cards);
    panel.append(...cards);
  }
  return true;
}

function readyLazy(report) {
  const missing = (sentence) => [...sentence.querySelectorAll(".m")].map((mark) => mark.hash.slice(1)).filter((id) => !document.getElementById(id));
  const first = async (event, ids, again) => {
    if (!ids.length) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (await bring(report, ids)) again();
  };
  report.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    const sentence = event.target.closest(".s");
    if (sentence && (!link || link.matches(".m"))) first(event, missing(sentence), () => (link ?? sentence).click());
  }, true);
  document.addEventListener("keydown", (event) => {
    const by = { j: 1, k: -1 }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey || types(event.target)) return;
    const shown = [...report.querySelectorAll(".s")].filter((one) => getComputedStyle(one).opacity === "1");
    const at = shown.findIndex((one) => one.classList.contains("on"));
    const to = shown[Math.min(Math.max(at + by, 0), shown.length - 1)];
    if (to) first(event, missing(to), () => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, bubbles: true })));
  }, true);
  const asked = location.hash.slice(1);
  if (/^C\d+$/.test(asked)) bring(report, [asked]).then(() => dispatchEvent(new HashChangeEvent("hashchange")));
}

// A text file that is chosen or dropped is read here and put into the form: it goes nowhere by that.
function readyFile(place, text) {
  const read = async (file) => {
    if (file) text.value = await file.text();
  };
  place.querySelector("input").addEventListener("change", (event) => read(event.target.files[0]));
  text.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    read(file);
  });
  place.hidden = false;
}

readyTheme();
const chooser = document.getElementById("file");
if (chooser) readyFile(chooser, document.getElementById("text"));
const report = document.querySelector("[data-claims]");
if (report) readyCards(report, report.querySelectorAll("section.c[id^='C']"));
if (report?.dataset.card) readyLazy(report);
document.getElementById("keys").hidden = false;
document.addEventListener("keydown", key);

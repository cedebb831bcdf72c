// Makes a report nicer to read: the evidence of one sentence at a time, keys, and a switch for dark and light.
// Everything is readable without it. It reads nothing but its own page and sends nothing anywhere.
(() => {
  "use strict";
  const root = document.querySelector(".probity");
  const panel = root && root.querySelector(".evidence");
  if (!panel) return;
  root.classList.add("js");
  panel.setAttribute("aria-live", "polite");
  let card = null;
  let sentence = null;

  const button = (name, words, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = name;
    made.textContent = words;
    made.addEventListener("click", act);
    return made;
  };

  // A link that lets the browser look for the passage on the live page; the stored text is what was judged.
  const pointAtPassage = (of) => {
    for (const caption of of.querySelectorAll("figcaption")) {
      const number = caption.querySelector("a[href^='#source-']");
      const source = number && document.getElementById(number.hash.slice(1))?.querySelector("a[rel]");
      const passage = caption.parentElement.querySelector("mark, u");
      if (!source || !passage || caption.querySelector("a[rel]")) continue;
      const words = passage.textContent.trim().split(/\s+/);
      const part = (some) => encodeURIComponent(some.join(" ")).replace(/-/g, "%2D");
      const text = words.length > 12 ? part(words.slice(0, 5)) + "," + part(words.slice(-5)) : part(words);
      const link = source.cloneNode(false);
      link.href = source.href.split("#")[0] + "#:~:text=" + text;
      link.textContent = "open the page there";
      caption.append(" · ", link);
    }
  };

  const close = () => {
    if (card) card.classList.remove("on");
    if (sentence) sentence.classList.remove("on");
    card = sentence = null;
    panel.classList.remove("open");
  };

  const open = (id, from) => {
    const found = /^C\d+$/.test(id) && document.getElementById(id);
    if (!found || !panel.contains(found)) return false;
    close();
    card = found;
    sentence = from || document.querySelector('.m[href="#' + id + '"]')?.closest(".s") || null;
    card.classList.add("on");
    if (sentence) sentence.classList.add("on");
    panel.classList.add("open");
    panel.scrollTop = 0;
    pointAtPassage(card);
    return true;
  };

  // A sentence that makes several claims shows them in turn.
  const next = (of) => {
    const ids = [...of.querySelectorAll(".m")].map((mark) => mark.hash.slice(1));
    const at = card && of === sentence ? ids.indexOf(card.id) + 1 : 0;
    return ids[at % ids.length];
  };

  root.addEventListener("click", (event) => {
    const mark = event.target.closest("a.m, a[href^='#C']");
    if (mark) {
      if (open(mark.hash.slice(1), mark.closest(".s"))) {
        event.preventDefault();
        history.replaceState(null, "", mark.hash);
        if (!mark.closest(".s") && sentence) sentence.scrollIntoView({ block: "center" });
      }
      return;
    }
    const back = event.target.closest("a[href^='#s']");
    if (back && panel.contains(back) && sentence) {
      event.preventDefault();
      sentence.scrollIntoView({ block: "center" });
      return;
    }
    const chosen = event.target.closest(".s");
    if (chosen && !event.target.closest("a") && String(getSelection()) === "") open(next(chosen), chosen);
  });

  const shown = () => [...root.querySelectorAll(".s")].filter((one) => getComputedStyle(one).opacity === "1");
  const step = (by) => {
    const list = shown();
    if (!list.length) return;
    const at = sentence ? list.indexOf(sentence) : -1;
    const to = list[Math.min(Math.max(at + by, 0), list.length - 1)];
    const mark = to.querySelector(".m");
    open(mark.hash.slice(1), to);
    mark.focus({ preventScroll: true });
    to.scrollIntoView({ block: "center" });
  };
  const filter = () => {
    const list = [...root.querySelectorAll(".filters input")];
    if (!list.length) return;
    const at = list.findIndex((one) => one.checked);
    const to = list[(at + 1) % list.length];
    to.checked = true;
    to.focus({ preventScroll: true });
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("textarea, select, [contenteditable], input:not([type=radio])")) return;
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "f") filter();
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });

  panel.prepend(button("close", "close", close));
  const hint = panel.querySelector(".hint");
  if (hint && root.querySelector(".s")) hint.append(" Keys: j and k go from claim to claim, f filters, Escape closes.");
  if (root.classList.contains("page")) {
    const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    const turn = button("tool", dark() ? "light" : "dark", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      turn.textContent = dark() ? "light" : "dark";
    });
    turn.setAttribute("aria-label", "Switch between dark and light");
    root.append(turn);
  }
  addEventListener("hashchange", () => open(location.hash.slice(1), null));
  open(location.hash.slice(1), null);
})();

// Submits every form and presses every button of every page that links lead to, as a reader does. The list of forms is
// read from the pages. Prints one JSON list of what was tried.
//   node forms.mjs <address that `probity ui` printed> [--browser chromium|firefox] [--question <text>]
import { alerts, launch, option } from "./browser.mjs";

const address = process.argv[2];
// Long enough for a busy machine; a page that works needs a tenth.
const PATIENCE_MS = 20000;
// What is typed into a field of this name.
const typed = {
  question: option("--question", "how many forms?"), budget: "7.50", words: "600", language: "English", q: "forms",
  key: "a-key-of-twenty-four-signs", tags: "forms", text: "The tower is 324 metres tall."
};
// A field of the settings that is left empty keeps its default, which is what most readers want.
// A text is checked, or the page at an address: one of them. No page lies within days or on a site that are made up.
const LEFT_EMPTY = /^([a-z_]+\.[a-z_]+|address|sites|without_sites|after|before|pages|folder)$/;
// A trial says how the service answered; that nobody answers here is a true answer.
const TRIAL = "/settings/try";
const ID = /res_[0-9a-f]{32}/g;
const FILE = /\.[a-z]+$/;

const browser = await launch();
const page = await browser.newPage();
page.setDefaultTimeout(PATIENCE_MS);
page.setDefaultNavigationTimeout(PATIENCE_MS);
await page.goto(address);
const origin = new URL(page.url()).origin;
const kind = (url) => new URL(url, origin).pathname.replace(ID, "ID").replace(/C\d+$/, "C");

const tried = new Map();
const seenPages = new Set();
const queue = ["/"];

// The forms of the page that is open: the last one first, because the first may end what the page is about.
const listForms = () => page.$$eval("form", (forms) => forms.map((form, index) => ({
  index,
  method: form.method,
  // A button may send the form elsewhere than the form itself would.
  buttons: [...form.querySelectorAll("button:not([type=button]), input[type=submit]")].map((one) => ({
    label: one.textContent.trim() || one.value,
    action: one.getAttribute("formaction") ?? form.getAttribute("action"),
  })),
})).reverse());

async function fill(form) {
  for (const field of await form.$$("input:not([type=hidden]):not([type=radio]):not([type=checkbox]):not([type=submit]):not([type=file]), textarea")) {
    const { name, offered } = await field.evaluate((one) => ({ name: one.name, offered: one.value }));
    // What the page offers is what a reader takes.
    if (!offered && !LEFT_EMPTY.test(name)) await field.type(typed[name] ?? "1");
  }
}

// The button of a form that is filled in. A page that follows a run renews itself when the run changes, and a reader
// then starts again; so does this.
async function ready(index, place) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // What is folded away is opened first.
      await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
      const form = (await page.$$("form"))[index];
      await fill(form);
      return (await form.$$("button:not([type=button]), input[type=submit]"))[place];
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

async function send(index, place) {
  const button = await ready(index, place);
  const [response] = await Promise.all([page.waitForNavigation(), button.click()]);
  return response;
}

async function submit({ index, method, buttons }, place) {
  const { label, action } = buttons[place];
  const key = `${method} ${kind(new URL(action, page.url()).href)} ${label}`;
  if (tried.has(key)) return false;
  const entry = { form: { method, action: kind(new URL(action, page.url()).href) }, button: label, on: kind(page.url()), works: false, seen: "" };
  tried.set(key, entry);
  try {
    const response = await send(index, place);
    const refused = await alerts(page);
    const status = response?.status() ?? 0;
    entry.seen = `${status} ${kind(page.url())} ${refused}`.trim();
    const answered = entry.form.action === TRIAL || !refused;
    entry.works = status === 200 && new URL(page.url()).origin === origin && answered;
  } catch (error) {
    entry.seen = String(error).slice(0, 200);
  }
  return true;
}

// A button is pressed when a reader can see it; what stands in the evidence of a claim is opened first.
async function press() {
  for (const button of await page.$$("button[type=button]")) {
    const label = await button.evaluate((one) => one.id || one.textContent.trim());
    if (tried.has(`button ${label}`)) continue;
    if (!(await button.isVisible())) await page.$eval(".probity .s .m", (mark) => mark.click()).catch(() => {});
    if (!(await button.isVisible())) continue;
    const entry = { button: label, on: kind(page.url()), works: false, seen: "" };
    tried.set(`button ${label}`, entry);
    try {
      const state = () => page.evaluate(() => [document.documentElement.outerHTML, location.hash].join());
      const before = await state();
      await button.click();
      entry.works = (await state()) !== before;
    } catch (error) {
      entry.seen = String(error).slice(0, 200);
    }
  }
}

// Everything of the page that is open. A submitted form leads to another page, which is taken first.
async function exhaust(open) {
  await press();
  const links = await page.$$eval("a[href^='/']", (all) => all.map((one) => one.getAttribute("href")));
  queue.push(...links.filter((link) => !FILE.test(link.split(/[?#]/)[0])));
  for (const form of await listForms()) {
    for (let place = 0; place < form.buttons.length; place += 1) {
      if (await submit(form, place)) {
        const there = page.url();
        // What a form shows at its own address is had by sending it again, all else by its address.
        const isAnswer = new URL(there).pathname === new URL(form.buttons[place].action, there).pathname;
        await exhaust(isAnswer ? async () => { await open(); await send(form.index, place); } : () => page.goto(there));
        await open();
        if ((await page.$$("form")).length <= form.index) break;
      }
    }
  }
}

while (queue.length > 0) {
  const next = queue.shift();
  const name = `${kind(next)}${new URL(next, origin).search ? "?" : ""}`;
  if (seenPages.has(name)) continue;
  seenPages.add(name);
  const open = () => page.goto(origin + next);
  await open();
  await exhaust(open);
}

await browser.close();
const list = [...tried.values()];
console.log(JSON.stringify({ pages: [...seenPages], tried: list }));
process.exitCode = list.every((one) => one.works) ? 0 : 1;

// Submits the forms of researches that read pages, as a reader does: those that change what a running one does, and the
// further question on a finished one. Prints one JSON list of what was tried.
//   node searched.mjs <address that `probity ui` printed> [--running <id>] [--finished <id>] [--question <text>]
import { alerts, launch, option } from "./browser.mjs";

const address = process.argv[2];
// Long enough for a busy machine; a page that works needs a tenth.
const PATIENCE_MS = 20000;
const ID = /res_[0-9a-f]{32}/g;

const browser = await launch();
const page = await browser.newPage();
page.setDefaultTimeout(PATIENCE_MS);
page.setDefaultNavigationTimeout(PATIENCE_MS);
await page.goto(address);
const origin = new URL(page.url()).origin;
const kind = (url) => new URL(url, origin).pathname.replace(ID, "ID");
const tried = [];

// The form that has this field, filled in and sent. What is folded is opened first.
async function submit(selector, words) {
  const entry = { form: null, field: selector, works: false, seen: "" };
  tried.push(entry);
  try {
    await page.$$eval("details", (all) => all.forEach((one) => { one.open = true; }));
    const field = await page.$(selector);
    const form = await field.evaluateHandle((one) => one.form);
    entry.form = await form.evaluate((one) => ({ method: one.method, action: one.getAttribute("action") }));
    entry.form.action = kind(entry.form.action);
    if (words) await field.type(words);
    const button = await form.$("button[type=submit], button:not([type])");
    const [response] = await Promise.all([page.waitForNavigation(), button.click()]);
    const refused = await alerts(page);
    const status = response?.status() ?? 0;
    entry.seen = `${status} ${kind(page.url())} ${refused}`.trim();
    entry.works = status === 200 && new URL(page.url()).origin === origin && !refused;
  } catch (error) {
    entry.seen = String(error).slice(0, 200);
  }
}

const running = option("--running", "");
if (running) {
  for (const [selector, words] of [
    ["form[action$='/steer'] [name=add]", "Who painted the bridge?"],
    ["form[action$='/steer'] [name=ban_site]", "museum.example"],
    ["form[action$='/steer'] [name=finish]", ""],
  ]) {
    await page.goto(`${origin}/research/${running}`);
    await submit(selector, words);
  }
}
const finished = option("--finished", "");
if (finished) {
  await page.goto(`${origin}/research/${finished}`);
  await submit("form[action$='/follow-up'] [name=question]", option("--question", "And what else?"));
  await submit("form[action$='/follow-up/start'] button", "");
}
await browser.close();
console.log(JSON.stringify({ tried }));
process.exitCode = tried.every((one) => one.works) ? 0 : 1;

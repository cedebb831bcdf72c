// Uses a running preview and a report file as a reader does, by keyboard alone where there is a key: evidence opens and
// closes, filters hide, a running research moves without loading its page again. Prints one JSON list of what was tried.
//   node use.mjs <address that the preview printed> <report file> [--chromium <path>]
import path from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const [address, file] = process.argv.slice(2);
const browser = await launch();
const page = await browser.newPage();
await page.setViewport({ width: 1280, height: 900 });
await page.goto(address);
const origin = new URL(page.url()).origin;
const research = (number) => `${origin}/research/res_${number.toString(16).padStart(32, "0")}`;
// Long enough for a busy machine; a page that works needs a tenth.
const PATIENCE_MS = 10000;

const tried = [];
async function attempt(what, act) {
  try {
    const seen = await act();
    tried.push({ what, works: seen === true, seen: String(seen) });
  } catch (error) {
    tried.push({ what, works: false, seen: String(error).slice(0, 200) });
  }
}

const until = (test, ...values) => page.waitForFunction(test, { timeout: PATIENCE_MS, polling: 50 }, ...values).then(() => true);
const openCard = () => page.evaluate(() => [...document.querySelectorAll(".evidence section.on")].map((one) => one.id).join());
const visible = () => page.evaluate(() => [...document.querySelectorAll(".probity .s")].filter((one) => getComputedStyle(one).opacity === "1").length);

async function report(name) {
  await attempt(`${name}: j opens the evidence of the first claim`, async () => {
    await page.keyboard.press("j");
    return until(() => document.querySelectorAll(".evidence section.on").length === 1);
  });
  await attempt(`${name}: the passage stands in it, marked`, () => page.evaluate(() => Boolean(document.querySelector(".evidence section.on mark")?.textContent.trim())));
  await attempt(`${name}: j and k go on and back`, async () => {
    const first = await openCard();
    await page.keyboard.press("j");
    await until((id) => document.querySelector(".evidence section.on")?.id !== id, first);
    await page.keyboard.press("k");
    return until((id) => document.querySelector(".evidence section.on")?.id === id, first);
  });
  await attempt(`${name}: the sentence in question is marked and has the focus`, () => page.evaluate(() => Boolean(document.querySelector(".s.on")?.contains(document.activeElement))));
  await attempt(`${name}: Escape closes`, async () => {
    await page.keyboard.press("Escape");
    return until(() => !document.querySelector(".evidence section.on"));
  });
  await attempt(`${name}: f hides the claims that are supported`, async () => {
    const before = await visible();
    await page.keyboard.press("f");
    await until((count) => [...document.querySelectorAll(".probity .s")].filter((one) => getComputedStyle(one).opacity === "1").length < count, before);
    return (await visible()) > 0;
  });
  await attempt(`${name}: a click on a sentence opens its evidence`, async () => {
    await page.evaluate(() => document.querySelector(".probity .filters input")?.click());
    await page.click(".probity .s .m");
    return until(() => document.querySelectorAll(".evidence section.on").length === 1);
  });
}

await page.goto(research(1), { waitUntil: "load" });
await report("page");
await page.goto(research(2), { waitUntil: "load" });
await report("page with 500 claims");
await page.goto(pathToFileURL(path.resolve(file)).href, { waitUntil: "load" });
await report("file");

await attempt("page without scripts: a sentence leads to its evidence", async () => {
  const plain = await browser.newPage();
  await plain.setCookie(...(await page.cookies(origin)));
  await plain.setJavaScriptEnabled(false);
  await plain.goto(research(1), { waitUntil: "load" });
  const target = await plain.$eval(".probity .s .m", (mark) => mark.getAttribute("href"));
  const there = await plain.$eval(target, (card) => card.textContent.trim().length > 0);
  await plain.close();
  return there;
});

await attempt("library: / goes to the search, j to the first research", async () => {
  await page.goto(`${origin}/`, { waitUntil: "load" });
  await page.keyboard.press("/");
  const searches = await page.evaluate(() => document.activeElement?.id === "search");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("j");
  return searches && (await page.evaluate(() => document.activeElement?.matches("[data-walk] a")));
});

await attempt("running research: three views follow each other without loading the page again", async () => {
  await page.goto(research(4), { waitUntil: "load" });
  await page.evaluate(() => { window.stays = true; });
  for (let change = 0; change < 3; change += 1) {
    const before = await page.$eval("#live", (live) => live.innerHTML);
    await until((html) => document.getElementById("live")?.innerHTML !== html, before);
  }
  return page.evaluate(() => window.stays === true);
});

await browser.close();
console.log(JSON.stringify(tried));
process.exitCode = tried.every((one) => one.works) ? 0 : 1;

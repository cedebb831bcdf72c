// Opens self-contained reports as files in Chromium: what they weigh, whether anything in them acts or is loaded from
// elsewhere, accessibility by axe-core. Prints one JSON document.
//   node files.mjs FILE... [--pictures <folder>] [--chromium <path>] [--quick]
import { mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { axe, given, launch, option } from "./browser.mjs";

const rest = process.argv.slice(2);
const files = rest.slice(0, rest.findIndex((word) => word.startsWith("--")) < 0 ? rest.length : rest.findIndex((word) => word.startsWith("--")));
const pictures = option("--pictures", "");
if (pictures) mkdirSync(pictures, { recursive: true });

const browser = await launch();
const seen = [];
for (const file of files) {
  for (const [size, width, height] of [["wide", 1280, 900], ["phone", 390, 844]]) {
    for (const theme of given("--quick") ? [size === "wide" ? "light" : "dark"] : ["light", "dark"]) {
      const page = await browser.newPage();
      const address = pathToFileURL(path.resolve(file)).href;
      const dialogs = [];
      const outside = [];
      page.on("dialog", (dialog) => { dialogs.push(dialog.message()); dialog.dismiss(); });
      page.on("request", (request) => { if (request.url() !== address && !request.url().startsWith("data:")) outside.push(request.url()); });
      await page.setViewport({ width, height });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
      await page.goto(address, { waitUntil: "load" });
      if (pictures && !file.includes("hostile") && !file.includes("large")) await page.screenshot({ path: path.join(pictures, `file-${path.basename(file, ".html")}-${size}-${theme}.png`) });
      // Whatever a reader would press: every summary, every source and every sentence with evidence behind it.
      await page.evaluate(() => document.querySelectorAll("summary, a[href^='#']").forEach((one) => { try { one.click(); } catch {} }));
      await new Promise((done) => setTimeout(done, 200));
      const measured = await page.evaluate(() => ({
        paint_ms: Math.round(performance.getEntriesByType("paint").find((one) => one.name === "first-contentful-paint")?.startTime ?? -1),
        overflows: document.documentElement.scrollWidth > document.documentElement.clientWidth,
      }));
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      const grave = violations.filter((one) => ["serious", "critical"].includes(one.impact)).map((one) => `${one.id}: ${one.nodes[0]?.html.slice(0, 120)}`);
      seen.push({ file: path.basename(file), size, theme, bytes: statSync(file).size, ...measured, dialogs: dialogs.length, outside, grave });
      await page.close();
    }
  }
}
await browser.close();
console.log(JSON.stringify(seen));

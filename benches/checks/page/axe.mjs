// Looks at every page of a running preview in Chromium: accessibility by axe-core, weight, first paint, errors of the
// page's own policy. Prints one JSON document; ends with 1 if a serious or critical finding is there.
//   node axe.mjs <address that the preview printed> [--pictures <folder>] [--chromium <path>] [--quick]
import { mkdirSync } from "node:fs";
import path from "node:path";
import { axe, given, launch, option } from "./browser.mjs";

const [address] = process.argv.slice(2);
const pictures = option("--pictures", "");

const research = (number) => `/research/res_${number.toString(16).padStart(32, "0")}`;
const pages = {
  library: "/",
  found: "/?q=bridge",
  nothing: "/?q=zzzz",
  new: "/new",
  running: research(4),
  report: research(1),
  evidence: `${research(1)}#C2`,
  claims: `${research(1)}/claims`,
  claim: `${research(1)}/claims/C2`,
  large: research(2),
  hostile: research(3),
  trace: `${research(1)}/trace`,
  "hostile-trace": `${research(3)}/trace`,
  unwritten: research(5),
  costs: "/costs",
  settings: "/settings",
  trouble: "/nowhere",
};
// What documentation shows.
const pictured = ["library", "running", "report", "evidence", "trace", "costs"];
const sizes = [["wide", 1280, 900], ["phone", 390, 844]];
const themes = ["light", "dark"];

const browser = await launch();
const page = await browser.newPage();
let dialogs = 0;
page.on("dialog", (dialog) => { dialogs += 1; dialog.dismiss(); });
await page.goto(address);
const origin = new URL(page.url()).origin;
if (pictures) mkdirSync(pictures, { recursive: true });

async function look(name, where, [size, width, height], theme) {
  const errors = [];
  const outside = [];
  const onConsole = (message) => { if (message.type() === "error" && !message.text().includes("404")) errors.push(message.text()); };
  const onRequest = (request) => { if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) outside.push(request.url()); };
  page.on("console", onConsole);
  page.on("pageerror", onConsole);
  page.on("request", onRequest);
  await page.setViewport({ width, height, deviceScaleFactor: 1 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
  // The fragment by itself: going to the same address again would load nothing.
  const [place, fragment] = where.split("#");
  const response = await page.goto(origin + place, { waitUntil: "load" });
  if (fragment) await page.evaluate((to) => { location.hash = to; }, fragment);
  await new Promise((done) => setTimeout(done, 300));
  const bytes = (await response.buffer()).length;
  const measured = await page.evaluate(() => ({
    paint_ms: Math.round(performance.getEntriesByType("paint").find((one) => one.name === "first-contentful-paint")?.startTime ?? -1),
    resources_bytes: performance.getEntriesByType("resource").reduce((sum, one) => sum + one.decodedBodySize, 0),
    overflows: document.documentElement.scrollWidth > document.documentElement.clientWidth,
  }));
  if (pictures && pictured.includes(name)) await page.screenshot({ path: path.join(pictures, `${name}-${size}-${theme}.png`), fullPage: false });
  // Through the driver, which stands outside the page's policy.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  page.off("console", onConsole);
  page.off("pageerror", onConsole);
  page.off("request", onRequest);
  const findings = violations.map((one) => ({ rule: one.id, impact: one.impact, count: one.nodes.length, first: one.nodes[0]?.html.slice(0, 200), why: one.nodes[0]?.failureSummary?.slice(0, 300) }));
  return { page: name, size, theme, status: response.status(), bytes, ...measured, errors, outside, findings };
}

// A running research that ends while it is looked at loads its page again: then it is looked at once more.
async function lookAgain(...what) {
  try {
    return await look(...what);
  } catch (error) {
    if (!String(error).includes("context was destroyed")) throw error;
    return look(...what);
  }
}

const seen = [];
for (const [name, where] of Object.entries(pages)) {
  if (given("--only") && option("--only") !== name) continue;
  for (const [place, size] of sizes.entries()) for (const theme of given("--quick") ? [themes[place]] : themes) seen.push(await lookAgain(name, where, size, theme));
}
await browser.close();
const grave = seen.flatMap((one) => one.findings.filter((finding) => ["serious", "critical"].includes(finding.impact)));
const summary = {
  pages: Object.keys(pages).length,
  looks: seen.length,
  grave: grave.length,
  findings: seen.reduce((sum, one) => sum + one.findings.length, 0),
  bytes_most: Math.max(...seen.map((one) => one.bytes)),
  paint_ms_most: Math.max(...seen.map((one) => one.paint_ms)),
  overflowing: seen.filter((one) => one.overflows).map((one) => `${one.page} ${one.size}`),
  errors: seen.flatMap((one) => one.errors).length,
  outside: seen.flatMap((one) => one.outside).length,
  dialogs,
};
console.log(JSON.stringify({ summary, seen }, null, 1));
process.exitCode = grave.length || summary.outside || summary.errors ? 1 : 0;

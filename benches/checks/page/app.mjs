// Shows the MCP Apps view in Chromium with the real host library of the MCP Apps project: handshake, progress, approval
// of the cost, claims, hostile answers, teardown. Prints one JSON document; ends with 1 if something is not as it should.
//   node app.mjs [--tools <folder>] [--picture <file>] [--chromium <path>]
import { readFileSync } from "node:fs";
import path from "node:path";
import { axe, launch, option, root, tools } from "./browser.mjs";

const host = readFileSync(path.join(tools, "host.js"), "utf8");
const html = readFileSync(path.join(root, "crates/probity-page/assets/app.html"), "utf8");

const browser = await launch();
const page = await browser.newPage();
const errors = [];
const outside = [];
page.on("console", (message) => { if (message.type() === "error") errors.push(message.text()); });
page.on("pageerror", (error) => errors.push(String(error)));
page.on("request", (request) => { if (!/^(about:|data:)/.test(request.url())) outside.push(request.url()); });
page.on("dialog", (dialog) => { errors.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
await page.setContent("<!doctype html><title>host</title><body></body>");
await page.evaluate(host);

const EVIL = "<script>alert(1)</scr" + "ipt><img src=x onerror=alert(2)>\u202Eevil";

// A host as a client would be: what the app asks for is answered from a script.
await page.evaluate(async (html, evil) => {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.style.cssText = "width:640px;height:900px;border:0";
  const asked = (window.asked = []);
  let looks = 0;
  const bridge = (window.bridge = new Host.AppBridge(null, { name: "test host", version: "1" }, { openLinks: {}, serverTools: {}, serverResources: {} }, { hostContext: { theme: "dark", platform: "web" } }));
  const structured = (structuredContent) => ({ content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent });
  bridge.oncalltool = async ({ name, arguments: given }) => {
    asked.push([name, given]);
    if (name === "estimate_research_cost") return structured({ estimated_cost: { min_usd: 1, likely_usd: 2, max_usd: 2.99999 } });
    if (name === "start_deep_research") return structured({ success: true, task_id: "res_00000000000000000000000000000007", status: "running_async", mode: "async" });
    if (name === "cancel_research") return structured({ success: true, status: "cancelling", task_id: given.task_id });
    looks += 1;
    const over = looks > 2;
    return structured({ task_id: given.task_id, status: over ? "completed" : "running_async", progress: over ? 100 : 20 * looks, current_action: evil, searches: 3 * looks, sources: looks, elapsed_minutes: looks, cost_so_far: 0.2 * looks });
  };
  bridge.onreadresource = async ({ uri }) => {
    asked.push(["resources/read", { uri }]);
    const claims = ["supported", "contradicted", "not in source", "not checked (no judge)"].map((verdict, place) => ({ id: place, claim: `${evil} claim ${place}`, verdict, cites: [place ? `https://site${place}.example/${evil}` : "javascript:alert(3)"], checks: [{ counts: true, reason: evil }] }));
    return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify({ summary: "1 of 4 supported", verified: false, claims }) }] };
  };
  bridge.onopenlink = async ({ url }) => { asked.push(["open", url]); return {}; };
  window.sizes = [];
  bridge.onsizechange = (size) => window.sizes.push(size);
  const ready = new Promise((done) => { bridge.oninitialized = done; });
  document.body.append(frame);
  await bridge.connect(new Host.PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
  await ready;
}, html, EVIL);

const frame = page.frames().find((one) => one !== page.mainFrame());
const until = async (what, test) => {
  for (let tries = 0; tries < 100; tries += 1) {
    if (await frame.evaluate(test)) return true;
    await new Promise((done) => setTimeout(done, 100));
  }
  errors.push(`never: ${what}`);
  return false;
};
const seen = {};
seen.handshake = await until("a theme from the host", () => document.documentElement.dataset.theme === "dark");
await page.evaluate((evil) => window.bridge.sendToolInput({ arguments: { query: `why? ${evil}` } }), EVIL);
await page.evaluate(() => window.bridge.sendToolResult({ content: [], structuredContent: { success: false, task_id: "", status: "needs_confirmation", message: "Up to $3.00. Nothing was started." } }));
seen.approval = await until("a price to accept", () => !document.getElementById("approval").hidden && document.getElementById("accept").textContent.includes("$3.00"));
await frame.click("#accept");
seen.progress = await until("counters", () => document.getElementById("counters").textContent.includes("searches"));
seen.claims = await until("four claims", () => document.querySelectorAll("#claims li").length === 4);
await frame.evaluate(() => [...document.querySelectorAll("#filters button")].find((one) => one.textContent === "contradicted").click());
seen.filter = await until("one claim", () => document.querySelectorAll("#claims li").length === 1);
await frame.evaluate(() => document.querySelector("#claims button.link").click());
seen.tame = await frame.evaluate(() => document.querySelectorAll("img, iframe, a, script").length === 1);
await frame.evaluate(axe);
const { violations } = await frame.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
if (option("--picture", "")) await page.screenshot({ path: option("--picture") });
seen.teardown = await page.evaluate(async () => Boolean(await window.bridge.teardownResource({})));
const asked = await page.evaluate(() => window.asked);
const sizes = await page.evaluate(() => window.sizes.length);
await browser.close();

const started = asked.find(([name]) => name === "start_deep_research")?.[1];
seen.price = started?.confirmed_cost_usd === 3;
seen.opened = asked.some(([name, url]) => name === "open" && url.startsWith("https://site1.example/"));
seen.resized = sizes > 0;
const findings = violations.map((one) => ({ rule: one.id, impact: one.impact, first: one.nodes[0]?.html.slice(0, 160) }));
const good = Object.values(seen).every(Boolean) && !errors.length && !outside.length && !findings.some((one) => ["serious", "critical"].includes(one.impact));
console.log(JSON.stringify({ good, seen, bytes: html.length, asked: asked.map(([name]) => name), errors, outside, findings }, null, 1));
process.exitCode = good ? 0 : 1;

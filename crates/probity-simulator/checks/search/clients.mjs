// Asks the simulator the cases with the official JavaScript clients, and prints what they read: one JSON line each.
// Usage: node clients.mjs BASE_URL CASES.json NODE_FOLDER
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [base, casesFile, folder] = process.argv.slice(2);
const cases = JSON.parse(readFileSync(casesFile, "utf8"));
const require = createRequire(join(folder, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const say = (client, name, read) => console.log(JSON.stringify({ client, case: name, ...read }));

async function attempt(client, name, work) {
  try {
    say(client, name, { urls: await work() });
  } catch (error) {
    say(client, name, { error: `${error.name}: ${error.message}`.slice(0, 300) });
  }
}

const { tavily } = require("@tavily/core");
for (const [client, apiKey] of [["@tavily/core", "tvly-test"], ["@tavily/core keyless", undefined]]) {
  const tavilyClient = tavily({ apiKey, apiBaseURL: `${base}/search-api/tavily` });
  for (const one of cases) {
    const options = { searchDepth: one.advanced ? "advanced" : "basic", maxResults: one.count, includeUsage: true };
    if (one.after) options.startDate = one.after;
    if (one.before) options.endDate = one.before;
    if (one.domain) options.includeDomains = [one.domain];
    if (one.domain_excluded) options.excludeDomains = [one.domain_excluded];
    if (one.language) Object.assign(options, { language: one.language, filterByLanguage: true });
    await attempt(client, one.name, async () => (await tavilyClient.search(one.query, options)).results.map((hit) => hit.url));
  }
}

const { Exa } = require("exa-js");
const exa = new Exa("exa-test", `${base}/search-api/exa`);
for (const one of cases) {
  const options = { type: one.advanced ? "deep" : "auto", numResults: one.count, contents: { highlights: true } };
  if (one.after) options.startPublishedDate = `${one.after}T00:00:00.000Z`;
  if (one.before) options.endPublishedDate = `${one.before}T23:59:59.999Z`;
  if (one.domain) options.includeDomains = [one.domain];
  if (one.domain_excluded) options.excludeDomains = [one.domain_excluded];
  await attempt("exa-js", one.name, async () => {
    const answer = await exa.search(one.query, options);
    if (typeof answer.costDollars?.total !== "number") throw new Error("no price");
    return answer.results.map((hit) => hit.url);
  });
}

// Brave publishes no client but a server for assistants; its requests are redirected to the simulator.
const server = join(folder, "node_modules/@brave/brave-search-mcp-server/dist/index.js");
const patch = join(dirname(fileURLToPath(import.meta.url)), "redirect.mjs");
const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
const client = new Client({ name: "check", version: "1" });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: ["--import", pathToFileURL(patch).href, server, "--transport", "stdio"],
    env: { ...process.env, BRAVE_API_KEY: "brave-test", REDIRECT_FROM: "https://api.search.brave.com", REDIRECT_TO: `${base}/search-api/brave` },
    stderr: "ignore",
  }),
);
for (const one of cases) {
  const words = { query: one.query, count: one.count, result_filter: ["web"], text_decorations: false };
  if (one.domain) words.query += ` site:${one.domain} -site:${one.domain_excluded}`;
  if (one.after) words.freshness = `${one.after}to${one.before}`;
  if (one.language) words.search_lang = one.language;
  await attempt("@brave/brave-search-mcp-server", one.name, async () => {
    const answer = await client.callTool({ name: "brave_web_search", arguments: words });
    if (answer.isError) throw new Error(answer.content.map((part) => part.text).join(" "));
    return answer.content.map((part) => JSON.parse(part.text).url);
  });
}
await client.close();

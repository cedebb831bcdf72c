// What every look at a page needs: the options of the command line, Chromium, and axe-core's text.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import path from "node:path";

const rest = process.argv.slice(2);
export const given = (name) => rest.includes(name);
export const option = (name, otherwise) => (given(name) ? rest[rest.indexOf(name) + 1] : otherwise);

export const root = path.resolve(import.meta.dirname, "../../..");
export const tools = option("--tools", path.join(root, ".tools/page"));
const need = createRequire(path.join(tools, "package.json"));
export const axe = readFileSync(need.resolve("axe-core/axe.min.js"), "utf8");

export const launch = () => need("puppeteer-core").launch({
  executablePath: option("--chromium", "/usr/bin/chromium-headless-shell"),
  args: ["--no-sandbox", "--disable-gpu"],
});

// What every look at the page needs: the options of the command line, and either browser.
import { createRequire } from "node:module";
import path from "node:path";

const rest = process.argv.slice(2);
export const option = (name, otherwise) => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : otherwise);

const tools = option("--tools", path.resolve(import.meta.dirname, "../../../.tools/page"));
const need = createRequire(path.join(tools, "package.json"));
const browsers = {
  chromium: { executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox", "--disable-gpu"] },
  firefox: { browser: "firefox", executablePath: "/usr/bin/firefox-esr", headless: true },
};

export const launch = () => need("puppeteer-core").launch(browsers[option("--browser", "chromium")]);

// What the page that is open complains about; asked again if the page renews itself meanwhile.
export async function alerts(page) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await page.$$eval("[role=alert]", (found) => found.map((one) => one.textContent).join());
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

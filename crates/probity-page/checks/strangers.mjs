// Opens the page, then the server of a stranger on other names and ports in the same browser. That server keeps what it
// is sent, and its page tries whatever a page can. Prints nothing: the stranger's server knows what it got.
//   node strangers.mjs <address that `probity ui` printed> <port of the stranger> [--browser chromium|firefox]
import { launch } from "./browser.mjs";

const [address, port] = process.argv.slice(2);
const SETTLES_MS = 1500;
const browser = await launch();
const page = await browser.newPage();
await page.goto(address);
const { origin } = new URL(page.url());
await page.goto(`${origin}/new`);
// From our page, as a link in a report would.
await page.evaluate((to) => { location.href = to; }, `http://127.0.0.1:${port}/followed`);
await page.waitForNavigation().catch(() => {});
for (const name of ["127.0.0.1", "localhost", "[::1]", "other.localhost"]) {
  await page.goto(`http://${name}:${port}/visited`).catch(() => {});
}
// The worst case: the stranger has learnt the name of the page.
for (const name of ["127.0.0.1", "localhost"]) {
  await page.goto(`http://${name}:${port}/attack?${encodeURIComponent(origin)}`).catch(() => {});
  await new Promise((done) => setTimeout(done, SETTLES_MS));
}
await browser.close();

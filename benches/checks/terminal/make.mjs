// Runs the program in a real terminal (tmux) against the demo's small world and draws what it shows: scenes at 80 and
// 140 columns, a film of one research, and the pages of its report as PDF.
//   node make.mjs <probity> <simulator> <world.json> <folder>
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { film, picture } from "./drawing.mjs";

const [program, simulator, world, folder] = process.argv.slice(2).map((name) => path.resolve(name));
const home = mkdtempSync(path.join(tmpdir(), "terminal-"));
const socket = path.join(home, "tmux");
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const tmux = (...words) => execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...words], { encoding: "utf8", stdio: "pipe" });

const RESEARCH = 'probity research --web --scope large "How tall is the Eiffel Tower, and when was it opened?"';
const scenes = [
  { name: "plan", typed: 'probity research --web --plan "How tall is the Eiffel Tower, and when was it opened?"', answer: "n" },
  { name: "research", typed: RESEARCH, during: "research-running" },
  { name: "verify", typed: "probity verify answer.md" },
  { name: "explain", typed: "probity explain C2" },
  { name: "runs", typed: "probity runs list" },
  { name: "doctor", typed: "probity doctor" },
  { name: "error", typed: "probity runs show res_00000000000000000000000000000000" },
];
// A world that answers as slowly as the real one: something is to be seen of each step.
const SPEED = "0.08";
// Long enough for every scene on a busy machine.
const SCENE_MAX_MS = 120000;
const LOOK_EVERY_MS = 80;

async function outside() {
  const child = spawn(simulator, ["--listen", "127.0.0.1:0", "--web", world, "--speed", SPEED], { stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise((done) => child.stdout.once("data", (bytes) => done(String(bytes))));
  return [child, /127\.0\.0\.1:\d+/.exec(line)[0]];
}

function variables(address) {
  const base = `http://${address}`;
  const search = `${base}/search-api/tavily`;
  return {
    HOME: home, PS1: "$ ", TERM: "xterm-256color", LANG: "C.UTF-8", PATH: `${path.dirname(program)}:${process.env.PATH}`,
    PROBITY_WEB__REACH: `*:80=${address},${address}=${address}`, PROBITY_WEB__ARCHIVE: "false", PROBITY_WEB__BROWSER: "off",
    PROBITY_SEARCH__BASES: `tavily=${search},tavily-keyless=${search},wikipedia=${base}/search-api/wikipedia/{language}`,
    TAVILY_API_KEY: "simulated", OPENAI_API_KEY: "simulated",
    PROBITY_CHAT__BASE_URL: `${base}/v1`, PROBITY_CHAT__MODEL: "gpt-5", PROBITY_CHAT__STANDS_FOR: "openai", PROBITY_BUDGET__MAX_USD: "1",
    DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent/bus",
  };
}

function open(columns, rows, set) {
  const given = Object.entries(set).map(([name, value]) => `${name}=${value}`);
  tmux("new-session", "-d", "-s", "s", "-x", String(columns), "-y", String(rows), "-c", home, "env", "-i", ...given, "bash", "--norc", "--noprofile");
  tmux("set", "-g", "status", "off");
  tmux("set", "-g", "history-limit", "2000");
}

// The home is a temporary one: pictures show somebody's.
const captured = (...words) => tmux("capture-pane", "-t", "s", "-e", "-p", ...words).replaceAll(home, "/home/you");
const screen = () => captured();
const whole = () => captured("-S", "-");
const plain = (text) => text.replace(/\x1b\[[\d;:]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)/g, "").trimEnd();
const atPrompt = () => plain(screen()).split("\n").at(-1) === "$";
// Without the prompt that waits for the next command.
const withoutPrompt = (text) => text.trimEnd().split("\n").slice(0, -1).join("\n").trimEnd();

async function play(scene, frames) {
  tmux("send-keys", "-t", "s", "clear", "Enter");
  await pause(300);
  tmux("clear-history", "-t", "s");
  tmux("send-keys", "-t", "s", "-l", scene.typed);
  tmux("send-keys", "-t", "s", "Enter");
  const began = Date.now();
  let during = "";
  await pause(150);
  while (!atPrompt()) {
    if (Date.now() - began > SCENE_MAX_MS) throw new Error(`${scene.name} does not end`);
    if (scene.answer && /\[y\/N\]|\(y\/n\)|\? *$/i.test(plain(screen()))) { tmux("send-keys", "-t", "s", scene.answer, "Enter"); await pause(300); }
    const now = screen();
    if (frames?.at(-1)?.screen !== now) frames?.push({ at: Date.now() - began, screen: now.trimEnd() });
    // The fullest moment of what moves.
    if (scene.during && plain(now).split("\n").length >= plain(during).split("\n").length && /fetch|read/.test(plain(now)) && !/completed/.test(plain(now))) during = now;
    await pause(LOOK_EVERY_MS);
  }
  return { whole: withoutPrompt(whole()), during: during.trimEnd() };
}

// The newest research as PDF, each page a picture.
function printed(set) {
  const file = path.join(home, "report.pdf");
  execFileSync(program, ["report", "--format", "pdf", "--output", file], { env: { ...set, PROBITY_WEB__BROWSER: "auto" }, cwd: home });
  execFileSync("pdftoppm", ["-png", "-r", "80", file, path.join(folder, "pdf")]);
}

mkdirSync(folder, { recursive: true });
const [child, address] = await outside();
try {
  copyFileSync(path.join(path.dirname(world), "answer.md"), path.join(home, "answer.md"));
  for (const columns of [80, 140]) {
    open(columns, 48, variables(address));
    await pause(500);
    for (const scene of scenes) {
      const seen = await play(scene);
      writeFileSync(path.join(folder, `terminal-${scene.name}-${columns}.svg`), picture(seen.whole, columns, scene.typed));
      if (scene.during) writeFileSync(path.join(folder, `terminal-${scene.during}-${columns}.svg`), picture(seen.during, columns, scene.typed));
    }
    tmux("kill-server");
  }
  printed(variables(address));
  open(100, 34, variables(address));
  await pause(500);
  const frames = [];
  const last = await play({ name: "film", typed: RESEARCH }, frames);
  frames.push({ at: frames.at(-1).at + 400, screen: last.whole.split("\n").slice(0, 34).join("\n") });
  writeFileSync(path.join(folder, "terminal-film.svg"), film(frames, 100, 34, RESEARCH));
  tmux("kill-server");
} finally {
  child.kill();
  try { tmux("kill-server"); } catch { /* it is gone already */ }
  rmSync(home, { recursive: true, force: true });
}

// Runs the official MCP conformance suite for both requirement sets and prints one JSON object:
// per set how many checks passed (`schema` of them say only that every message of a scenario fits the protocol's
// schema), failed, were expected to fail, or were skipped, and which failed.
//
//   run --server target/debug/probity-conformance        starts that program; every check must pass
//   run --product target/debug/probity                   starts `probity serve` on an empty directory
//   run --url http://127.0.0.1:8765/mcp --token-file F   judges a server that already runs
//   ... --baseline product-baseline.yml                  checks listed there must fail, all others pass
//   ... --only 2026-07-28                                one requirement set
//
// Stricter than the suite alone: warnings count as failures, and so do scenarios that the suite runs without
// scoring them. Exit status 0 if everything is as it should be, 1 if not, 2 if it could not be run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const SETS = ['2025-11-25', '2026-07-28'];
/** One set takes about ten seconds on an idle machine. */
const SET_MS_MAX = 240_000;
const START_MS_MAX = 30_000;
/** From the signal to the end of the server: it drains for two seconds, and streams as long again. */
const STOP_MS_MAX = 15_000;

const here = dirname(fileURLToPath(import.meta.url));
const modules = resolve(here, '../../../.tools/mcp/node/node_modules');

/** The fixture server says its address on its first line. */
async function startFixtures(program) {
  const child = spawn(program, ['--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = once(createInterface({ input: child.stdout }), 'line').then(([line]) => line);
  return { child, url: await ready(child, said) };
}

/** The product notes its address and its token in its directory. No provider is in reach. */
async function startProduct(program, home) {
  const store = join(home, 'store');
  const env = {
    HOME: home,
    PATH: process.env.PATH,
    GEMINI_API_KEY: 'no-such-key',
    GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9',
    PROBITY_STORE__DIRECTORY: store,
  };
  const child = spawn(program, ['serve', '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'pipe'], env });
  let complaint = '';
  child.stderr.on('data', (text) => (complaint = (complaint + text).slice(-4_000)));
  const noted = async () => {
    while (child.pid && child.exitCode === null && child.signalCode === null) {
      const url = existsSync(join(store, 'serve.lock')) && readFileSync(join(store, 'serve.lock'), 'utf8').split('\n')[0];
      if (url) return url;
      await new Promise((wake) => setTimeout(wake, 20));
    }
  };
  const url = await ready(child, noted(), () => complaint);
  return { child, url, token: readFileSync(join(store, 'serve.token'), 'utf8').trim() };
}

/** What `said` says, unless the program ends first or takes too long. */
async function ready(child, said, complaint = () => '') {
  const never = new Promise((_, reject) => {
    const refuse = (why) => reject(new Error(`${child.spawnfile} ${why} ${complaint()}`.trim()));
    child.once('error', (error) => refuse(error.message));
    child.once('exit', () => refuse('ended before it was ready'));
    setTimeout(refuse, START_MS_MAX, 'was not ready in time').unref();
  });
  try {
    return (await Promise.race([said, never])) ?? (await never);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

/** A server must also end when it is told to. */
async function stop(child) {
  const ended = once(child, 'exit').then(() => true);
  child.kill('SIGTERM');
  const late = new Promise((wake) => setTimeout(wake, STOP_MS_MAX, false).unref());
  if (await Promise.race([ended, late])) return;
  child.kill('SIGKILL');
  throw new Error('the server did not stop');
}

/** The suite cannot send a token, so this stands between: the same requests, with the token added. */
async function withToken(url, token) {
  const target = new URL(url);
  const proxy = http.createServer((request, response) => {
    const headers = [...request.rawHeaders, 'Authorization', `Bearer ${token}`];
    const { hostname: host, port } = target;
    const upstream = http.request({ host, port, path: target.pathname, method: request.method, headers });
    upstream.on('response', (answer) => {
      response.writeHead(answer.statusCode, answer.rawHeaders);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  proxy.unref();
  return `http://127.0.0.1:${proxy.address().port}${target.pathname}`;
}

/** Runs one set; yields all checks as { scenario, id, status, message }. */
async function judge(url, set) {
  const results = mkdtempSync(join(tmpdir(), 'mcp-conformance-'));
  try {
    const suite = join(modules, '@modelcontextprotocol/conformance/dist/index.js');
    const child = spawn(
      process.execPath,
      [suite, 'server', '--url', url, '--requirements', set, '--output-dir', results],
      { stdio: ['ignore', 'ignore', 'inherit'], timeout: SET_MS_MAX },
    );
    const [code] = await once(child, 'exit');
    const checks = [];
    for (const folder of readdirSync(results)) {
      const scenario = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
      for (const check of JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8'))) {
        checks.push({ scenario, id: check.id, status: check.status, message: check.errorMessage });
      }
    }
    if (checks.length === 0) throw new Error(`the suite wrote no results for ${set} (exit status ${code})`);
    const ran = new Set(checks.map((check) => check.scenario));
    for (const scenario of required(set).filter((scenario) => !ran.has(scenario))) {
      checks.push({ scenario, id: 'ran', status: 'FAILURE', message: 'the suite wrote no results for it' });
    }
    return checks;
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

/** The scenarios of a set, scored or not: one that is missing must not look like one that passed. */
function required(set) {
  const listed = read(join(modules, `@modelcontextprotocol/conformance/requirements/${set}.yaml`));
  const unscored = listed.not_scored.filter((entry) => entry.leg === 'server');
  return [...listed.server, ...unscored.map((entry) => entry.scenario)];
}

function read(path) {
  const yaml = createRequire(join(modules, 'x.js'))('yaml');
  return yaml.parse(readFileSync(path, 'utf8'));
}

/** Entries are `scenario` or `scenario:check`, in the suite's own format. */
function readBaseline(path) {
  return path ? (read(path).server ?? []) : [];
}

function summarise(checks, baseline, used) {
  const summary = { passed: 0, schema: 0, failed: 0, expected: 0, skipped: 0, scenarios: 0, failing: [] };
  summary.scenarios = new Set(checks.map((check) => check.scenario)).size;
  for (const { scenario, id, status, message } of checks) {
    if (status === 'SUCCESS') {
      summary.passed += 1;
      if (id === 'wire-schema-valid') summary.schema += 1;
    } else if (status === 'SKIPPED') summary.skipped += 1;
    else if (status === 'FAILURE' || status === 'WARNING') {
      const entry = [scenario, `${scenario}:${id}`].find((entry) => baseline.includes(entry));
      if (entry) {
        used.add(entry);
        summary.expected += 1;
      } else {
        summary.failed += 1;
        summary.failing.push({ scenario, check: id, status, message });
      }
    }
  }
  return summary;
}

async function main() {
  const { values } = parseArgs({
    options: {
      server: { type: 'string' },
      product: { type: 'string' },
      url: { type: 'string' },
      'token-file': { type: 'string' },
      baseline: { type: 'string' },
      only: { type: 'string' },
    },
  });
  if ([values.server, values.product, values.url].filter(Boolean).length !== 1) {
    throw new Error('give one of --server PROGRAM, --product PROGRAM, --url ADDRESS');
  }
  const baseline = readBaseline(values.baseline);
  const used = new Set();
  const sets = {};
  const home = mkdtempSync(join(tmpdir(), 'mcp-home-'));
  let started;
  try {
    if (values.server) started = await startFixtures(values.server);
    if (values.product) started = await startProduct(values.product, home);
    let { url, token } = started ?? values;
    if (values['token-file']) token = readFileSync(values['token-file'], 'utf8').trim();
    if (token) url = await withToken(url, token);
    for (const set of SETS) {
      if (values.only && values.only !== set) continue;
      sets[set] = summarise(await judge(url, set), baseline, used);
    }
  } finally {
    if (started) await stop(started.child);
    rmSync(home, { recursive: true, force: true });
  }
  // An entry that no longer fails must go, or it would hide the day it fails again.
  const stale = values.only ? [] : baseline.filter((entry) => !used.has(entry));
  console.log(JSON.stringify({ sets, stale }, null, 2));
  const good = stale.length === 0 && Object.values(sets).every((set) => set.failed === 0 && set.passed > 0);
  process.exitCode = good ? 0 : 1;
}

main().catch((error) => {
  console.error(`conformance: ${error.message}`);
  process.exitCode = 2;
});

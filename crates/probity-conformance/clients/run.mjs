// Runs every real client against the real binary and prints one JSON object: how many cells pass, how many a
// client has no way to fill, how many fail, and every cell.
//
//   run                                      everything, with target/debug/probity
//   run --program P --simulator S            other builds
//   run --columns typescript2/modern/stdio   only these, separated by commas; a prefix is enough
//   run --cells list,call                    only these
//   run --markdown FILE                      also writes the table
//
// Exit status 0 if no cell fails, 1 if one does, 2 if it could not be run. One after the other: each client
// waits most of its time, and two at once would judge the machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const repository = resolve(here, '../../..');
const python = join(repository, '.tools/mcp/python/bin/python');
const START_MS_MAX = 30_000;
/** From the signal to the end of a server: it drains what is open. */
const STOP_MS_MAX = 70_000;
/** One client in one era on one transport takes less than a minute on an idle machine. */
const COLUMN_MS_MAX = 900_000;
/** Below every estimate, so that each start is asked about. */
const ASK_ABOVE_USD = '0.5';

const CLIENTS = [
  { name: 'inspector', program: 'inspector.mjs', eras: ['legacy', 'auto', 'modern'], title: 'Inspector CLI 2.12' },
  { name: 'typescript2', program: 'typescript2.mjs', eras: ['legacy', 'modern'], title: 'TypeScript client 2.4' },
  { name: 'typescript1', program: 'typescript1.mjs', eras: ['legacy'], title: 'TypeScript SDK 1.32' },
  { name: 'python_mcp', program: 'python_mcp.py', eras: ['legacy', 'modern'], title: 'Python mcp 2.3' },
  { name: 'python_fastmcp', program: 'python_fastmcp.py', eras: ['legacy', 'modern'], title: 'fastmcp 4.1' },
];
const TRANSPORTS = ['stdio', 'http'];

const columns = CLIENTS.flatMap((client) =>
  client.eras.flatMap((era) => TRANSPORTS.map((transport) => ({ client, era, transport }))),
);
const nameOf = ({ client, era, transport }) => `${client.name}/${era}/${transport}`;

/** A home of its own for each server; nothing of this machine's settings comes in. */
function environment(home, simulator, more = {}) {
  mkdirSync(home, { recursive: true });
  return {
    HOME: home,
    PATH: process.env.PATH,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    PROBITY_STORE__DIRECTORY: join(home, 'store'),
    GEMINI_API_KEY: 'no-such-key',
    GOOGLE_GEMINI_BASE_URL: simulator,
    ...more,
  };
}

const asks = { PROBITY_MCP__ASK_ABOVE_USD: ASK_ABOVE_USD };

async function ready(child, said) {
  const never = new Promise((_, reject) => {
    const refuse = (why) => reject(new Error(`${child.spawnfile} ${why}`));
    child.once('error', (error) => refuse(error.message));
    child.once('exit', () => refuse('ended before it was ready'));
    setTimeout(refuse, START_MS_MAX, 'was not ready in time').unref();
  });
  never.catch(() => {});
  return Promise.race([said, never]);
}

async function startSimulator(program) {
  const child = spawn(program, ['--listen', '127.0.0.1:0', '--speed', '10'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = once(createInterface({ input: child.stdout }), 'line').then(([line]) => JSON.parse(line).base_url);
  return { child, url: await ready(child, said) };
}

/** The server notes its address and its token in its directory. */
async function startServer(program, env) {
  const store = env.PROBITY_STORE__DIRECTORY;
  const child = spawn(program, ['serve', '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'ignore'], env });
  const noted = async () => {
    for (;;) {
      const url = existsSync(join(store, 'serve.lock')) && readFileSync(join(store, 'serve.lock'), 'utf8').split('\n')[0];
      if (url || child.exitCode !== null) return url;
      await new Promise((wake) => setTimeout(wake, 20));
    }
  };
  const url = await ready(child, noted());
  return { child, place: { url, token: readFileSync(join(store, 'serve.token'), 'utf8').trim() } };
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const cut = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
  await ended;
  clearTimeout(cut);
}

/** Runs one driver; yields its lines, and a failure in place of those it did not print. */
async function fill(column, settings) {
  const driver = join(here, column.client.program);
  const [program, args] = driver.endsWith('.py')
    ? [python, ['-B', '-W', 'ignore', driver]]
    : [process.execPath, ['--import', join(here, 'installed.mjs'), driver]];
  const env = { PATH: process.env.PATH, HOME: settings.home, PROBITY_CLIENTS: JSON.stringify(settings) };
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env, timeout: COLUMN_MS_MAX });
  let complaint = '';
  child.stderr.on('data', (text) => (complaint = (complaint + text).slice(-4_000)));
  const lines = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line));
    process.stderr.write(`${line}\n`);
  });
  const [code] = await once(child, 'close');
  if (code !== 0 || lines.length === 0) {
    const detail = `the driver ended with ${code}: ${complaint.trim().split('\n').slice(-3).join(' ')}`;
    const { era, transport } = column;
    lines.push({ client: column.client.name, era, transport, cell: 'the driver', outcome: 'fail', detail });
  }
  return lines;
}

/** Cells down, clients across; one letter would hide the reason, so what is not a pass has a footnote. */
export function markdown(lines) {
  const across = columns.filter((column) => lines.some((line) => line.column === nameOf(column)));
  const down = [...new Set(lines.map((line) => line.cell))];
  const notes = [];
  const noted = (text) => {
    if (!notes.includes(text)) notes.push(text);
    return notes.indexOf(text) + 1;
  };
  const shown = (line) => {
    if (!line) return '';
    if (line.outcome === 'pass') return 'pass';
    return line.outcome === 'fail' ? `**fail**<sup>${noted(line.detail)}</sup>` : `–<sup>${noted(line.detail)}</sup>`;
  };
  const at = (column, cell) => lines.find((line) => line.column === nameOf(column) && line.cell === cell);
  const rows = across.map((column) => [
    column.client.title,
    column.era,
    column.transport,
    ...down.map((cell) => shown(at(column, cell))),
  ]);
  const table = [['client', 'era', 'transport', ...down], Array(down.length + 3).fill('---'), ...rows];
  const { pass, unsupported, fail } = count(lines);
  return [
    '<!-- Generated by `just figures mcp full`, or `crates/probity-conformance/clients/run --markdown`. -->',
    '# Real clients against the real binary',
    '',
    `${pass} cells pass, ${unsupported} unsupported by the client (–), ${fail} fail. The provider is the simulator.`,
    'Drop: the client is killed during its call. Timeout: the client gives its call three seconds. What each cell',
    'asks is in `crates/probity-conformance/clients/cells.mjs`, and the same in `cells.py`.',
    '',
    ...table.map((row) => `| ${row.join(' | ')} |`),
    '',
    ...notes.map((note, index) => `${index + 1}. ${note.replaceAll('|', '\\|')}`),
    '',
  ].join('\n');
}

function count(lines) {
  const of = (outcome) => lines.filter((line) => line.outcome === outcome).length;
  return { pass: of('pass'), unsupported: of('unsupported'), fail: of('fail') };
}

async function main() {
  const { values } = parseArgs({
    options: {
      program: { type: 'string', default: join(repository, 'target/debug/probity') },
      simulator: { type: 'string', default: join(repository, 'target/debug/probity-simulator') },
      columns: { type: 'string' },
      cells: { type: 'string' },
      markdown: { type: 'string' },
    },
  });
  const wanted = values.columns?.split(',');
  const chosen = columns.filter((column) => !wanted || wanted.some((prefix) => nameOf(column).startsWith(prefix)));
  if (chosen.length === 0) throw new Error(`no client is called ${values.columns}`);
  const base = mkdtempSync(join(tmpdir(), 'mcp-clients-'));
  const started = [];
  const lines = [];
  try {
    const simulator = await startSimulator(resolve(values.simulator));
    started.push(simulator.child);
    const program = resolve(values.program);
    const served = async (name, more) => {
      const server = await startServer(program, environment(join(base, name), simulator.url, more));
      started.unshift(server.child);
      return server.place;
    };
    const http = chosen.some((column) => column.transport === 'http')
      ? { plain: await served('plain'), asking: await served('asking', asks) }
      : {};
    for (const column of chosen) {
      const home = join(base, nameOf(column).replaceAll('/', '-'));
      const own = (name, more) => {
        const env = environment(join(home, name), simulator.url, more);
        return { command: program, args: ['mcp'], env };
      };
      const stdio = { plain: own('plain'), asking: own('asking', asks) };
      const { era, transport } = column;
      const places = transport === 'stdio' ? stdio : http;
      const only = values.cells?.split(',');
      const settings = { era, transport, home, simulator: simulator.url, only, ...places };
      for (const line of await fill(column, settings)) lines.push({ ...line, column: nameOf(column) });
    }
  } finally {
    for (const child of started) await stop(child);
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
  if (values.markdown) writeFileSync(values.markdown, markdown(lines));
  const counted = count(lines);
  console.log(JSON.stringify({ ...counted, total: lines.length, cells: lines }, null, 2));
  process.exitCode = counted.fail === 0 && counted.pass > 0 ? 0 : 1;
}

main().catch((error) => {
  console.error(`clients: ${error.message}`);
  process.exitCode = 2;
});

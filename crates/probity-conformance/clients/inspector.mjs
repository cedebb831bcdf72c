// The Inspector's command line: one connection per command, so each cell is a few commands.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspector } from './installed.mjs';
import {
  LONGER_THAN_PATIENCE,
  OVER_TWO_SIGNS,
  PROMPTS,
  TEMPLATES,
  TOOLS,
  Unsupported,
  WAIT_MS_MAX,
  accepted,
  completed,
  ended,
  expect,
  fill,
  found,
  question,
  running,
  same,
  settings,
  toConfirm,
} from './cells.mjs';

const { plain, asking, era, home } = settings;

/** A file that names one server: nothing of the Inspector's own settings is read or written. */
function config(place) {
  const path = join(home, `${place === asking ? 'asking' : 'plain'}.json`);
  const { command, args, env, url, token } = place;
  const server = command
    ? { type: 'stdio', command, args, env }
    : { type: 'streamable-http', url, headers: { Authorization: `Bearer ${token}` } };
  writeFileSync(path, JSON.stringify({ mcpServers: { probity: server } }));
  return path;
}

function started(place, method, more = []) {
  const environment = { ...process.env, MCP_INSPECTOR_SECRET_STORE: 'memory' };
  const arguments_ = [inspector, '--cli', '--config', config(place), '--server', 'probity'];
  const said = ['--protocol-era', era, '--format', 'json', '--quiet', '--method', method, ...more];
  return spawn(process.execPath, [...arguments_, ...said], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 2 * WAIT_MS_MAX,
  });
}

async function run(place, method, more) {
  const child = started(place, method, more);
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => (out += text));
  child.stderr.on('data', (text) => (err += text));
  const [code] = await once(child, 'close');
  return { code, err, answer: out.trim() ? JSON.parse(out) : undefined };
}

async function ask(place, method, more) {
  const { code, err, answer } = await run(place, method, more);
  expect(answer, `${method} ended with ${code}: ${err.trim().slice(-300)}`);
  return answer.result ?? answer;
}

const called = (tool, args) => ['--tool-name', tool, '--tool-args-json', JSON.stringify(args)];
const sessionOn = (place) => ({ call: (tool, args) => ask(place, 'tools/call', called(tool, args)) });
const session = sessionOn(plain);
const start = (scenario, label, more = {}, on = session) =>
  on.call('start_deep_research', { query: question(scenario, label), ...more });

const cannotAsk = () => {
  throw new Unsupported('its command line declares no elicitation');
};

await fill('inspector', {
  async list(label) {
    const task = completed(await start('completed', label));
    const strict = await run(plain, 'tools/list', ['--strict']);
    same(strict.code, 0, `--strict says ${strict.err.trim().slice(-300)}; status`);
    const names = (things, key = 'name') => things.map((thing) => thing[key]);
    same(names((strict.answer.result ?? strict.answer).tools), TOOLS, 'tools');
    same(names((await ask(plain, 'prompts/list')).prompts), PROMPTS, 'prompts');
    same((await ask(plain, 'resources/templates/list')).resourceTemplates.length, TEMPLATES, 'templates');
    const resources = names((await ask(plain, 'resources/list')).resources, 'uri');
    expect(resources.includes(`research://${task}/report`), 'the report is not listed');
    return 'with --strict';
  },

  async call(label) {
    const query = question('completed', label);
    const estimate = await session.call('estimate_research_cost', { query });
    expect(estimate.structuredContent.estimated_cost.likely_usd > 0, 'no estimate');
    const task = completed(await session.call('start_deep_research', { query }));
    const results = await session.call('get_research_results', { task_id: task });
    expect(results.structuredContent.report.length > 100, 'no report');
    same(await accepted(task), 1, 'accepted');
  },

  async errors() {
    const unknown = await session.call('get_research_results', { task_id: `res_${'0'.repeat(32)}` });
    same([unknown.isError, unknown.structuredContent.error.code], [true, 'NOT_FOUND'], 'no such research');
  },

  async progress() {
    throw new Unsupported('its command line asks for no progress');
  },

  async cancel() {
    throw new Unsupported('its command line has no way to cancel a call; a signal ends it, see drop');
  },

  async drop(label) {
    const query = question(LONGER_THAN_PATIENCE, label);
    const child = started(plain, 'tools/call', called('start_deep_research', { query }));
    const task = await running(session, label).finally(() => child.kill('SIGKILL'));
    same(await ended(session, task), 'completed', 'the research');
    const results = await session.call('get_research_results', { task_id: task });
    expect(results.structuredContent.report.length > 100, 'no report');
    same(await accepted(task), 1, 'accepted');
  },

  async timeout() {
    throw new Unsupported('its command line has no limit of its own for a call; the library\'s is 60 s, which no start of ours takes');
  },

  'elicitation: yes': cannotAsk,
  'elicitation: no': cannotAsk,

  async 'elicitation: cannot'(label) {
    const on = sessionOn(asking);
    const amount = toConfirm(await start('completed', label, {}, on));
    same((await found(on, label)).length, 0, 'started');
    const task = completed(await start('completed', label, { confirmed_cost_usd: amount }, on));
    same(await accepted(task), 1, 'accepted');
  },

  // It declares tasks in every era, follows one by itself where it gets one, and shows the result.
  async tasks(label) {
    const answer = await start(OVER_TWO_SIGNS, label);
    expect(answer.content.length > 0, 'an empty answer');
    const task = completed(answer);
    same(await accepted(task), 1, 'accepted');
    return era === 'legacy' ? 'declared in the old era: gets the answer, not a task' : 'followed to its end; it has no tasks/cancel';
  },

  async resources(label) {
    const task = completed(await start('completed', label));
    const read = async (part) =>
      (await ask(plain, 'resources/read', ['--uri', `research://${task}/${part}`])).contents[0];
    const report = await read('report');
    expect(report.mimeType === 'text/markdown' && report.text.length > 100, 'no report');
    expect(JSON.parse((await read('sources')).text).sources.length > 0, 'no sources');
    expect(JSON.parse((await read('evidence')).text).claims.length > 0, 'no evidence');
    const nothing = await run(plain, 'resources/read', ['--uri', `research://${task}/nothing`]);
    expect(nothing.code !== 0, 'a resource that is not there was read');
  },

  async subscribe() {
    throw new Unsupported('its command line has no subscriptions');
  },
});

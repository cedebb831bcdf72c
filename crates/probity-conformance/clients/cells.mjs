// The cells of the matrix for clients that are JavaScript libraries: what is asked of each, told once.
//
// A driver gives an adapter with the client's own way to connect, call, read and watch. Each cell prints one
// line; a cell that the client has no way to fill throws `Unsupported` with the reason in a few words.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** `{ era, transport, simulator, plain, asking, only }`; a place is a command or an address with a token. */
export const settings = JSON.parse(process.env.PROBITY_CLIENTS ?? '{}');

/** The published list, in its order: what clients must see. */
export const TOOLS = [
  ...readFileSync(new URL('../../../docs/generated/tools.md', import.meta.url), 'utf8').matchAll(/^## `(\w+)`$/gm),
].map(([, name]) => name);
export const PROMPTS = ['deep_research', 'verify_report'];
export const TEMPLATES = 5;
export const TASKS = 'io.modelcontextprotocol/tasks';

/** World time runs ten times faster than ours: these take 3.5 and 7 seconds. */
export const OVER_TWO_SIGNS = 'slow duration_ms=35000';
export const LONGER_THAN_PATIENCE = 'slow duration_ms=70000';
/** Runs until it is cancelled. */
export const UNTIL_CANCELLED = 'cancel-ok';
/** What an impatient client gives one call. */
export const PATIENCE_MS = 3_000;
/** Longest wait for anything: a busy machine is slow, a hanging run is worse. */
export const WAIT_MS_MAX = 30_000;
const CELL_MS_MAX = 120_000;
const LOOK_EVERY_MS = 100;
const GOING = ['pending', 'running_async', 'cancelling'];

const WORDLESS =
  'over HTTP it can only close the stream; the protocol calls that a cancel, but a broken line does the same, so ' +
  'by our decision the research goes on until cancel_research';

export class Unsupported extends Error {}

export function expect(truth, what) {
  if (!truth) throw new Error(what);
}

export function same(actual, expected, what) {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  expect(left === right, `${what}: ${left} instead of ${right}`);
}

/** Looks until there is something. */
export async function until(what, look) {
  const end = Date.now() + WAIT_MS_MAX;
  while (Date.now() < end) {
    const seen = await look();
    if (seen) return seen;
    await new Promise((wake) => setTimeout(wake, LOOK_EVERY_MS));
  }
  throw new Error(`${what}: not within ${WAIT_MS_MAX} ms`);
}

export async function within(what, promise, limit = WAIT_MS_MAX) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${limit} ms`)), limit);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the provider accepted and will be paid for, by the research it belongs to. */
export async function accepted(task) {
  const ledger = await (await fetch(`${settings.simulator}/simulator/ledger`)).json();
  same(ledger.duplicates, [], 'paid twice');
  return ledger.entries.filter((entry) => entry.task === task).length;
}

export const question = (scenario, label) => `[[${scenario}]] ${label}: which clients work?`;

/** Runs the cells one after the other and prints a line for each. */
export async function fill(client, cells) {
  const { era, transport, only } = settings;
  for (const [cell, work] of Object.entries(cells)) {
    if (only && !only.includes(cell)) continue;
    const label = `${client} ${era} ${transport} ${cell}`;
    const line = { client, era, transport, cell, outcome: 'pass', detail: '' };
    try {
      line.detail = (await within('the cell', work(label), CELL_MS_MAX)) ?? '';
    } catch (error) {
      line.outcome = error instanceof Unsupported ? 'unsupported' : 'fail';
      line.detail = error.message;
    }
    console.log(JSON.stringify(line));
  }
}

/** Researches whose question holds this label. */
export async function found(session, label) {
  const answer = await session.call('list_research', { text: label });
  return answer.structuredContent.researches;
}

/** The one research with this label, once it runs. */
export function running(session, label) {
  return until(`${label} runs`, async () => {
    const [first] = await found(session, label);
    if (!first) return undefined;
    expect(GOING.includes(first.status), `it was ${first.status} before it was seen running`);
    return first.status === 'running_async' && (await accepted(first.task_id)) === 1 && first.task_id;
  });
}

export function ended(session, task) {
  return until(`${task} ends`, async () => {
    const answer = await session.call('check_research_status', { task_id: task, wait_seconds: 5 });
    const { status } = answer.structuredContent;
    return !GOING.includes(status) && status;
  });
}

export function completed(answer, what = 'the start') {
  expect(!answer.isError, `${what} ended in an error: ${JSON.stringify(answer.structuredContent)}`);
  const { success, status, task_id, results } = answer.structuredContent;
  same([success, status], [true, 'completed'], what);
  expect(results.report.length > 100 && results.sources.length > 0, 'an empty report');
  expect(answer.content.some((block) => block.type === 'text' && block.text.includes(task_id)), 'no text');
  return task_id;
}

/** The amount that an answer asks to confirm. */
export function toConfirm(answer) {
  const { status, task_id, message } = answer.structuredContent;
  same([status, task_id], ['needs_confirmation', ''], 'the unasked start');
  return Number(/confirmed_cost_usd=(\d+(\.\d+)?)/.exec(message)[1]);
}

/**
 * A cancelled call withdraws its research. Over HTTP the new era has no word for it: the client closes the
 * stream, as a broken line does, and a paid research is not lost to a broken line.
 */
export async function judgeCancel(session, task) {
  const wordless = settings.era === 'modern' && settings.transport === 'http';
  if (wordless) {
    const looked = await session.call('check_research_status', { task_id: task, wait_seconds: 3 });
    same(looked.structuredContent.status, 'running_async', 'a closed stream');
    const cancelled = await session.call('cancel_research', { task_id: task });
    same(cancelled.structuredContent.success, true, 'cancel_research');
  }
  same(await ended(session, task), 'cancelled', 'the research');
  same(await accepted(task), 1, 'accepted');
  if (wordless) throw new Unsupported(WORDLESS);
}

/** A second process of this driver that starts a research and is killed while it waits: a client that crashes. */
export function hanging(driver, query) {
  const child = spawn(process.execPath, [...process.execArgv, driver, 'hang', query], { stdio: 'ignore' });
  return () => child.kill('SIGKILL');
}

/** The same process, on its other side. */
export async function hang(adapter) {
  const session = await adapter.connect(settings.plain);
  await session.call('start_deep_research', { query: process.argv[3] });
}

export function libraryCells(adapter) {
  const { plain, asking, era } = settings;
  const start = (session, scenario, label, options, more = {}) =>
    session.call('start_deep_research', { query: question(scenario, label), ...more }, options);
  /** Connects, works, and leaves whatever happens. */
  const connected = async (place, wishes, work) => {
    const session = await adapter.connect(place, wishes);
    try {
      return await work(session);
    } finally {
      await session.close();
    }
  };
  const onPlain = (work) => connected(plain, {}, work);

  return {
    list: (label) =>
      onPlain(async (session) => {
        const task = completed(await start(session, 'completed', label));
        const listed = await session.list();
        same(listed.tools, TOOLS, 'tools');
        same(listed.prompts, PROMPTS, 'prompts');
        same(listed.templates.length, TEMPLATES, 'templates');
        expect(listed.resources.includes(`research://${task}/report`), 'the report is not listed');
        return `protocol ${session.version}`;
      }),

    call: (label) =>
      onPlain(async (session) => {
        await session.list();
        const query = question('completed', label);
        const estimate = await session.call('estimate_research_cost', { query });
        expect(estimate.structuredContent.estimated_cost.likely_usd > 0, 'no estimate');
        const task = completed(await session.call('start_deep_research', { query }));
        const results = await session.call('get_research_results', { task_id: task });
        expect(results.structuredContent.report.length > 100, 'no report');
        same(await accepted(task), 1, 'accepted');
      }),

    errors: () =>
      onPlain(async (session) => {
        await session.list();
        const nowhere = `res_${'0'.repeat(32)}`;
        const unknown = await session.call('get_research_results', { task_id: nowhere });
        same([unknown.isError, unknown.structuredContent.error.code], [true, 'NOT_FOUND'], 'no such research');
        const bad = await session.call('start_deep_research', { query: 'x', model: 'no-such-agent' });
        same([bad.isError, bad.structuredContent.success], [true, false], 'a bad argument');
      }),

    progress: (label) =>
      onPlain(async (session) => {
        const signs = [];
        const onProgress = (sign) => signs.push(sign.progress);
        completed(await start(session, OVER_TWO_SIGNS, label, { onProgress }));
        expect(signs.length >= 2, `${signs.length} signs of progress`);
        expect(signs.every((sign, at) => at === 0 || sign > signs[at - 1]), `progress does not grow: ${signs}`);
        return `${signs.length} notifications`;
      }),

    cancel: (label) =>
      onPlain(async (session) => {
        const stop = new AbortController();
        const call = start(session, UNTIL_CANCELLED, label, { signal: stop.signal });
        const refused = call.then(() => false, () => true);
        const task = await running(session, label);
        stop.abort();
        expect(await refused, 'the client got an answer all the same');
        await judgeCancel(session, task);
      }),

    drop: async (label) => {
      const kill = hanging(adapter.driver, question(LONGER_THAN_PATIENCE, label));
      const task = await onPlain((session) => running(session, label)).finally(kill);
      return onPlain(async (session) => {
        same(await ended(session, task), 'completed', 'the research');
        const results = await session.call('get_research_results', { task_id: task });
        expect(results.structuredContent.report.length > 100, 'no report');
        same(await accepted(task), 1, 'accepted');
      });
    },

    timeout: (label) =>
      onPlain(async (session) => {
        const call = start(session, LONGER_THAN_PATIENCE, label, { timeout: PATIENCE_MS });
        const refused = await call.then(() => '', (error) => error.message);
        expect(/timed? ?out/i.test(refused), `the client did not give up: ${refused}`);
        const researches = await found(session, label);
        same(researches.length, 1, 'researches');
        const status = await ended(session, researches[0].task_id);
        same(await accepted(researches[0].task_id), 1, 'accepted');
        same(status, 'completed', 'the research');
      }),

    'elicitation: yes': (label) =>
      connected(asking, { answer: 'accept' }, async (session) => {
        const task = completed(await start(session, 'completed', label));
        same([session.asked(), await accepted(task)], [1, 1], 'asked and accepted');
      }),

    'elicitation: no': (label) =>
      connected(asking, { answer: 'decline' }, async (session) => {
        const answer = await start(session, 'completed', label);
        same(answer.structuredContent.status, 'declined', 'the start');
        same([session.asked(), (await found(session, label)).length], [1, 0], 'asked and started');
      }),

    'elicitation: cannot': (label) =>
      connected(asking, {}, async (session) => {
        const amount = toConfirm(await start(session, 'completed', label));
        same((await found(session, label)).length, 0, 'started');
        const confirmed = { confirmed_cost_usd: amount };
        const task = completed(await start(session, 'completed', label, {}, confirmed));
        same(await accepted(task), 1, 'accepted');
      }),

    tasks: async (label) => {
      if (era === 'modern') return adapter.tasks(label);
      return connected(plain, { tasks: true }, async (session) => {
        const answer = await start(session, OVER_TWO_SIGNS, label);
        expect(!('task' in answer) && !('taskId' in answer), 'a task in the old era');
        completed(answer);
        return 'declared in the old era: gets the answer, not a task';
      });
    },

    resources: (label) =>
      onPlain(async (session) => {
        const task = completed(await start(session, 'completed', label));
        const report = await session.read(`research://${task}/report`);
        expect(report.mimeType === 'text/markdown' && report.text.length > 100, 'no report');
        const sources = JSON.parse((await session.read(`research://${task}/sources`)).text);
        expect(sources.sources.length > 0, 'no sources');
        const evidence = JSON.parse((await session.read(`research://${task}/evidence`)).text);
        expect(evidence.verified === false && evidence.claims.length > 0, 'no evidence');
        const nothing = await session.read(`research://${task}/nothing`).then(() => false, () => true);
        expect(nothing, 'a resource that is not there was read');
      }),

    subscribe: (label) =>
      onPlain(async (session) => {
        const call = start(session, LONGER_THAN_PATIENCE, label);
        const task = await running(session, label);
        const updated = [];
        const uri = `research://${task}/report`;
        const leave = await session.watch(uri, (told) => updated.push(told));
        await until('an update', () => updated.length > 0);
        same(updated[0], uri, 'the update');
        await leave();
        completed(await call);
      }),
  };
}

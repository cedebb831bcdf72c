// The TypeScript client 2.x, in both eras, with the tasks extension.
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import {
  OVER_TWO_SIGNS,
  TASKS,
  UNTIL_CANCELLED,
  accepted,
  completed,
  ended,
  expect,
  fill,
  hang,
  libraryCells,
  question,
  same,
  settings,
} from './cells.mjs';

const MODERN = '2026-07-28';
const NAME = { name: 'typescript2', version: '2.4.0' };

function transportTo(place) {
  if (place.command) return new StdioClientTransport({ ...place, stderr: 'ignore' });
  const headers = { Authorization: `Bearer ${place.token}` };
  return new StreamableHTTPClientTransport(new URL(place.url), { requestInit: { headers } });
}

function capabilities(wishes) {
  return {
    ...(wishes.answer ? { elicitation: { form: {} } } : {}),
    ...(wishes.tasks ? { extensions: { [TASKS]: {} }, tasks: { list: {}, cancel: {} } } : {}),
  };
}

async function connect(place, wishes = {}) {
  const mode = settings.era === 'modern' ? { pin: MODERN } : 'legacy';
  const options = { capabilities: capabilities(wishes), versionNegotiation: { mode } };
  const client = new Client(NAME, options);
  let asked = 0;
  if (wishes.answer) {
    client.setRequestHandler('elicitation/create', () => {
      asked += 1;
      return wishes.answer === 'accept' ? { action: 'accept', content: { start: true } } : { action: 'decline' };
    });
  }
  await client.connect(transportTo(place));
  same(client.getProtocolEra(), settings.era, 'the era');
  return {
    client,
    asked: () => asked,
    version: client.getNegotiatedProtocolVersion(),
    close: () => client.close(),
    async list() {
      const names = (things, key = 'name') => things.map((thing) => thing[key]);
      return {
        tools: names((await client.listTools()).tools),
        prompts: names((await client.listPrompts()).prompts),
        templates: names((await client.listResourceTemplates()).resourceTemplates),
        resources: names((await client.listResources()).resources, 'uri'),
      };
    },
    call(name, args, { timeout, signal, onProgress } = {}) {
      return client.callTool({ name, arguments: args }, { timeout, signal, onprogress: onProgress });
    },
    async read(uri) {
      return (await client.readResource({ uri })).contents[0];
    },
    async watch(uri, tell) {
      client.setNotificationHandler('notifications/resources/updated', (told) => tell(told.params.uri));
      if (settings.era === 'modern') {
        const listening = await client.listen({ resourceSubscriptions: [uri] });
        same(listening.honoredFilter.resourceSubscriptions, [uri], 'the filter');
        return () => listening.close();
      }
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
  };
}

/** What the extension asks of its host: requests below the client, which has no words for task answers. */
function beside(client) {
  const { transport } = client;
  const waiting = new Map();
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const settle = waiting.get(message.id);
    if (!settle || message.method) return deliver(message, extra);
    waiting.delete(message.id);
    settle(message.error ? { kind: 'error', error: message.error } : { kind: 'result', result: message.result });
  };
  let sent = 0;
  return (request) =>
    new Promise((resolve, reject) => {
      const id = `task-${(sent += 1)}`;
      waiting.set(id, resolve);
      transport.send({ ...request, jsonrpc: '2.0', id }).catch(reject);
    });
}

async function tasks(label) {
  const plain = await connect(settings.plain, { tasks: true });
  const session = createTaskSessionFromClient(plain.client, {
    endpointId: 'probity',
    rawDispatch: beside(plain.client),
    v2RequestFraming: {
      protocolVersion: MODERN,
      clientInfo: NAME,
      clientCapabilities: { extensions: { [TASKS]: {} } },
    },
  });
  try {
    const start = (scenario, part) =>
      session.callTool('start_deep_research', { query: question(scenario, `${label} ${part}`) });
    const long = await start(OVER_TWO_SIGNS, 'to its end');
    same(long.kind, 'task', 'what a long start becomes');
    const { outcome } = await long.settle();
    same(completed(resultFromTaskOutcome(outcome)), long.handle.taskId, 'the task id');
    same(await accepted(long.handle.taskId), 1, 'accepted');

    const unwanted = await start(UNTIL_CANCELLED, 'to be cancelled');
    same(unwanted.kind, 'task', 'what a long start becomes');
    await unwanted.cancel();
    same((await unwanted.settle()).outcome.status, 'cancelled', 'the outcome');
    same(await ended(plain, unwanted.handle.taskId), 'cancelled', 'the research');

    const short = await start('completed', 'at once');
    expect(short.kind === 'immediate', 'a short start became a task');
    completed(resultFromTaskOutcome((await short.settle()).outcome));
  } finally {
    await session.close();
    await plain.close();
  }
}

const adapter = { driver: fileURLToPath(import.meta.url), connect, tasks };
await (process.argv[2] === 'hang' ? hang(adapter) : fill('typescript2', libraryCells(adapter)));

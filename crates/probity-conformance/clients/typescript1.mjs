// The TypeScript SDK 1.x, which speaks the old era only.
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { TASKS, fill, hang, libraryCells, settings } from './cells.mjs';

function transportTo(place) {
  if (place.command) return new StdioClientTransport({ ...place, stderr: 'ignore' });
  const headers = { Authorization: `Bearer ${place.token}` };
  return new StreamableHTTPClientTransport(new URL(place.url), { requestInit: { headers } });
}

async function connect(place, wishes = {}) {
  const capabilities = {
    ...(wishes.answer ? { elicitation: { form: {} } } : {}),
    ...(wishes.tasks ? { extensions: { [TASKS]: {} }, tasks: { list: {}, cancel: {} } } : {}),
  };
  const client = new Client({ name: 'typescript1', version: '1.32.2' }, { capabilities });
  let asked = 0;
  if (wishes.answer) {
    client.setRequestHandler(ElicitRequestSchema, () => {
      asked += 1;
      return wishes.answer === 'accept' ? { action: 'accept', content: { start: true } } : { action: 'decline' };
    });
  }
  const transport = transportTo(place);
  await client.connect(transport);
  return {
    asked: () => asked,
    version: transport.protocolVersion ?? 'not told by the client',
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
      return client.callTool({ name, arguments: args }, undefined, { timeout, signal, onprogress: onProgress });
    },
    async read(uri) {
      return (await client.readResource({ uri })).contents[0];
    },
    async watch(uri, tell) {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, (told) => tell(told.params.uri));
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
  };
}

const adapter = { driver: fileURLToPath(import.meta.url), connect };
await (process.argv[2] === 'hang' ? hang(adapter) : fill('typescript1', libraryCells(adapter)));

// Lets the drivers here import the client libraries from where ../checks/install puts them.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const ours = new URL('.', import.meta.url).href;
const theirs = new URL('../../../.tools/mcp/node/any.mjs', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const outward = specifier.startsWith('@') && context.parentURL?.startsWith(ours);
    return next(specifier, outward ? { ...context, parentURL: theirs } : context);
  },
});

export const inspector = new URL(
  './node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
  pathToFileURL(new URL(theirs).pathname),
).pathname;

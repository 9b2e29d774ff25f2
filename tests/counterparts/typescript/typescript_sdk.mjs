// A counterpart on the TypeScript SDK, 2.x line. ../install copies it beside the packages, where its imports are found.
//
// usage: typescript_sdk.mjs stdio {both,modern}
//        typescript_sdk.mjs http PORT {both,modern,json,sse}
//
// `modern` refuses who speaks no version of 2026 or later; `json` and `sse` serve both eras and pin the form of an answer.
// It listens on the loopback address only.
import { createServer } from 'node:http';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import {
  acceptedContent, createMcpHandler, inputRequired, McpServer, ResourceNotFoundError, ResourceTemplate,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/v4';

const [transport, ...options] = process.argv.slice(2);

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const none = z.object({});
const confirmation = z.object({ confirmed: z.boolean() });
// What the second round of `confirm` must bring back.
const STATE = 'opaque state of confirm';

function build() {
  const server = new McpServer(
    { name: 'typescript-sdk', version: '1.0.0' },
    { instructions: 'A counterpart for tests.', capabilities: { logging: {} } },
  );
  const tool = (name, description, inputSchema, run, more = {}) =>
    server.registerTool(name, { description, inputSchema, ...more }, run);

  tool('echo', 'Returns the text unchanged', z.object({ text: z.string() }), async (args) => text(args.text));

  tool('add', 'Adds two numbers; the result is structured too', z.object({ a: z.number(), b: z.number() }),
    async ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { result: a + b } }),
    { outputSchema: z.object({ result: z.number() }) });

  tool('fail', 'Reports an error the way a tool is meant to', none, async () => ({ ...text('it failed'), isError: true }));

  tool('throw', 'Throws what nobody catches', none, async () => {
    throw new Error('boom');
  });

  const slow = z.object({ steps: z.number().int().default(3), delay_ms: z.number().int().default(200) });
  tool('slow', 'Takes its time, with progress and a log line at each step', slow, async ({ steps, delay_ms }, context) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (let step = 1; step <= steps; step += 1) {
      await new Promise((resolve) => setTimeout(resolve, delay_ms));
      if (progressToken !== undefined) {
        const params = { progressToken, progress: step, total: steps, message: `step ${step}` };
        await context.mcpReq.notify({ method: 'notifications/progress', params });
      }
      await context.mcpReq.log('info', `finished step ${step}`);
    }
    return text(`done after ${steps} steps`);
  });

  tool('confirm', 'Asks the user by elicitation', none, async (_args, context) => {
    const answers = context.mcpReq.inputResponses;
    if (!answers?.confirm) {
      const ask = inputRequired.elicit({ message: 'Is this right?', requestedSchema: confirmation });
      return inputRequired({ inputRequests: { confirm: ask }, requestState: STATE });
    }
    if (context.mcpReq.requestState?.() !== STATE) throw new Error('the request state is not the one that was given out');
    const form = acceptedContent(answers, 'confirm', confirmation);
    return text(`${answers.confirm.action} ${form?.confirmed ?? null}`);
  });

  const region = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) });
  tool('region', 'Has an argument that is mirrored in a header', region, async (args) => text(args.region));

  server.registerResource('static', 'test://static', { description: 'A text that never changes' },
    async (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'static text' }] }));

  const template = new ResourceTemplate('test://item/{key}', { list: undefined });
  server.registerResource('item', template, { description: 'One resource for each key' }, async (uri, { key }) => {
    if (key === 'missing') throw new ResourceNotFoundError(uri.href);
    return { contents: [{ uri: uri.href, text: `item ${key}` }] };
  });

  server.registerPrompt('greet', { description: 'A prompt with one argument', argsSchema: z.object({ name: z.string() }) },
    ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Hello ${name}` } }] }));
  return server;
}

const legacy = options.includes('modern') ? { legacy: 'reject' } : {};
if (transport === 'stdio') {
  serveStdio(build, legacy);
} else {
  const [port, mode] = options;
  const responseMode = mode === 'json' || mode === 'sse' ? { responseMode: mode } : {};
  const handler = createMcpHandler(build, { ...legacy, ...responseMode });
  // For who listens: the list of tools changes all the time, it says.
  setInterval(() => handler.notify.toolsChanged(), 200);
  const handle = toNodeHandler(handler);
  const isAllowed = [localhostHostValidation(), localhostOriginValidation()];
  createServer((request, response) => {
    if (new URL(request.url, 'http://localhost').pathname !== '/mcp') {
      response.writeHead(404).end();
    } else if (isAllowed.every((allows) => allows(request, response))) {
      void handle(request, response);
    }
  }).listen(Number(port), '127.0.0.1');
}

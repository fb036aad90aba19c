// A Streamable HTTP server that floods: node http-flood.ts COUNT SIZE. Prints its address as JSON.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '#fixtures/http/listen.ts';
import {
  answer,
  echoAnswer,
  echoTool,
  initializeResult,
  notification,
  rejection,
  textResult,
  tool,
} from '#fixtures/misbehaving/base.ts';
import { isRequest, member, readMessage, type Request } from '#fixtures/misbehaving/message.ts';

const [count = 1000, size = 200] = process.argv.slice(2).map(Number);
/** Bytes written at once, as the server on stdio does. */
const AT_ONCE = 65_536;
const METHOD_NOT_FOUND = -32_601;

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const message = readMessage(await text(request));
  if (message === null || !isRequest(message)) return void response.writeHead(202).end();
  if (message.method === 'tools/call' && member(message.params, 'name') === 'flood') {
    await flood(message, response);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answerTo(message)));
}

function answerTo(message: Request) {
  switch (message.method) {
    case 'initialize':
      return answer(message, initializeResult(message));
    case 'tools/list':
      return answer(message, { tools: [echoTool, tool('flood', 'Sends log messages before it answers.')] });
    case 'tools/call':
      return echoAnswer(message);
    case 'ping':
    case 'logging/setLevel':
      return answer(message, {});
    default:
      return rejection(message, METHOD_NOT_FOUND, `no method ${message.method}`);
  }
}

/** All on the stream of the one POST, its answer last. */
async function flood(message: Request, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const atOnce = Math.max(1, Math.floor(AT_ONCE / size));
  for (let sent = 0; sent < count; ) {
    const until = Math.min(count, sent + atOnce);
    let events = '';
    for (; sent < until; sent++) events += `data: ${messageOf(sent)}\n\n`;
    if (!response.write(events)) await once(response, 'drain');
  }
  response.end(`data: ${JSON.stringify(answer(message, textResult('Done.')))}\n\n`);
}

/** A log message that tells its place in the flood and has exactly `size` bytes. */
function messageOf(place: number): string {
  const whole = (padding: string) =>
    JSON.stringify(notification('notifications/message', { level: 'info', data: { place, padding } }));
  return whole('x'.repeat(Math.max(0, size - whole('').length)));
}

const { origin } = await listen((request, response) => {
  take(request, response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
});
console.log(JSON.stringify({ url: `${origin}/mcp` }));

import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { listen } from '#fixtures/http/listen.ts';
import { defaultTimeouts } from '#shared/contract/servers.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

/** A server that sends these events on its stream, and refuses every POST. */
async function serve(path: string, events: string, status = 404): Promise<string> {
  const handler: RequestListener = (request, response) => {
    request.resume();
    const isStream = request.method === 'GET' && request.url === path;
    if (isStream) response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(events);
    else response.writeHead(request.url === path ? 405 : status).end('nothing here');
  };
  const server = await listen(handler);
  onTestFinished(() => server.close());
  return `${server.origin}${path}`;
}

const timeouts = { ...defaultTimeouts, initialize: 400 };
const connect = async (path: string, events: string, status?: number) =>
  (await engine.connectUrl(await serve(path, events, status), { timeouts })).fault;

const endpoint = (data: string) => `event: endpoint\ndata: ${data}\n\n`;

test.each([
  ['/app/sse', '/messages?session_id=1', '/app', '/app/messages'],
  ['/api/v1/sse', '/messages/', '/api/v1', '/api/v1/messages/'],
  ['/mcp/sse/', '/messages', '/mcp', '/mcp/messages'],
])(
  'an endpoint event of the stream %s without its prefix is named as the cause',
  async (path, data, prefix, right) => {
    const fault = await connect(path, endpoint(data));
    expect(fault).toMatchObject({ code: 'http-status-404', quote: 'nothing here' });
    expect(fault?.why).toContain('The endpoint event of the server named this address');
    expect(fault?.why).toContain(`It lacks ${prefix}, under which the stream is`);
    expect(fault?.next).toContain(`Have the endpoint event name ${right}:`);
  },
);

test.each([404, 405, 501])(
  'an endpoint that refuses messages with status %i is that of the event',
  async (status) => {
    const fault = await connect('/sse', endpoint('/wrong'), status);
    expect(fault?.what).toContain(`POST /wrong with HTTP status ${status}`);
    expect(fault?.why).toMatch(/endpoint event of the server named this address: .*\/wrong\./);
    expect(fault?.next).toContain('The URL of the stream is right');
  },
);

test('another refusal keeps its own cause', async () => {
  expect((await connect('/sse', endpoint('/wrong'), 500))?.why).toContain('failed');
});

test.each([
  ['{"endpoint": "/messages"}', /holds JSON text where a URL must be/],
  ['"/messages"', /holds JSON text where a URL must be/],
  ['["/messages"]', /holds JSON text where a URL must be/],
  ['', /is empty/],
  ['http://[::oops', /not a URL/],
  ["'/messages'", /text in quotes/],
  ['localhost:8000/messages', /an address without its scheme/],
  ['javascript:alert(1)', /the scheme javascript:/],
])('an endpoint event with %j is refused with its data', async (data, what) => {
  const fault = await connect('/sse', endpoint(data));
  expect(fault).toMatchObject({ code: 'endpoint-invalid', why: expect.stringMatching(what) });
  if (data !== '') expect(fault?.evidence?.split('\n').at(-1)).toBe(data);
  expect(fault?.next).toContain('endpoint');
});

test.each([
  ['event: session\ndata: abc\n\n', /1 other event came: the first is "session"/],
  ['data: /messages\n\ndata: more\n\n', /2 other events came: the first has no name/],
])('events of another name in its place are named and quoted (%j)', async (events, why) => {
  const fault = await connect('/sse', events);
  expect(fault).toMatchObject({
    code: 'endpoint-missing',
    quote: events.split('\n').filter(Boolean).join('\n'),
    why: expect.stringMatching(why),
    next: expect.stringContaining('event: endpoint'),
  });
});

test.each(['Endpoint', 'end-point'])('an event named %s is named as the likely cause', async (name) => {
  const events = `event: open\ndata: 1\n\nevent: ${name}\ndata: /messages\n\n`;
  const fault = await connect('/sse', events);
  expect(fault).toMatchObject({
    code: 'endpoint-missing',
    quote: events.split('\n').filter(Boolean).join('\n'),
    next: 'Have the server send "event: endpoint".',
  });
  expect(fault?.why).toContain(`The server sent an event "${name}", which is probably meant`);
});

test('the terminal names the endpoint event', async () => {
  const url = await serve('/app/sse', endpoint('/messages?session_id=1'));
  const cli = await Cli.open();
  try {
    const { stdout, stderr } = await cli.runBare(['doctor', '--timeout', '4s', '--url', url]);
    expect(`${stdout}${stderr}`).toMatch(/why: The endpoint event of the server named this address/);
  } finally {
    await cli.close();
  }
});

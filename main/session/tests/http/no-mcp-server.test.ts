import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { listen, type Listening } from '#fixtures/http/listen.ts';

let engine: EngineFixture;
let server: Listening;
beforeEach(async () => {
  engine = await EngineFixture.open();
  server = await listen((request, response) => {
    request.resume();
    const headers = { 'Content-Type': 'text/html; charset=utf-8' };
    if (request.url === '/page') response.writeHead(200, headers).end('<h1>It works!</h1>');
    else if (request.url === '/empty') response.writeHead(200).end();
    else if (request.url === '/zipped')
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
        .end(gzipSync('{}'));
    else response.writeHead(404, headers).end('<h1>Not found</h1>');
  });
});
afterEach(async () => {
  await engine.close();
  await server.close();
});

test('a web page is reported as one', async () => {
  const { fault } = await engine.connectUrl(`${server.origin}/page`);
  expect(fault).toMatchObject({ code: 'no-answer' });
  expect(fault?.why).toContain('a web page (text/html)');
  expect(fault?.next).toContain('check the path of the URL');
});

test('an encoded body is reported as encoded', async () => {
  const { fault } = await engine.connectUrl(`${server.origin}/zipped`);
  expect(fault).toMatchObject({ code: 'no-answer' });
  expect(fault?.why).toContain('Content-Encoding: gzip');
  const plain = await engine.connectUrl(`${server.origin}/empty`);
  expect(plain.fault?.why).toContain('The body is empty, is no JSON-RPC message, or answers another id.');
});

test('if neither transport gets a response, the cause is stated once and both refusals are shown', async () => {
  const { fault, evidence } = await engine.connectUrl(`${server.origin}/nowhere`);
  expect(fault).toEqual({
    code: 'http-status-404',
    what: 'The server speaks neither Streamable HTTP nor HTTP+SSE at this address.',
    quote: '<h1>Not found</h1>',
    why: 'The server answered GET /nowhere with HTTP status 404 Not Found. There is no MCP endpoint at this path.',
    next: 'Check the path of the URL, such as /mcp or /sse.',
    evidence:
      'POST of initialize 2025-11-25: The server answered POST /nowhere with HTTP status 404 Not Found',
  });
  expect(evidence.at(-1)?.text).toBe(
    'Asked by GET for an event stream: initialize was refused with HTTP status 404, so HTTP+SSE is tried.',
  );
});

import type { ServerResponse } from 'node:http';
import { beforeEach, afterEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { listen, type Listening } from '#fixtures/http/listen.ts';

let engine: EngineFixture;
let server: Listening;
/** Requests with their Authorization header. */
let received: string[];

const redirect = (response: ServerResponse, status: number, location?: string) =>
  response.writeHead(status, location === undefined ? {} : { Location: location }).end('moved');

beforeEach(async () => {
  received = [];
  engine = await EngineFixture.open();
  server = await listen((request, response) => {
    request.resume();
    const url = request.url ?? '';
    received.push(`${request.method} ${url} ${request.headers.authorization ?? ''}`);
    const [, first = '', second] = url.split('/');
    if (second === 'there')
      return void response.writeHead(Number(first), { 'Content-Type': 'text/plain' }).end('no');
    if (/^\d+$/.test(first)) return void redirect(response, 307, `/${first}/there`);
    if (first === 'elsewhere')
      return void redirect(response, 308, 'http://localhost:9/mcp?token=hush-hush-hush');
    if (first === 'login') return void redirect(response, 302, '/login-page');
    if (first === 'circle') return void redirect(response, 307, '/circle');
    if (first === 'cycle') return void redirect(response, 307, `/cycle/${second === 'a' ? 'b' : 'a'}`);
    if (first === 'hops') return void redirect(response, 307, '/hops-2');
    if (first === 'hops-2') return void redirect(response, 308, 'http://localhost:9/mcp');
    if (first === 'far') return void redirect(response, 307, '/far-2');
    if (first === 'far-2') return void redirect(response, 308, '/page');
    if (first === 'nowhere') return void redirect(response, 307);
    if (first === 'odd') return void redirect(response, 301, 'mailto:ops@example.com');
    if (first === 'page') return void redirect(response, 308, '/landing');
    return void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Hello</h1>');
  });
});
afterEach(async () => {
  await engine.close();
  await server.close();
});

test.each([400, 403, 404, 405, 500])(
  'a status %i after a redirect is that of the address which it led to',
  async (status) => {
    const { fault } = await engine.connectUrl(`${server.origin}/${status}`);
    expect(`${fault?.what} ${fault?.why}`).toContain(`/${status}/there with HTTP status ${status}`);
    expect(fault?.why).toContain(
      `${server.origin}/${status} redirects (HTTP status 307) to ${server.origin}/${status}/there, which answered.`,
    );
    expect(fault?.quote).toBe('no');
  },
);

test('a page that a redirect led to is reported with the redirect', async () => {
  const { fault } = await engine.connectUrl(`${server.origin}/page`);
  expect(fault).toMatchObject({ code: 'no-answer', quote: '<h1>Hello</h1>' });
  expect(fault?.why).toMatch(
    /\/page redirects \(HTTP status 308\) to .*\/landing, which answered\. It is a web page/,
  );
});

test('a stream of HTTP+SSE that a redirect led to a page is reported with the redirect', async () => {
  const { fault } = await engine.connectUrl(`${server.origin}/login`, { http: { transport: 'http-sse' } });
  expect(fault).toMatchObject({ code: 'no-event-stream', quote: '<h1>Hello</h1>' });
  expect(fault?.why).toMatch(/\/login redirects \(HTTP status 302\) to .*\/login-page, which answered\./);
});

test.each([
  [
    'elsewhere',
    /redirects POST http:\/\/127\.0\.0\.1:\d+\/elsewhere \(HTTP status 308\) to http:\/\/localhost:9\/mcp/,
    /another origin/,
    /make it the URL/,
  ],
  [
    'login',
    /redirects POST .*\/login \(HTTP status 302\) to .*\/login-page\./,
    /not repeated/,
    /URL of the server, or/,
  ],
  [
    'circle',
    /redirects POST .*\/circle \(HTTP status 307\) to .*\/circle\./,
    /in a circle/,
    /Correct the redirects/,
  ],
] as const)(
  'a redirect that is not followed (%s) names its source, its target and its status',
  async (path, what, why, next) => {
    const headers = [{ name: 'Authorization', value: 'Bearer hush-0123456789', secret: true }];
    const { fault } = await engine.connectUrl(`${server.origin}/${path}`, { http: { headers } });
    expect(fault).toMatchObject({
      code: 'http-redirect',
      what: expect.stringMatching(what),
      why: expect.stringMatching(why),
      next: expect.stringMatching(next),
    });
    expect(JSON.stringify(fault)).not.toContain('hush');
    expect(received.filter((line) => line.includes('/mcp'))).toEqual([]);
  },
);

const occurrences = (text: string, part: RegExp) => text.match(new RegExp(part, 'g'))?.length ?? 0;

test.each(['auto', 'streamable-http', 'http-sse'] as const)(
  'each redirect is named once (%s)',
  async (transport) => {
    const faultAt = async (path: string) => {
      const { fault } = await engine.connectUrl(`${server.origin}/${path}`, { http: { transport } });
      return `${fault?.what} ${fault?.why} ${fault?.evidence ?? ''}`;
    };
    const circle = await faultAt('circle');
    expect(occurrences(circle, /redirects/)).toBe(1);
    expect(circle).toContain('. It leads in a circle.');
    const cycle = await faultAt('cycle/a');
    expect(occurrences(cycle, /redirects/)).toBe(2);
    for (const [from, to] of [
      ['a', 'b'],
      ['b', 'a'],
    ])
      expect(
        occurrences(
          cycle,
          new RegExp(
            `/cycle/${from} \\(HTTP status 307\\) to \\S+/cycle/${to}|/cycle/${from} redirects \\(HTTP status 307\\) to \\S+/cycle/${to}`,
          ),
        ),
      ).toBe(1);
    const hops = await faultAt('hops');
    expect(hops).toMatch(/\/hops redirects \(HTTP status 307\) to \S+\/hops-2\. That is another origin/);
    expect(occurrences(hops, /redirects/)).toBe(2);
    const far = await faultAt('far');
    expect(far).toMatch(
      /\/far redirects \(HTTP status 307\) to \S+\/far-2, which redirects \(HTTP status 308\) to \S+\/page, which redirects \(HTTP status 308\) to \S+\/landing, which answered\./,
    );
    expect(occurrences(far, /which answered/)).toBe(1);
  },
);

test('a secret in the target of a redirect is replaced once', async () => {
  const { fault } = await engine.connectUrl(`${server.origin}/elsewhere`);
  expect(fault?.what).toMatch(/to http:\/\/localhost:9\/mcp\?token=••••\.$/);
});

test.each([
  ['nowhere', /no Location header/],
  ['odd', /Location header is not an HTTP address: mailto:ops@example\.com/],
] as const)('a redirect without an address (%s) says so', async (path, why) => {
  const { fault } = await engine.connectUrl(`${server.origin}/${path}`);
  expect(fault?.why).toMatch(why);
  expect(fault?.quote).toBe('moved');
});

import { expect, test } from 'vitest';
import { endpointMissing, readEndpoint } from './http-sse-endpoint.ts';

const stream = new URL('http://127.0.0.1:8080/app/sse');
const redacted = (text: string) => text.replaceAll('hush-hush', '[secret]');
const read = (data: string, at = stream) => readEndpoint(data, at, redacted);

test.each([
  ['/messages', 'http://127.0.0.1:8080/messages'],
  ['messages?x=1', 'http://127.0.0.1:8080/app/messages?x=1'],
  ['?session=1', 'http://127.0.0.1:8080/app/sse?session=1'],
  ['./a:80/b', 'http://127.0.0.1:8080/app/a:80/b'],
  ['/a b', 'http://127.0.0.1:8080/a%20b'],
  ['//127.0.0.1:8080/x', 'http://127.0.0.1:8080/x'],
  ['HTTP://127.0.0.1:8080/x', 'http://127.0.0.1:8080/x'],
  [' /messages ', 'http://127.0.0.1:8080/messages'],
])('the address %j is taken', (data, href) => {
  expect(read(data)).toEqual(new URL(href));
});

test.each([
  ["'/messages'", 'text in quotes or brackets'],
  ['`/messages`', 'text in quotes or brackets'],
  ['“/messages”', 'text in quotes or brackets'],
  ['</messages>', 'text in quotes or brackets'],
  ['<a href="/messages">', 'text in quotes or brackets'],
  ['"/messages"', 'JSON text'],
  ['{"uri":"/messages"}', 'JSON text'],
  ['localhost:8000/messages', 'an address without its scheme'],
  ['localhost:8000', 'an address without its scheme'],
  ['127.0.0.1:8080/messages?session_id=1', 'an address without its scheme'],
  ['127.0.0.1/messages', 'an address without its scheme'],
  ['mcp.example.com:443/messages', 'an address without its scheme'],
  ['[::1]:8000/messages', 'an address without its scheme'],
  ['POST /messages', 'a method and an address'],
  ['/messages\n?session=1', 'several lines'],
  ['ftp://127.0.0.1/messages', 'the scheme ftp:'],
  ['javascript:alert(1)', 'the scheme javascript:'],
  ['file:///messages', 'the scheme file:'],
  ['ws://127.0.0.1:8080/messages', 'the scheme ws:'],
  ['data:text/plain,/messages', 'the scheme data:'],
  ['mailto:ops@example.com', 'the scheme mailto:'],
  ['endpoint: /messages', 'the scheme endpoint:'],
])('%j is refused by name, with its text', (data, what) => {
  const fault = read(data);
  expect(fault).toMatchObject({
    code: 'endpoint-invalid',
    what: expect.stringContaining(what),
    evidence: data,
  });
});

test('the host of the stream without a scheme is refused, and a folder of any other name taken', () => {
  expect(read('mcp.example/messages', new URL('https://mcp.example/sse'))).toMatchObject({
    what: expect.stringContaining('an address without its scheme'),
  });
  expect(read('mcp/messages', new URL('http://mcp/sse'))).toEqual(new URL('http://mcp/mcp/messages'));
});

test('what is quoted has no secret', () => {
  expect(JSON.stringify(read("'/messages?key=hush-hush'"))).not.toContain('hush');
  expect(JSON.stringify(read('hush-hush:x'))).not.toContain('hush');
});

const missing = (...events: (string | null)[]) =>
  endpointMissing({ url: stream, isOpen: true, events, quote: undefined, redacted });

test.each([
  'Endpoint',
  'ENDPOINT',
  'endpoints',
  'end-point',
  'end_point',
  'end point',
  'enpoint',
  'endpiont',
  'endpoint:',
  '"endpoint"',
  'sse_endpoint',
])('an event named %s is named as the likely cause', (name) => {
  expect(missing(null, 'open', name)).toMatchObject({
    why: expect.stringContaining(`The server sent an event "${name}", which is probably meant to be`),
    next: 'Have the server send "event: endpoint".',
  });
});

test.each(['open', 'message', 'ping', 'point', 'end', 'session', 'x'.repeat(100_000)])(
  'an event named %.20s is no mistake for endpoint',
  (name) => {
    expect(missing(name).why).toContain('1 other event came: the first is');
  },
);

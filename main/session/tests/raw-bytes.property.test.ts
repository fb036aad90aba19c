import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { ScriptedSseServer } from '#fixtures/http/scripted-sse-server.ts';
import { bytesOfRawText } from '#shared/raw-text.ts';

/** Bytes that are typed in raw mode reach a real server as they are, on every transport. */

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

const TEXTS = 1000;

/** Pieces that a text is made of: JSON, escapes, what only looks like one, line breaks, any characters. */
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.nat(255).map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`) },
  fc.constantFrom(
    '{"jsonrpc":"2.0","id":',
    '}',
    '"',
    '\\',
    '\\n',
    '\\u00e9',
    '\\x',
    '\\xg0',
    '\\\\x41',
    '\n',
    '\t',
    ' ',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.json({ maxDepth: 1 }),
);
/** Not empty, because an empty body is no unit over HTTP. */
const texts = fc.sample(
  fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => `${pieces.join('')}.`),
  { numRuns: TEXTS, seed: 7 },
);

/** The bytes by their definition, not by the code under test. */
const expected = texts.map((text) =>
  Buffer.concat(
    text
      .split(/(\\x[\da-f]{2})/i)
      .map((part, at) => (at % 2 === 1 ? Buffer.from(part.slice(2), 'hex') : Buffer.from(part))),
  ),
);

async function sendAll(sessionId: string): Promise<void> {
  for (const text of texts) {
    const base64 = Buffer.from(bytesOfRawText(text)).toString('base64');
    await engine.call('sessions/send', {
      sessionId,
      bytes: { as: 'base64', base64 },
      headers: null,
      composed: 'sent',
    });
  }
}

/** A server that answers `initialize` and then writes everything it reads to a file. */
const readerOf = (path: string): string => `
  import { appendFileSync } from 'node:fs';
  let begun = false;
  let held = Buffer.alloc(0);
  process.stdin.on('data', (bytes) => {
    if (begun) return appendFileSync(${JSON.stringify(path)}, bytes);
    held = Buffer.concat([held, bytes]);
    for (let end = held.indexOf(10); end !== -1; end = held.indexOf(10)) {
      const line = held.subarray(0, end).toString();
      held = held.subarray(end + 1);
      if (line.includes('notifications/initialized')) {
        begun = true;
        // One read may bring more than the line.
        return appendFileSync(${JSON.stringify(path)}, held);
      }
      const { id, params } = JSON.parse(line);
      const result = { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: 'reader', version: '1' } };
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
    }
  });
`;

test('1,000 random texts on stdio, each with the line feed that ends it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-raw-'));
  try {
    const [script, read] = [join(folder, 'reader.mjs'), join(folder, 'read.bin')];
    await writeFile(read, '');
    await writeFile(script, readerOf(read));
    const { id } = await engine.connect({ command: process.execPath, args: [script] });
    await sendAll(id);
    const whole = Buffer.concat(expected.flatMap((bytes) => [bytes, Buffer.from('\n')]));
    await expect.poll(async () => (await readFile(read)).length, { timeout: 10_000 }).toBe(whole.length);
    expect((await readFile(read)).equals(whole)).toBe(true);
  } finally {
    await rm(folder, { recursive: true });
  }
}, 60_000);

test('1,000 random texts over Streamable HTTP, each the whole body of a POST', async () => {
  const server = await ScriptedHttpServer.open();
  try {
    const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
    const before = server.requests.length;
    await sendAll(id);
    await server.until(() => (server.requests.length - before >= TEXTS ? true : null));
    expectBodies(server.requests.slice(before));
  } finally {
    await server.close();
  }
}, 60_000);

test('1,000 random texts over HTTP+SSE, each the whole body of a POST', async () => {
  const server = await ScriptedSseServer.open();
  try {
    const { id } = await engine.connectUrl(server.url, { http: { transport: 'http-sse' } });
    const before = server.requests.length;
    await sendAll(id);
    await server.until(() => (server.requests.length - before >= TEXTS ? true : null));
    expectBodies(server.requests.slice(before));
  } finally {
    await server.close();
  }
}, 60_000);

/** Requests may overtake each other on their connections. */
function expectBodies(requests: readonly { readonly method: string; readonly body: Buffer }[]): void {
  const hex = (bodies: readonly Buffer[]) => bodies.map((body) => body.toString('hex')).sort();
  expect(hex(requests.filter(({ method }) => method === 'POST').map(({ body }) => body))).toEqual(
    hex(expected),
  );
}

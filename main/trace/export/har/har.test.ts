import { afterEach, beforeEach, expect, test } from 'vitest';
import { complaintsAbout, type Har, harSchema, harTextOf, recordSorts } from '#fixtures/trace/har-files.ts';
import { TraceOf } from '#fixtures/trace/trace-of.ts';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';

let recording: HttpRecording;
beforeEach(async () => {
  recording = await HttpRecording.begin();
});
afterEach(() => recording.close());

async function entries(): Promise<Har['log']['entries']> {
  return harSchema.parse(JSON.parse(await harTextOf(recording.trace))).log.entries;
}

test('exchanges of every sort make a valid HAR 1.2', async () => {
  recordSorts(recording);
  expect(complaintsAbout(JSON.parse(await harTextOf(recording.trace)))).toEqual([]);
  // The schema sees what is wrong.
  expect(complaintsAbout({ log: { version: '1.2', creator: {}, entries: [{}] } })).not.toEqual([]);
});

test('an encoded body has its own size, and how much its encoding saved', async () => {
  const exchange = recording.request({ body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
  recording.response(exchange, 200, { headers: [['Content-Encoding', 'gzip']] });
  const body = `{"jsonrpc":"2.0","id":1,"result":{"a":"${'a'.repeat(100)}"}}`;
  recording.body(exchange, body);
  recording.end(exchange, 'complete', { size: 60 });
  const [entry] = await entries();
  expect(entry?.response.content).toMatchObject({
    size: body.length,
    compression: body.length - 60,
    text: body,
  });
  expect(complaintsAbout(JSON.parse(await harTextOf(recording.trace)))).toEqual([]);
});

test('an exchange comes with its headers, cookies, query, bodies and times', async () => {
  recordSorts(recording);
  const [entry] = await entries();
  expect(entry?.request).toMatchObject({
    method: 'POST',
    queryString: [
      { name: 'mode', value: 'a b' },
      { name: 'access_token', value: expect.stringMatching(/^\[secret .*16 characters/) },
      { name: 'x', value: '' },
    ],
    cookies: [
      { name: 'theme', value: expect.stringMatching(/^\[secret /) },
      { name: 'sid', value: expect.stringMatching(/^\[secret .*16 characters/) },
    ],
    postData: { mimeType: 'application/json', text: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' },
  });
  expect(entry?.response).toMatchObject({
    status: 200,
    cookies: [{ name: 'a', path: '/x', secure: true, httpOnly: true }],
    content: {
      size: 46,
      mimeType: 'application/json',
      text: '{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}',
    },
  });
  expect(entry?.response.headers.slice(2)).toEqual([
    { name: 'X-Twice', value: '1' },
    { name: 'x-twice', value: '2' },
  ]);
  expect(entry?.serverIPAddress).toBe('127.0.0.1');
  // The recording lets 10 µs pass with each step, of which the connection took 3.
  expect(entry?.timings).toEqual({
    blocked: 0.017,
    dns: 0.001,
    connect: 0.002,
    ssl: -1,
    send: 0,
    wait: 0.02,
    receive: 0.02,
  });
  expect(entry?.time).toBeCloseTo(0.06);
});

test('a stream is exported as its text on the wire, with its events listed separately', async () => {
  recordSorts(recording);
  const entry = (await entries())[1];
  expect(entry?.response.content.text).toBe(
    ': hello\n\nid: 7\nevent: message\ndata: {"jsonrpc":"2.0",\ndata: "method":"x"}\n\n' +
      'retry: 10\ndata: {"jsonrpc":"2.0","method":"é"}\r\n\r\n',
  );
  expect(entry?._sse).toEqual([
    { time: expect.any(Number), event: 'message', id: '7', size: 31 },
    { time: expect.any(Number), retry: 10, size: 31 },
  ]);
});

test('a failed exchange has status 0 and the reason', async () => {
  recordSorts(recording);
  const all = await entries();
  expect(all.map(({ response }) => response.status)).toEqual([200, 200, 302, 0, 0]);
  expect(all[2]?.response.redirectURL).toBe('/login');
  expect(all[3]?._error).toBe('connect: ECONNREFUSED: connect ECONNREFUSED');
  expect(all[4]?._error).toBe('There is no response on record.');
  expect(all[4]?.request.url).toMatch(/^https:\/\/%5Bsecret.*@\[::1\]:8443\/a%5Bb%5D\?q=%22%7B%7D%22$/);
});

test('only the exchanges of chosen rows come, of messages too', async () => {
  recordSorts(recording);
  const answer = await recording.row(({ kind }) => kind === 'result');
  const text = await harTextOf(recording.trace, { of: 'rows', rows: [answer.row] });
  const { log } = harSchema.parse(JSON.parse(text));
  expect(log.entries.map(({ request }) => request.method)).toEqual(['POST']);
});

test('a session over stdio cannot be exported, because it has no HTTP', async () => {
  const stdio = await TraceOf.begin();
  stdio.message('in', '{"jsonrpc":"2.0","method":"x"}');
  await expect(stdio.export('har')).rejects.toMatchObject({
    fault: { code: 'no-exchanges', next: expect.stringContaining('JSONL') },
  });
  await expect(stdio.preview('har')).rejects.toMatchObject({ fault: { code: 'no-exchanges' } });
  await stdio.close();
});

test('a large body is written whole', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { text: 'é"\n😀'.repeat(400_000) } });
  const exchange = recording.request();
  recording.response(exchange, 200);
  recording.body(exchange, body);
  recording.end(exchange, 'complete');
  const [entry] = await entries();
  expect(entry?.response.content.text === body).toBe(true);
});

import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exportFormats } from '#shared/contract/exports.ts';
import type { TraceRecord } from '#shared/trace/record.ts';
import { formsOf } from '#trace/recorder/secret-forms.ts';
import { recordsIn, TraceOf } from '#fixtures/trace/trace-of.ts';

/** Values as they are made by those who issue them: random, and long enough to be told from words. */
const token = fc.stringMatching(/^[A-Za-z0-9_]{2}[A-Za-z0-9_~.-]{14,40}[A-Za-z0-9]$/);
/** What people choose. */
const password = fc.stringMatching(/^[A-Za-z][A-Za-z0-9!$%^*+-]{6,20}[0-9]$/);
const secret = fc.oneof(token, password);

type Plant = (trace: TraceOf, value: string) => void;

const json = (value: object): string => JSON.stringify({ jsonrpc: '2.0', method: 'x', params: value });
const exchangeWith = (url: string, headers: [string, string][], answer: [string, string][] = []): Plant => {
  return (trace) => {
    const exchange = 1 + trace.index.columns.count;
    trace.add({ kind: 'http-request', exchange, method: 'POST', url, headers, bodySize: 0, origin: 'user' });
    trace.add({
      kind: 'http-response',
      exchange,
      status: 200,
      reason: '',
      httpVersion: '1.1',
      headers: answer,
    });
    trace.add({ kind: 'http-end', exchange, how: 'complete', size: 0 });
  };
};
const request =
  (make: (value: string) => [string, string]): Plant =>
  (trace, value) =>
    exchangeWith('http://127.0.0.1/mcp', [make(value)])(trace, value);
const response =
  (make: (value: string) => [string, string]): Plant =>
  (trace, value) =>
    exchangeWith('http://127.0.0.1/mcp', [], [make(value)])(trace, value);
const address =
  (make: (value: string) => string): Plant =>
  (trace, value) =>
    exchangeWith(make(encodeURIComponent(value)), [])(trace, value);
const stderr =
  (make: (value: string) => string): Plant =>
  (trace, value) => {
    const text = make(value);
    trace.add({ kind: 'stderr', text, size: Buffer.byteLength(text) });
  };
const spawned =
  (...make: ((value: string) => string)[]): Plant =>
  (trace, value) => {
    const args = make.map((one) => one(value));
    trace.add({
      kind: 'process',
      change: { what: 'spawn', command: 'node', args, cwd: '/', env: ['KEY'], pid: 1 },
    });
  };
const body =
  (direction: 'in' | 'out', make: (value: string) => string): Plant =>
  (trace, value) => {
    exchangeWith('http://127.0.0.1/token', [])(trace, value);
    const text = make(value);
    const exchange = trace.index.columns.count;
    trace.add({ kind: 'http-body', exchange, direction, text, size: Buffer.byteLength(text) });
  };
const formField = (name: string): Plant =>
  body('out', (value) => new URLSearchParams({ grant_type: 'x', [name]: value, scope: 'a b' }).toString());
const member =
  (make: (value: string) => object): Plant =>
  (trace, value) =>
    void trace.message('in', json(make(value)));

const escapedLetters = (text: string) =>
  [...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

/** Every third letter written in another way. */
const someOf = (text: string, write: (letter: string) => string) =>
  [...text].map((letter, place) => (place % 3 === 1 ? write(letter) : letter)).join('');
const percentEncoded = (text: string) => `%${Buffer.from(text).toString('hex')}`;
const entities = (text: string) => `&#${text.charCodeAt(0)};`;

/** Text in UTF-16, as a console writes it: recorded as text if its bytes are UTF-8, too. */
const inUtf16 =
  (before: string, after: string, isBig = false): Plant =>
  (trace, value) => {
    const bytes = Buffer.from(`${before}${value}${after}`, 'utf16le');
    if (isBig) bytes.swap16();
    const written = isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString('base64') };
    trace.add({ kind: 'stderr', ...written, size: bytes.length });
  };

/** Places that tell of a secret by themselves. */
const tellingPlaces: Readonly<Record<string, Plant>> = {
  authorization: request((value) => ['Authorization', `Bearer ${value}`]),
  'authorization without a scheme': request((value) => ['authorization', value]),
  'proxy-authorization': request((value) => ['Proxy-Authorization', `Basic ${btoa(`me:${value}`)}`]),
  cookie: request((value) => ['Cookie', `a=b; session=${value}; c=d`]),
  'set-cookie': response((value) => ['Set-Cookie', `sid=${value}; Path=/; HttpOnly`]),
  'x-api-key': request((value) => ['X-Api-Key', value]),
  'x-vault-token': request((value) => ['x-vault-token', value]),
  location: response((value) => ['Location', `/next?access_token=${encodeURIComponent(value)}#x`]),
  'user info of an address': address((value) => `http://me:${value}@127.0.0.1/mcp`),
  'parameter of an address': address((value) => `http://127.0.0.1/mcp?a=1&api_key=${value}&b=2`),
  'proof of possession': request((value) => ['DPoP', value]),
  'authorization code in an address': address((value) => `http://127.0.0.1/callback?state=a&code=${value}`),
  'authorization code in location': response((value) => [
    'Location',
    `/cb?code=${encodeURIComponent(value)}&iss=x`,
  ]),
  ...Object.fromEntries(
    (
      'code code_verifier client_secret client_assertion assertion subject_token actor_token refresh_token token ' +
      'password'
    )
      .split(' ')
      .map((name) => [`${name} of a form`, formField(name)]),
  ),
  ...Object.fromEntries(
    'access_token refresh_token id_token client_secret registration_access_token assertion'
      .split(' ')
      .map((name) => [
        `${name} of a response`,
        body('in', (value) => JSON.stringify({ a: 1, [name]: value })),
      ]),
  ),
  'token response as a form': body(
    'in',
    (value) => `access_token=${encodeURIComponent(value)}&token_type=bearer`,
  ),
  'parameter whose name is encoded': address((value) => `http://127.0.0.1/mcp?access%5Ftoken=${value}`),
  'fragment of an address': address((value) => `http://127.0.0.1/cb#id_token=${value}`),
  'member access_token': member((value) => ({ access_token: value, expires_in: 5 })),
  'member in camel case': member((value) => ({ deep: [{ clientSecret: value }] })),
  'member in kebab case': member((value) => ({ headers: { 'X-API-Key': value } })),
  'list of a member': member((value) => ({ Authorization: [`Bearer ${value}`] })),
  'object of a member': member((value) => ({ credentials: { first: { second: value } } })),
  'named value': member((value) => ({ env: [{ name: 'OPENAI_API_KEY', value }] })),
  'value before its name': member((value) => ({ env: [{ value, name: 'API_KEY' }] })),
  'object before its name': member((value) => ({ value: { deep: [1, value] }, type: 'x', name: 'API_KEY' })),
  'value after an option in a list': member((value) => ({ args: ['run', '--api-key', value, '--verbose'] })),
  'user and password in a list': member((value) => ({ command: 'curl', args: ['-u', `me:${value}`] })),
  'personal access token': member((value) => ({ env: { GITHUB_PAT: value } })),
  'arguments of a tool': member((value) => ({ name: 'login', arguments: { password: value } })),
  'JSON in a string': member((value) => ({ text: JSON.stringify({ refresh_token: value }) })),
  'JSON in JSON in a string': member((value) => ({
    text: JSON.stringify({ body: JSON.stringify({ token: value }) }),
  })),
  'JSON in prose': member((value) => ({ text: `Got ${JSON.stringify({ apiKey: value })}, fine` })),
  'assignment in a string': member((value) => ({ text: `export DB_PASSWORD=${value}\nnext` })),
  'address in a string': member((value) => ({
    text: `see https://x.test/cb?state=1&token=${encodeURIComponent(value)}`,
  })),
  'encoded address in a string': member((value) => ({
    text: `redirect=${encodeURIComponent(`https://x.test/?client_secret=${encodeURIComponent(value)}`)}`,
  })),
  'name in escapes': (trace, value) =>
    void trace.message('in', json({ a: 1 }).replace('"a":1', `"${escapedLetters('password')}":"${value}"`)),
  'value in escapes': (trace, value) =>
    void trace.message('in', json({ a: 1 }).replace('"a":1', `"password":"${escapedLetters(value)}"`)),
  'in two pieces': (trace, value) => {
    const text = json({ filler: 'x'.repeat(50), password: value });
    const at = text.indexOf(value);
    trace.message('in', text, [at + 3]);
  },
  'name and value in two pieces': (trace, value) => {
    const text = json({ filler: 'x'.repeat(50), password: value });
    const at = text.indexOf(value);
    trace.message('in', text, [at - 8, at - 2]);
  },
  'half a message': (trace, value) => void trace.message('in', json({ access_token: value }).slice(0, -3)),
  'line of stderr': stderr((value) => `starting with api_key=${value}`),
  'header on stderr': stderr((value) => `> Authorization: Bearer ${value}`),
  'cookie on stderr': stderr((value) => `Cookie: a=${value}; b=c`),
  'assignment in UTF-16': inUtf16('password=', ' \n'),
  'assignment in UTF-16 with other letters': inUtf16('Größe: 1 password=', ' \n'),
  'header in UTF-16 of the other order': inUtf16('> ё Authorization: Bearer ', '\n', true),
  'python on stderr': stderr((value) => `{'client_secret': '${value}', 'x': 1}`),
  'variable GITHUB_PAT on stderr': stderr((value) => `GITHUB_PAT=${value}`),
  'curl on stderr': stderr((value) => `+ curl -s -u me:${value} http://127.0.0.1/`),
  'curl over several lines': stderr(
    (value) => `curl -X POST \\\n  --user "me:${value}" \\\n  http://127.0.0.1/`,
  ),
  'curl without a space': member((value) => ({ text: `run curl -ume:${value} now` })),
  'Basic credentials without a user': stderr((value) => `sent Basic ${btoa(`:${value}`)}`),
  'option of a command': spawned((value) => `--token=${value}`),
  'option and value of a command': spawned(
    () => '--api-key',
    (value) => value,
  ),
  'variable of a command': spawned(
    () => '-e',
    (value) => `SOME_SETTING=${value}`,
  ),
  'header of a command': spawned(
    () => '--header',
    (value) => `Authorization: Bearer ${value}`,
  ),
  'reason of a phase': (trace, value) =>
    void trace.add({
      kind: 'phase',
      phase: 'failed',
      reason: `http://u:${encodeURIComponent(value)}@x/ failed`,
    }),
  'note of a mark': (trace, value) => void trace.add({ kind: 'mark', of: 0, note: `its password: ${value}` }),
  'failure of an exchange': (trace, value) => {
    exchangeWith('http://127.0.0.1/mcp', [])(trace, value);
    const failure = {
      step: 'connect' as const,
      code: 'E',
      message: `via http://p:${encodeURIComponent(value)}@proxy`,
    };
    const exchange = trace.index.columns.count;
    trace.add({ kind: 'http-end', exchange, how: 'failed', size: 0, failure });
  },
};

/** Places that tell nothing: only who knows the value from elsewhere finds it. */
const silentPlaces: Readonly<Record<string, Plant>> = {
  'plain text': stderr((value) => `it was ${value}, I think`),
  'text of a message': member((value) => ({ text: `and then ${value}` })),
  'a key': member((value) => ({ [value]: 1 })),
  'an id': (trace, value) =>
    void trace.message('out', JSON.stringify({ jsonrpc: '2.0', id: value, method: 'ping' })),
  escapes: (trace, value) =>
    void trace.message('in', json({ a: 1 }).replace('"a":1', `"a":"${escapedLetters(value)}"`)),
  'escapes of some letters': (trace, value) =>
    void trace.message('in', json({ a: 1 }).replace('"a":1', `"a":"x ${someOf(value, escapedLetters)}"`)),
  'escapes of some letters on stderr': stderr((value) => `it was ${someOf(value, escapedLetters)}.`),
  'escapes in escapes': member((value) => ({ text: JSON.stringify(someOf(value, escapedLetters)) })),
  'percent-encoding of some letters': address(
    (value) => `http://127.0.0.1/${someOf(value, percentEncoded)}/x`,
  ),
  'percent-encoding of some letters in a text': member((value) => ({ text: someOf(value, percentEncoded) })),
  'entities of some letters': member((value) => ({ text: `<b>${someOf(value, entities)}</b>` })),
  'entities of some letters on stderr': stderr((value) => `<b>${someOf(value, entities)}</b>`),
  'UTF-16': inUtf16('it was ', ', I think\n'),
  'UTF-16 with other letters': inUtf16('Größe: ', ' €\n'),
  'UTF-16 in the other order': inUtf16('it was ', ', ё\n', true),
  base64: member((value) => ({ text: btoa(value) })),
  'base64 of a user and it': member((value) => ({ text: `Basic-${btoa(`someone:${value}`)}` })),
  'base64 within other bytes': member((value) => ({ data: btoa(`12345${value}6789`) })),
  hex: member((value) => ({ text: Buffer.from(value).toString('hex') })),
  'hex in capitals': stderr((value) => `got ${Buffer.from(`a${value}b`).toString('hex').toUpperCase()}`),
  'a path': address((value) => `http://127.0.0.1/${value}/mcp`),
  'another header': response((value) => ['X-Echo', value]),
  'bytes that are no text': (trace, value) => {
    const bytes = Buffer.concat([Buffer.from([0xff]), Buffer.from(value), Buffer.from([0xfe])]);
    const base64 = bytes.toString('base64');
    trace.add({ kind: 'unit', direction: 'in', channel: 'stdout', base64, size: bytes.length });
  },
  'frame of an event': (trace, value) =>
    void trace.add({
      kind: 'unit',
      direction: 'in',
      channel: 'sse',
      text: json({}),
      size: 2,
      sse: { id: value, name: value, frame: [`: ${value}\nid: ${value}\nevent: ${value}\ndata: `, '\n\n'] },
    }),
  'comment of a stream': (trace, value) => {
    const text = `: ${value}\n\n`;
    trace.add({ kind: 'sse', exchange: 1, text, size: text.length });
  },
  'in two pieces': (trace, value) => void trace.message('in', json({ a: `is ${value}.` }), [50]),
};

const plants = [...Object.values(tellingPlaces), ...Object.values(silentPlaces)];

describe('no export holds a secret that was planted', () => {
  test.each(Object.entries(tellingPlaces))('%s', async (_, plant) => {
    await fc.assert(
      fc.asyncProperty(secret, async (value) => {
        await inTrace(async (trace) => {
          plant(trace, value);
          await expectNone(trace, [value]);
        });
      }),
      { numRuns: 5 },
    );
  });

  test.each(Object.entries(silentPlaces))('%s, once it is known from elsewhere', async (_, plant) => {
    await fc.assert(
      fc.asyncProperty(token, fc.boolean(), async (value, isBefore) => {
        await inTrace(async (trace) => {
          if (isBefore) plant(trace, value);
          request((one) => ['Authorization', `Bearer ${one}`])(trace, value);
          if (!isBefore) plant(trace, value);
          await expectNone(trace, [value]);
        });
      }),
      { numRuns: 5 },
    );
  });

  test('many at all places at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(token, fc.nat(1000)), { minLength: 20, maxLength: 60 }),
        async (planted) => {
          await inTrace(async (trace) => {
            for (const [value, place] of planted) {
              request((one) => ['X-Auth-Token', one])(trace, value);
              plants[place % plants.length]?.(trace, value);
            }
            await expectNone(
              trace,
              planted.map(([value]) => value),
            );
            expect(await removedAgain(trace)).toEqual([]);
          });
        },
      ),
      { numRuns: 5 },
    );
  });
});

async function inTrace(work: (trace: TraceOf) => Promise<void>): Promise<void> {
  const trace = await TraceOf.begin({ name: 'n', transport: 'http', url: 'http://127.0.0.1/' });
  try {
    // A HAR is of exchanges.
    exchangeWith('http://127.0.0.1/first', [])(trace, '');
    await work(trace);
  } finally {
    await trace.close();
  }
}

/** What an export of the exported trace would leave out. */
async function removedAgain(trace: TraceOf) {
  const again = await TraceOf.begin(trace.header.server);
  try {
    for (const record of recordsIn((await trace.export('mcptrace')).text)) again.addAs(record);
    return (await again.preview('mcptrace')).removals;
  } finally {
    await again.close();
  }
}

async function expectNone(trace: TraceOf, values: readonly string[]): Promise<void> {
  for (const format of exportFormats) {
    const { text } = await trace.export(format);
    const { removals } = await trace.preview(format);
    const looked = [text, meant(text), JSON.stringify(removals)];
    for (const value of values) {
      for (const form of formsOf(value)) {
        for (const [place, one] of looked.entries()) {
          if (one.includes(form))
            throw new Error(`${format} (${place}) holds ${value} as ${form}: ${around(one, form)}`);
        }
      }
    }
    if (format === 'jsonl') for (const line of text.trimEnd().split('\n')) if (line !== '') JSON.parse(line);
    if (format === 'har') JSON.parse(text);
  }
}

const around = (text: string, form: string) =>
  text.slice(Math.max(0, text.indexOf(form) - 100)).slice(0, 250);

/** What the records of a trace, or the lines of messages, mean when all that is written in them is read. */
function meant(text: string): string {
  const parts: string[] = [];
  const pieces = new Map<number, string>();
  const read = (value: unknown): void => {
    if (typeof value === 'string') {
      parts.push(value);
      const bytes = Buffer.from(value, 'base64').toString('latin1');
      parts.push(bytes, bytes.replaceAll('\0', ''), value.replaceAll('\0', ''));
      parts.push(
        value
          .replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
          .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
      );
      try {
        const inner: unknown = JSON.parse(value);
        if (typeof inner === 'object') read(inner);
      } catch {
        parts.push(
          value.replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
        );
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, one] of Object.entries(value)) {
        parts.push(key);
        read(one);
      }
    }
  };
  for (const line of text.trimEnd().split('\n')) {
    try {
      const value = JSON.parse(line) as TraceRecord;
      read(value);
      if (value.kind === 'unit') pieces.set(value.seq, value.text ?? '');
      if (value.kind === 'chunk') pieces.set(value.of, (pieces.get(value.of) ?? '') + (value.text ?? ''));
    } catch {
      // A line of a HAR is a part of it.
    }
  }
  for (const whole of pieces.values()) read(whole);
  if (text.startsWith('{"log"')) read(JSON.parse(text));
  return parts.join('\n');
}

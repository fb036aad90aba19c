import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PIECE_BYTES, type SseEvent } from '#shared/trace/record.ts';
import { wireSize } from '#fixtures/trace/wire-size.ts';
import { wireBytesOf } from '#shared/trace/sse-frame.ts';
import { type SseData, type SseLines, SseParser } from './sse.ts';

/** What a parser handed on, its pieces put together, in the order in which each was completed. */
interface Handed {
  readonly kind: 'event' | 'lines';
  readonly bytes: Buffer;
  readonly cut: boolean;
  readonly pieces: readonly (SseData | SseLines)[];
  readonly sse: SseEvent | undefined;
  readonly set: { readonly id: string | undefined; readonly retry: number | undefined };
}

function parse(chunks: readonly Uint8Array[]) {
  const handed: Handed[] = [];
  const open: Record<Handed['kind'], (SseData | SseLines)[]> = { event: [], lines: [] };
  const take = (kind: Handed['kind']) => (piece: SseData & SseLines) => {
    if (piece.first !== (open[kind].length === 0)) throw new Error('a piece is wrong about being the first');
    if (piece.bytes.length > PIECE_BYTES) throw new Error('a piece is too long');
    if (piece.more && (piece.cut || piece.sse)) throw new Error('a piece that is not the last knows the end');
    open[kind].push(piece);
    if (piece.more) return;
    const pieces = open[kind];
    open[kind] = [];
    const [{ id, retry } = piece] = pieces as SseLines[];
    const bytes = Buffer.concat(pieces.map((one) => one.bytes));
    handed.push({ kind, bytes, cut: piece.cut, pieces, sse: piece.sse, set: { id, retry } });
  };
  const parser = new SseParser({ data: take('event'), lines: take('lines') });
  for (const chunk of chunks) parser.push(Buffer.from(chunk));
  parser.end();
  if (open.event.length + open.lines.length > 0) throw new Error('something was never completed');
  return { handed, parser };
}

const parseText = (...chunks: string[]) => parse(chunks.map((chunk) => Buffer.from(chunk)));

/** In short: `event` or `lines`, the text, and what else is not as usual. */
const inShort = ({ handed }: ReturnType<typeof parse>) =>
  handed.map(({ kind, bytes, cut, sse, set }) => ({
    [kind]: bytes.toString(),
    ...(sse?.name !== undefined && { name: sse.name }),
    ...((sse?.id ?? set.id) !== undefined && { id: sse?.id ?? set.id }),
    ...((sse?.retry ?? set.retry) !== undefined && { retry: sse?.retry ?? set.retry }),
    ...(cut && { cut }),
  }));

const wireOf = ({ bytes, sse }: Handed): Buffer => Buffer.from(sse ? (wireBytesOf(bytes, sse) ?? []) : bytes);

describe('an event stream', () => {
  test('gives the data of an event, with its name, id and retry', () => {
    const parsed = parseText('event: message\nid: 7\nretry: 500\ndata: {"a":1}\n\n');
    expect(inShort(parsed)).toEqual([{ event: '{"a":1}', name: 'message', id: '7', retry: 500 }]);
    expect(parsed.parser).toMatchObject({ lastEventId: '7', retry: 500, events: 1 });
  });

  test('joins several lines of data, and takes one space after the colon away', () => {
    expect(inShort(parseText('data:a\ndata: b\ndata\ndata:  c\n\n'))).toEqual([{ event: 'a\nb\n\n c' }]);
  });

  test('takes an event whose data is empty for an event', () => {
    expect(inShort(parseText('data\n\ndata:\n\nid: 1\ndata: \n\n'))).toEqual([
      { event: '' },
      { event: '' },
      { event: '', id: '1' },
    ]);
  });

  test.each([
    ['LF', '\n'],
    ['CR', '\r'],
    ['CRLF', '\r\n'],
  ])('may end its lines with %s', (_, lineEnd) => {
    const parsed = parseText(['event: a', 'data: 1', 'data: 2', '', 'data: 3', '', ''].join(lineEnd));
    expect(inShort(parsed)).toEqual([{ event: '1\n2', name: 'a' }, { event: '3' }]);
  });

  test('tells two line ends from the halves of one, wherever the chunk ends', () => {
    const parsed = parseText('data: 1\r', '\n\r', '\ndata: 2\r', '\r', 'data: 3\r\n\r\n');
    expect(inShort(parsed)).toEqual([{ event: '1' }, { event: '2' }, { event: '3' }]);
  });

  test('hands an event on at the line end that completes it, without waiting for more', () => {
    const seen: string[] = [];
    const parser = new SseParser({ data: ({ bytes }) => seen.push(bytes.toString()), lines: () => {} });
    parser.push(Buffer.from('data: 1\r\r'));
    parser.push(Buffer.from('data: 2\r\n\r'));
    expect(seen).toEqual(['1', '2']);
  });

  test('hands on what is no event as it was written', () => {
    const blocks = ['id: 1\n\n', 'retry: 10\r\n\r\n', 'unknown: x\nevent: y\n\n', '\n', 'dataset: 1\n\n'];
    expect(inShort(parseText(blocks.join('')))).toEqual([
      { lines: 'id: 1\n\n', id: '1' },
      { lines: 'retry: 10\r\n\r\n', retry: 10 },
      { lines: 'unknown: x\nevent: y\n\n' },
      { lines: '\n' },
      { lines: 'dataset: 1\n\n' },
    ]);
  });

  test('hands a comment on with the blank line after it, which is a usual sign of life', () => {
    expect(inShort(parseText(': a\n\n: b\r\n: c\r\n\r\n: d\ndata: e\n\n'))).toEqual([
      { lines: ': a\n\n' },
      { lines: ': b\r\n' },
      { lines: ': c\r\n\r\n' },
      { lines: ': d\n' },
      { event: 'e' },
    ]);
  });

  test('hands a comment on without waiting for the end of its block', () => {
    const lines: string[] = [];
    const parser = new SseParser({ data: () => {}, lines: ({ bytes }) => lines.push(bytes.toString()) });
    parser.push(Buffer.from(': still here\n'));
    expect(lines).toEqual([': still here\n']);
    parser.push(Buffer.from('id: 1\n: inside a block\n'));
    expect(lines).toHaveLength(1);
    parser.push(Buffer.from('\n'));
    expect(lines[1]).toBe('id: 1\n: inside a block\n\n');
  });

  test('keeps comments and unknown fields inside an event in its frame', () => {
    const { handed } = parseText('odd: 1\ndata: a\n: b\ndata:c\nid: 2\r\n\r\n');
    expect(handed.map(({ sse }) => sse)).toEqual([
      { id: '2', frame: ['odd: 1\ndata: ', '\n: b\ndata:', '\nid: 2\r\n\r\n'] },
    ]);
  });

  test('may begin with a byte order mark, in any number of chunks', () => {
    const mark = Buffer.from('\ufeff');
    const event = Buffer.from('data: 1\n\n');
    for (const chunks of [
      [mark, event],
      [mark.subarray(0, 1), mark.subarray(1, 2), Buffer.concat([mark.subarray(2), event])],
    ]) {
      expect(inShort(parse(chunks))).toEqual([{ lines: '\ufeff' }, { event: '1' }]);
    }
    // Half a mark is none.
    const half = parse([mark.subarray(0, 2), event]);
    expect(half.handed.map(({ kind }) => kind)).toEqual(['lines']);
  });

  test('keeps bytes that are no UTF-8 as they are', () => {
    const value = Buffer.from([0x61, 0xff, 0x00, 0xc3]);
    const { handed } = parse([
      Buffer.from('\xe4: \xff\ndata: ', 'latin1'),
      value,
      Buffer.from('\n\xff\n\n', 'latin1'),
    ]);
    expect(handed[0]?.bytes).toEqual(value);
    expect(handed[0]?.sse?.frame).toEqual(['\xe4: \xff\ndata: ', '\n\xff\n\n']);
  });

  test('takes only digits for a retry, and no id that holds a NUL', () => {
    const parsed = parseText(
      'id: a\n\n',
      ...['', '-1', '1.5', ' 2', '3 ', '0x4', '٣'].map((value) => `retry: ${value}\n\n`),
      'id: b\0\n\n',
    );
    expect(parsed.parser).toMatchObject({ retry: null, lastEventId: 'a' });
    expect(parseText(`retry: ${'9'.repeat(400)}\n\n`).parser.retry).toBe(Number.MAX_SAFE_INTEGER);
  });

  test('remembers the last id, and that it was reset', () => {
    expect(parseText('id: 1\n\ndata: x\n\n').parser.lastEventId).toBe('1');
    expect(parseText('id: 1\n\nid\n\n').parser.lastEventId).toBe('');
    expect(parseText('data: x\n\n').parser.lastEventId).toBeNull();
  });

  test('hands on an event that the end of the stream cut off, and does not resume after it', () => {
    const parsed = parseText('id: 1\ndata: a\n\nevent: b\nid: 2\ndata: {"half":');
    expect(inShort(parsed)).toEqual([
      { event: 'a', id: '1' },
      { event: '{"half":', name: 'b', id: '2', cut: true },
    ]);
    expect(parsed.parser).toMatchObject({ lastEventId: '1', events: 1 });
    expect(parsed.handed[1]?.sse?.frame).toEqual(['event: b\nid: 2\ndata: ', '']);
  });

  test.each([
    ['data: a\n', { event: 'a', cut: true }],
    ['data:', { event: '', cut: true }],
    ['data', { lines: 'data', cut: true }],
    ['id: 1\n', { lines: 'id: 1\n', id: '1', cut: true }],
    ['retry: 12', { lines: 'retry: 12', cut: true }],
    [': a', { lines: ': a', cut: true }],
  ])('says of %j that it was cut off', (text, expected) => {
    expect(inShort(parseText(text))).toEqual([expected]);
  });

  test('does not call the second half of a line end cut off', () => {
    expect(inShort(parseText('data: a\r\n\r', '\n'))).toEqual([{ event: 'a' }, { lines: '\n' }]);
  });
});

describe('however a stream is cut into chunks', () => {
  const token = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('\n', '\r', '\r\n', '\n\n', '\r\n\r\n', '\r\r') },
    {
      weight: 6,
      arbitrary: fc.constantFrom('data', 'data:', 'data: ', 'id: ', 'retry: 12', 'event:', 'event: e', ':'),
    },
    { weight: 4, arbitrary: fc.constantFrom('é€😀', '\ufeff', '\0', ' ', '{"a":1}', 'dat', 'x: y', '7') },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  );
  const stream = fc
    .tuple(fc.array(token, { maxLength: 40 }), fc.uint8Array({ maxLength: 3 }))
    .map(([tokens, noise]) => Buffer.concat([Buffer.from(tokens.join('')), noise]));
  const cutUp = (bytes: Buffer, places: readonly number[]) => {
    const cuts = places.map((place) => Math.floor(place * bytes.length)).sort((a, b) => a - b);
    return [0, ...cuts].map((cut, index) => bytes.subarray(cut, cuts[index] ?? bytes.length));
  };
  const chunked = fc
    .tuple(stream, fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }))
    .map(([bytes, places]) => ({ bytes, chunks: cutUp(bytes, places) }));

  test('it holds the same events', () => {
    fc.assert(
      fc.property(chunked, ({ bytes, chunks }) => {
        const whole = parse([bytes]);
        const parts = parse(chunks);
        const byByte = parse(Array.from(bytes, (byte) => Buffer.from([byte])));
        const events = (parsed: typeof whole) => inShort(parsed).filter((one) => 'event' in one);
        expect(events(parts)).toEqual(events(whole));
        expect(events(byByte)).toEqual(events(whole));
        for (const { parser } of [parts, byByte]) {
          expect([parser.lastEventId, parser.retry, parser.events]).toEqual([
            whole.parser.lastEventId,
            whole.parser.retry,
            whole.parser.events,
          ]);
        }
      }),
      { numRuns: 400 },
    );
  });

  test('every byte of it is handed on, once and in order', () => {
    fc.assert(
      fc.property(chunked, ({ bytes, chunks }) => {
        const { handed } = parse(chunks);
        expect(Buffer.concat(handed.map(wireOf)).equals(bytes)).toBe(true);
        const size = handed.reduce(
          (sum, one) => sum + (one.sse ? wireSize(one.bytes.length, one.sse) : one.bytes.length),
          0,
        );
        expect(size).toBe(bytes.length);
      }),
      { numRuns: 400 },
    );
  });

  test('it holds the events that the HTML standard finds in it', () => {
    fc.assert(
      fc.property(chunked, ({ bytes, chunks }) => {
        const { handed, parser } = parse(chunks);
        const expected = byTheStandard(bytes.toString('latin1'));
        const whole = handed.filter(({ kind, cut }) => kind === 'event' && !cut);
        expect(whole.map((one) => one.bytes.toString('latin1'))).toEqual(expected.events);
        expect(parser.lastEventId ?? '').toBe(Buffer.from(expected.lastEventId, 'latin1').toString());
      }),
      { numRuns: 400 },
    );
  });
});

/** The standard's algorithm, with nothing but clarity in mind; what it drops for having empty data is kept. */
function byTheStandard(stream: string): { events: string[]; lastEventId: string } {
  const lines = stream.replace(/^\xef\xbb\xbf/, '').split(/\r\n|\r|\n/);
  // What follows the last line end is no line yet.
  lines.pop();
  const events: string[] = [];
  let data: string[] = [];
  let id = '';
  let lastEventId = '';
  for (const line of lines) {
    if (line === '') {
      lastEventId = id;
      if (data.length > 0) events.push(data.join('\n'));
      data = [];
      continue;
    }
    const [, name = line, value = ''] = /^([^:]*):? ?([^]*)$/.exec(line) ?? [];
    if (name === 'data') data.push(value);
    if (name === 'id' && !value.includes('\0')) id = value;
  }
  return { events, lastEventId };
}

describe('what is long', () => {
  /** As sockets give it. */
  const inChunks = (bytes: Buffer) => {
    const chunks: Buffer[] = [];
    for (let from = 0; from < bytes.length; from += 65_536) chunks.push(bytes.subarray(from, from + 65_536));
    return chunks;
  };

  test('is handed on in pieces as it comes, which tear no character', () => {
    const text = `x${'é€😀'.repeat(400_000)}`;
    const { handed } = parse(inChunks(Buffer.from(`id: 1\ndata: ${text}\ndata: ${text}\n\n`)));
    const [event] = handed;
    expect(handed).toHaveLength(1);
    expect(event?.bytes.toString()).toBe(`${text}\n${text}`);
    expect(event?.sse).toEqual({ id: '1', frame: ['id: 1\ndata: ', '\ndata: ', '\n\n'] });
    expect(event?.pieces.length).toBeGreaterThan(6);
    for (const piece of event?.pieces ?? []) expect(piece.bytes.toString()).not.toContain('\ufffd');
  });

  test('is handed on before its end came', () => {
    const pieces: SseData[] = [];
    const lines: SseLines[] = [];
    const parser = new SseParser({
      data: (piece) => pieces.push(piece),
      lines: (piece) => lines.push(piece),
    });
    parser.push(Buffer.from(`data: ${'x'.repeat(3 * PIECE_BYTES)}`));
    expect(pieces).toHaveLength(2);
    parser.push(Buffer.from(`\n\n: ${'x'.repeat(3 * PIECE_BYTES)}`));
    expect(lines).toHaveLength(3);
  });

  test.each(['comment before', 'comment after', 'id before', 'id after'])(
    'and no data is handed on by itself: a %s the data',
    (kind) => {
      const line = `${kind.startsWith('id') ? 'id' : ''}: ${'é'.repeat(PIECE_BYTES)}\r\n`;
      const data = 'data: a\r\ndata: b\r\n';
      const bytes = Buffer.from(kind.endsWith('before') ? `${line}${data}\r\n` : `${data}${line}\r\n`);
      const { handed, parser } = parse(inChunks(bytes));
      const event = handed.find((one) => one.kind === 'event');
      expect(event).toMatchObject({ cut: false, bytes: Buffer.from('a\nb') });
      expect(event?.sse?.unframed).toBe(kind.endsWith('after') ? 2 : undefined);
      expect(handed.some((one) => one.kind === 'lines' && one.bytes.toString() === line)).toBe(true);
      // A field of that length is not understood, only kept.
      expect(parser.lastEventId).toBeNull();
      expect(sizeOf(handed)).toBe(bytes.length);
    },
  );

  test('framing in small lines is not held without bound', () => {
    const lines = Buffer.from(`data: first\n${'data: x\nodd: y\n'.repeat(200_000)}\n`);
    const { handed, parser } = parse(inChunks(lines));
    const event = handed.find((one) => one.kind === 'event');
    expect(event?.bytes.length).toBe('first'.length + 200_000 * 2);
    expect(event?.sse?.frame.length).toBeLessThan(100_000);
    expect(parser.events).toBe(1);
    expect(sizeOf(handed)).toBe(lines.length);
    expect(wireBytesOf(event?.bytes ?? Buffer.alloc(0), event?.sse ?? { frame: [] })).toBeNull();
  });

  test('says that the stream ended inside it', () => {
    for (const start of ['data: ', ': ', 'id: ']) {
      const bytes = Buffer.from(start + 'x'.repeat(2 * PIECE_BYTES));
      const { handed } = parse(inChunks(bytes));
      expect(handed.at(-1)?.cut).toBe(true);
      expect(sizeOf(handed)).toBe(bytes.length);
    }
  });

  test('may come a byte at a time', () => {
    const chunk = Buffer.from('x');
    const length = PIECE_BYTES + 5;
    const { handed } = parse([Buffer.from('data: '), ...Array.from({ length }, () => chunk)]);
    expect(handed[0]?.pieces.map(({ bytes }) => bytes.length)).toEqual([PIECE_BYTES, 5]);
  });

  const sizeOf = (handed: readonly Handed[]) =>
    handed.reduce((sum, { bytes, sse }) => sum + (sse ? wireSize(bytes.length, sse) : bytes.length), 0);
});

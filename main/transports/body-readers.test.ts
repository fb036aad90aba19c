import { describe, expect, test } from 'vitest';
import { PIECE_BYTES } from '#shared/trace/record.ts';
import { type BodyReader, EventStream, WholeBody } from './body-readers.ts';
import type { WireEvent } from './transport.ts';

/** Where bodies of exchange 3 go, and everything that is reported of them. */
function bodySink() {
  const reported: WireEvent[] = [];
  let units = 10;
  const to = { sink: (event: WireEvent) => void reported.push(event), unit: () => units++, exchange: 3 };
  return { reported, to };
}

/** Feeds the chunks at 1, 2, 3 … and ends the body at 100. */
function feed(reader: BodyReader, chunks: readonly (string | Buffer)[], cut = false): void {
  for (const [place, chunk] of chunks.entries()) reader.push(Buffer.from(chunk), place + 1);
  reader.end(100, cut);
}

const textOf = (event: WireEvent | undefined) => (event && 'bytes' in event ? event.bytes.toString() : null);

describe('a whole body', () => {
  test('is one unit of the exchange, stamped when its last byte came', () => {
    const { reported, to } = bodySink();
    feed(new WholeBody({ ...to, as: 'message' }), ['{"a"', ':1}']);
    expect(reported).toEqual([
      {
        kind: 'message-bytes',
        direction: 'in',
        channel: 'http',
        exchange: 3,
        at: 2,
        unit: 10,
        bytes: Buffer.from('{"a":1}'),
        first: true,
        more: false,
        cut: false,
      },
    ]);
  });

  test('that is no message is reported as a body', () => {
    const { reported, to } = bodySink();
    feed(new WholeBody({ ...to, as: 'body' }), ['<html>'], true);
    expect(reported).toMatchObject([{ kind: 'body-bytes', direction: 'in', exchange: 3, cut: true }]);
  });

  test('that is empty makes nothing', () => {
    const { reported, to } = bodySink();
    feed(new WholeBody({ ...to, as: 'message' }), []);
    feed(new WholeBody({ ...to, as: 'body' }), [''], true);
    expect(reported).toEqual([]);
  });

  test('that is long is reported in pieces of one unit as they fill', () => {
    const { reported, to } = bodySink();
    const body = new WholeBody({ ...to, as: 'message' });
    const text = '€'.repeat(700_000);
    body.push(Buffer.from(text), 1);
    expect(reported).toHaveLength(2);
    body.end(100, false);
    expect(reported.map((event) => 'more' in event && [event.first, event.more, event.unit])).toEqual([
      [true, true, 10],
      [false, true, 10],
      [false, false, 10],
    ]);
    expect(reported.map(textOf).join('')).toBe(text);
  });

  test('of exactly a piece is one piece', () => {
    const { reported, to } = bodySink();
    const half = Buffer.alloc(PIECE_BYTES / 2, 'x');
    feed(new WholeBody({ ...to, as: 'message' }), [half, half]);
    expect(reported).toMatchObject([{ first: true, more: false, at: 2 }]);
  });
});

describe('an event stream', () => {
  test('reports the data of each event as a unit, and the rest as what it is', () => {
    const { reported, to } = bodySink();
    const stream = new EventStream(to);
    feed(stream, [': hi\n\nid: 1\ndata: {"a":', '1}\n\nretry: 5\n\n']);
    expect(reported.map((event) => [event.kind, event.at, textOf(event)])).toEqual([
      ['sse-bytes', 1, ': hi\n\n'],
      ['message-bytes', 2, '{"a":1}'],
      ['sse-bytes', 2, 'retry: 5\n\n'],
    ]);
    expect(reported[1]).toMatchObject({ channel: 'sse', direction: 'in', exchange: 3, sse: { id: '1' } });
    expect(reported[2]).toMatchObject({ exchange: 3, retry: 5 });
    expect(new Set(reported.map((event) => 'unit' in event && event.unit)).size).toBe(3);
    expect(stream).toMatchObject({ lastEventId: '1', retry: 5, events: 1 });
  });

  test('tells of each whole event after it was reported', () => {
    const { reported, to } = bodySink();
    const pieces: unknown[] = [];
    const onEvent = (name: string | null, data: Buffer | null) =>
      pieces.push([name, data?.toString(), reported.length]);
    feed(new EventStream({ ...to, onEvent }), [
      'event: endpoint\ndata: /messages\n\ndata: b\n\ndata: cut off',
    ]);
    expect(pieces).toEqual([
      ['endpoint', '/messages', 1],
      [null, 'b', 2],
    ]);
    expect(reported).toHaveLength(3);
  });

  test('tells of an event that is too long to be one piece without its data', () => {
    const { reported, to } = bodySink();
    const pieces: unknown[] = [];
    const onEvent = (name: string | null, data: Buffer | null) => pieces.push([name, data]);
    feed(new EventStream({ ...to, onEvent }), [`event: big\ndata: ${'x'.repeat(PIECE_BYTES + 1)}\n\n`]);
    expect(pieces).toEqual([['big', null]]);
    expect(reported.map((event) => 'unit' in event && event.unit)).toEqual([10, 10]);
    expect(reported.map((event) => 'sse' in event)).toEqual([false, true]);
  });

  test('keeps the units apart when a long event contains a line without data', () => {
    const { reported, to } = bodySink();
    const long = 'x'.repeat(PIECE_BYTES + 1);
    feed(new EventStream(to), [`data: ${long}\n:${long}\ndata: ${long}\n\n`]);
    const units = new Map<number, string>();
    for (const event of reported) {
      if ('unit' in event) units.set(event.unit, (units.get(event.unit) ?? '') + textOf(event));
    }
    expect([...units.values()]).toEqual([`${long}\n${long}`, 'data: \n', `:${long}\n`]);
  });
});

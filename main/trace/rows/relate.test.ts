import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Direction, PhaseName } from '#shared/trace/record.ts';
import { RowIndex } from './row-index.ts';

/** Rows of messages and phases, one a microsecond. */
class Conversation {
  readonly index = new RowIndex();
  #seq = 0;

  /** Adds a message as it stands on the wire; returns its row. */
  say(direction: Direction, message: object | string): number {
    const text = typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message });
    const channel = direction === 'in' ? 'stdout' : 'stdin';
    const seq = this.#seq++;
    const size = Buffer.byteLength(text);
    this.index.add(
      { seq, at: seq, kind: 'unit', direction, channel, text, size },
      { offset: 0, length: 0 },
      Buffer.from(text),
    );
    return this.index.columns.count - 1;
  }

  enter(phase: PhaseName): void {
    const seq = this.#seq++;
    this.index.add({ seq, at: seq, kind: 'phase', phase }, { offset: 0, length: 0 }, Buffer.alloc(0));
  }

  of(row: number) {
    const { columns } = this.index;
    return {
      status: columns.status(row),
      pair: columns.pair(row),
      parent: columns.parent(row),
      method: columns.method(row),
      duration: columns.duration(row),
    };
  }
}

const opposite = (direction: Direction): Direction => (direction === 'in' ? 'out' : 'in');

interface Open {
  readonly row: number;
  readonly direction: Direction;
  readonly id: string | number;
}

describe('answers', () => {
  test('pair with exactly their request, whatever the order, the ids and the direction', () => {
    const id = fc.oneof(
      fc.nat(3),
      fc.nat(3).map(String),
      fc.constantFrom(-1, Number.MAX_SAFE_INTEGER, '', '1 ', 'out number 1'),
    );
    const step = fc.record({
      direction: fc.constantFrom<Direction>('in', 'out'),
      id,
      kind: fc.constantFrom('request', 'answer', 'error', 'notification', 'noise'),
      which: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const talk = new Conversation();
        const open: Open[] = [];
        const pairs: [request: number, answer: number][] = [];
        const alone: number[] = [];
        for (const { direction, id: wanted, kind, which } of steps) {
          const asked = open[which % Math.max(1, open.length)];
          if (kind === 'notification')
            alone.push(talk.say(direction, { method: 'n', params: { id: wanted } }));
          else if (kind === 'noise') alone.push(talk.say(direction, `noise ${wanted}`));
          else if (kind === 'request') {
            if (open.some((one) => one.direction === direction && one.id === wanted)) continue;
            open.push({ row: talk.say(direction, { id: wanted, method: 'm' }), direction, id: wanted });
          } else if (asked !== undefined) {
            const answer = kind === 'answer' ? { result: {} } : { error: { code: 1, message: '' } };
            const row = talk.say(opposite(asked.direction), { id: asked.id, ...answer });
            pairs.push([asked.row, row]);
            open.splice(open.indexOf(asked), 1);
          }
        }
        for (const [request, answer] of pairs) {
          expect(talk.of(request)).toMatchObject({ pair: answer, duration: answer - request });
          expect(talk.of(answer)).toMatchObject({ pair: request, method: 'm', duration: answer - request });
          expect(talk.of(request).status).toBe(talk.of(answer).status);
        }
        for (const { row } of open) expect(talk.of(row)).toMatchObject({ pair: null, status: 'pending' });
        for (const row of alone) expect(talk.of(row)).toMatchObject({ pair: null, duration: null });
      }),
    );
  });

  test('to requests of one id go to the one that waits longest', () => {
    const talk = new Conversation();
    const first = talk.say('in', { id: 1, method: 'first' });
    const second = talk.say('in', { id: 1, method: 'second' });
    const answers = [talk.say('out', { id: 1, result: {} }), talk.say('out', { id: 1, result: {} })];
    expect([first, second].map((row) => talk.of(row).pair)).toEqual(answers);
    expect(talk.of(talk.say('out', { id: 1, result: {} })).status).toBe('orphan');
  });

  test('to an id that a cancelled request had before go to the request that waits', () => {
    const talk = new Conversation();
    const cancelled = talk.say('in', { id: 1, method: 'first' });
    talk.say('in', { method: 'notifications/cancelled', params: { requestId: 1 } });
    const waiting = talk.say('in', { id: 1, method: 'second' });
    const answer = talk.say('out', { id: 1, result: {} });
    expect(talk.of(answer)).toMatchObject({ pair: waiting, status: 'ok' });
    expect(talk.of(cancelled)).toMatchObject({ pair: null, status: 'cancelled' });
    expect(talk.of(talk.say('out', { id: 1, result: {} }))).toMatchObject({
      pair: cancelled,
      status: 'late',
    });
  });

  test('that are not valid messages still end their request', () => {
    const talk = new Conversation();
    const request = talk.say('out', { id: 1, method: 'm' });
    const answer = talk.say('in', { id: 1, result: {}, error: {} });
    expect(talk.of(request)).toMatchObject({ pair: answer, status: 'invalid' });
    expect(talk.of(answer)).toMatchObject({ pair: request, status: 'invalid' });
  });

  test.each([
    { id: 1, method: 7 },
    { jsonrpc: '1.0', id: 1, method: null },
    { id: 1, method: 'm', params: [] },
  ])('are not mistaken for %j, which asks', (message) => {
    const talk = new Conversation();
    const request = talk.say('out', { id: 1, method: 'm' });
    const other = talk.say('in', message);
    expect(talk.of(other)).toMatchObject({ pair: null, status: 'invalid' });
    expect(talk.of(request)).toMatchObject({ pair: null, status: 'pending' });
  });

  test('after the end are late', () => {
    const talk = new Conversation();
    const request = talk.say('out', { id: 1, method: 'm' });
    const reused = [talk.say('in', { id: 1, method: 'a' }), talk.say('in', { id: 1, method: 'b' })];
    talk.enter('failed');
    for (const row of [request, ...reused]) expect(talk.of(row).status).toBe('unanswered');
    const answer = talk.say('in', { id: 1, result: {} });
    expect(talk.of(answer)).toMatchObject({ pair: request, status: 'late' });
    expect(talk.of(request)).toMatchObject({ pair: answer, status: 'unanswered' });
  });
});

describe('progress', () => {
  const ask = (talk: Conversation, id: number, progressToken: string | number) =>
    talk.say('out', { id, method: 'm', params: { _meta: { progressToken } } });
  const report = (talk: Conversation, progressToken: unknown, direction: Direction = 'in') =>
    talk.say(direction, { method: 'notifications/progress', params: { progressToken, progress: 1 } });

  test('belongs to the request that gave the token, until that is answered', () => {
    const talk = new Conversation();
    const one = ask(talk, 1, 'a');
    const two = ask(talk, 2, 1);
    expect(talk.of(report(talk, 'a')).parent).toBe(one);
    expect(talk.of(report(talk, 1)).parent).toBe(two);
    for (const token of ['1', 2, null]) expect(talk.of(report(talk, token)).parent).toBeNull();
    expect(talk.of(report(talk, 'a', 'out')).parent).toBeNull();
    talk.say('in', { id: 1, result: {} });
    expect(talk.of(report(talk, 'a')).parent).toBeNull();
    expect(talk.of(report(talk, 1)).parent).toBe(two);
  });

  test('goes to the later request when a token is given twice, also when the earlier one is answered', () => {
    const talk = new Conversation();
    ask(talk, 1, 'a');
    const later = ask(talk, 2, 'a');
    talk.say('in', { id: 1, result: {} });
    expect(talk.of(report(talk, 'a')).parent).toBe(later);
  });
});

describe('a cancellation', () => {
  test('belongs to the open request of the same side', () => {
    const talk = new Conversation();
    const ours = talk.say('out', { id: 1, method: 'm' });
    const theirs = talk.say('in', { id: 1, method: 'm' });
    const notice = talk.say('in', { method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(talk.of(notice).parent).toBe(theirs);
    expect([ours, theirs].map((row) => talk.of(row).status)).toEqual(['pending', 'cancelled']);
  });

  test.each([undefined, {}, { requestId: '1' }, { requestId: 2 }, { requestId: null }])(
    'with %j cancels nothing',
    (params) => {
      const talk = new Conversation();
      const request = talk.say('out', { id: 1, method: 'm' });
      const notice = talk.say('out', { method: 'notifications/cancelled', params });
      expect(talk.of(notice).parent).toBeNull();
      expect(talk.of(request).status).toBe('pending');
    },
  );
});

describe('the rows of a call', () => {
  const call = (id: number, params: object = {}) => ({
    id,
    method: 'tools/call',
    params: { name: 'ask', ...params },
  });

  test('is what the other side asks and logs while it alone waits', () => {
    const said = new Conversation();
    const before = said.say('in', { method: 'notifications/message', params: { level: 'info', data: 1 } });
    const first = said.say('out', call(1));
    const sampling = said.say('in', { id: 's1', method: 'sampling/createMessage', params: {} });
    const ping = said.say('in', { id: 's2', method: 'ping' });
    const log = said.say('in', { method: 'notifications/message', params: { level: 'info', data: 2 } });
    expect([before, sampling, ping, log].map((row) => said.of(row).parent)).toEqual([
      null,
      first,
      null,
      first,
    ]);
    const second = said.say('out', call(2));
    const either = said.say('in', { id: 's3', method: 'elicitation/create', params: {} });
    expect(said.of(either).parent).toBeNull();
    said.say('in', { id: 1, result: { content: [] } });
    const ofSecond = said.say('in', { id: 's4', method: 'roots/list' });
    expect(said.of(ofSecond).parent).toBe(second);
    said.say('in', { id: 2, error: { code: 1, message: 'no' } });
    expect(said.of(said.say('in', { id: 's5', method: 'roots/list' })).parent).toBeNull();
  });

  test('is each further round of its conversation, found by the state that the server gave', () => {
    const said = new Conversation();
    const first = said.say('out', call(1));
    const other = said.say('out', call(2));
    const state = 'x'.repeat(500);
    const asks = (requestState?: string) => ({
      resultType: 'input_required',
      inputRequests: {},
      requestState,
    });
    said.say('in', { id: 1, result: asks(state) });
    said.say('in', { id: 2, result: asks('other') });
    const again = said.say('out', call(3, { inputResponses: {}, requestState: state }));
    const otherAgain = said.say('out', call(4, { inputResponses: {}, requestState: 'other' }));
    expect([again, otherAgain].map((row) => said.of(row).parent)).toEqual([first, other]);
    said.say('in', { id: 3, result: asks() });
    const third = said.say('out', call(5, { inputResponses: {} }));
    expect(said.of(third).parent).toBe(first);
    const repeated = said.say('out', call(6, { inputResponses: {}, requestState: state }));
    expect(said.of(repeated).parent).toBeNull();
  });
});

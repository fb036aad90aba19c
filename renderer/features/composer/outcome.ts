import { useEffect, useRef, useState } from 'react';
import { call, on } from '#bridge';
import type { TraceRow } from '#shared/trace/row.ts';

/** What became of a unit that was sent, as the trace has it. */
export interface Outcome {
  /** Its rows: one, or in a batch one for each message. */
  readonly messages: readonly TraceRow[];
  /** The HTTP exchange that carried it; null on stdio. */
  readonly exchange: TraceRow | null;
  /** What came back: responses by their id, what else the same exchange carried, or an error without an id. */
  readonly responses: readonly TraceRow[];
  /** Whether nothing more is expected. */
  readonly isSettled: boolean;
}

/** Rows after a unit among which its response is looked for, besides those that are related to it. */
const MAX_NEXT = 40;
/** Rows of a batch that are shown. */
const MAX_OF_BATCH = 200;
/** Milliseconds between two looks at most. */
const PAUSE = 60;

/** The outcome of the unit in a row, updated until it is settled; null before it is read. */
export function useOutcome(sessionId: string, row: number): Outcome | null {
  const [known, setKnown] = useState<{ readonly key: string; readonly outcome: Outcome } | null>(null);
  const key = unitKey({ sessionId, row });
  useEffect(
    () =>
      followOutcome({ sessionId, row }, (outcome) => setKnown({ key: unitKey({ sessionId, row }), outcome })),
    [sessionId, row],
  );
  return known?.key === key ? known.outcome : null;
}

/** A unit that was sent, by its first row in the trace of its session. */
export interface UnitPlace {
  readonly sessionId: string;
  readonly row: number;
}

/** Names a unit among those of all sessions. */
export const unitKey = ({ sessionId, row }: UnitPlace): string => `${sessionId} ${row}`;

/** The outcomes of several units by their keys, each updated until it is settled. Those no longer asked for are dropped. */
export function useUnitOutcomes(units: readonly UnitPlace[]): ReadonlyMap<string, Outcome> {
  const [known, setKnown] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const followed = useRef(new Map<string, () => void>());
  useEffect(() => {
    const { current } = followed;
    const wanted = new Set(units.map(unitKey));
    for (const [key, stop] of current) {
      if (wanted.has(key)) continue;
      stop();
      current.delete(key);
      setKnown((before) => {
        const kept = new Map(before);
        return kept.delete(key) ? kept : before;
      });
    }
    for (const unit of units) {
      const key = unitKey(unit);
      if (current.has(key)) continue;
      const take = (outcome: Outcome) => setKnown((before) => new Map(before).set(key, outcome));
      current.set(key, followOutcome(unit, take));
    }
  }, [units]);
  useEffect(() => {
    const { current } = followed;
    return () => {
      for (const stop of current.values()) stop();
      current.clear();
    };
  }, []);
  return known;
}

/** Reads an outcome, and again with each change of the trace until it is settled. Returns how to stop. */
function followOutcome({ sessionId, row }: UnitPlace, take: (outcome: Outcome) => void): () => void {
  let isCurrent = true;
  let isSettled = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = async () => {
    const outcome = await readOutcome(sessionId, row).catch(() => null);
    if (!isCurrent || outcome === null) return;
    ({ isSettled } = outcome);
    take(outcome);
  };
  const stop = on('trace/grew', (grown) => {
    if (grown.sessionId !== sessionId || isSettled || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      void look();
    }, PAUSE);
  });
  void look();
  return () => {
    isCurrent = false;
    stop();
    clearTimeout(timer);
  };
}

async function readOutcome(sessionId: string, row: number): Promise<Outcome | null> {
  const from = (first: number, count: number) =>
    call('trace/rows', { sessionId, filterId: null, from: first, count }).then(({ rows }) => rows);
  const byNumber = (rows: readonly number[]) =>
    rows.length === 0 ? Promise.resolve([]) : call('trace/rows-by-number', { sessionId, rows: [...rows] });
  const near = await from(row, MAX_NEXT);
  const [head] = near;
  if (head === undefined) return null;
  const size = Math.min(head.batch, MAX_OF_BATCH);
  const messages = size > 1 ? await from(row, size) : [head];
  const exchange = head.exchange === null ? null : ((await byNumber([head.exchange]))[0] ?? null);
  const pairs = await byNumber(
    messages.flatMap(({ pair, kind }) => (pair === null || kind !== 'request' ? [] : [pair])),
  );
  const known = new Set([...messages, ...pairs].map((one) => one.row));
  // A server that could not read the unit cannot name its id.
  const others = near.filter(
    (one) =>
      !known.has(one.row) &&
      one.direction === 'in' &&
      one.row > row &&
      (exchange === null
        ? isUnreadable(head) && one.kind === 'error' && one.id === null
        : one.exchange === exchange.row && one.pair === null && one.kind !== 'sse'),
  );
  const isOver = exchange === null || exchange.duration !== null;
  const isAnswered = messages.every(({ status }) => status !== 'pending' && status !== 'receiving');
  return {
    messages,
    exchange,
    responses: [...pairs, ...others.slice(0, exchange === null ? 1 : undefined)],
    isSettled: isOver && isAnswered && !(exchange === null && isUnreadable(head) && others.length === 0),
  };
}

/** Whether the server cannot make a message of it. */
const isUnreadable = ({ kind }: TraceRow): boolean => kind === 'noise' || kind === 'invalid';

/** How it ended: a word for it, and whether that is good. */
export interface OutcomeStatus {
  readonly text: string;
  readonly tone: 'ok' | 'warn' | 'error' | 'waiting';
}

/** The outcome in a word: the status of the request, else the HTTP status, else what the server said. */
export function statusOf({ messages, exchange, responses }: Outcome): OutcomeStatus {
  const requests = messages.filter(({ kind }) => kind === 'request');
  const httpStatus = exchange?.code ?? null;
  const [request] = requests;
  if (request !== undefined) {
    if (requests.some((one) => one.status === 'pending')) {
      if (httpStatus !== null && httpStatus >= 400) return { text: String(httpStatus), tone: 'error' };
      return { text: 'waiting', tone: 'waiting' };
    }
    const statuses = requests.map(ofRequest);
    const worst =
      statuses.find(({ tone }) => tone === 'error') ?? statuses.find(({ tone }) => tone === 'warn');
    const isMixed = requests.length > 1 && worst !== undefined && statuses.some(({ tone }) => tone === 'ok');
    const whole = isMixed ? { text: 'mixed', tone: 'warn' as const } : (worst ?? statuses[0]);
    if (whole !== undefined && (whole.tone === 'ok' || httpStatus === null || httpStatus < 400)) return whole;
    return { text: String(httpStatus), tone: 'error' };
  }
  const error = responses.find(({ kind }) => kind === 'error');
  if (httpStatus !== null && httpStatus >= 400) return { text: String(httpStatus), tone: 'error' };
  if (error !== undefined) return { text: error.code === null ? 'error' : String(error.code), tone: 'error' };
  if (httpStatus !== null) return { text: String(httpStatus), tone: 'ok' };
  if (exchange?.status === 'failed') return { text: 'failed', tone: 'error' };
  return { text: exchange === null ? 'sent' : 'waiting', tone: exchange === null ? 'ok' : 'waiting' };
}

function ofRequest({ status, code }: TraceRow): OutcomeStatus {
  switch (status) {
    case 'ok':
      return { text: 'ok', tone: 'ok' };
    case 'input-required':
      return { text: 'needs input', tone: 'warn' };
    case 'tool-error':
      return { text: 'tool error', tone: 'warn' };
    case 'error':
      return { text: code === null ? 'error' : String(code), tone: 'error' };
    case 'cancelled':
      return { text: 'cancelled', tone: 'warn' };
    case 'unanswered':
      return { text: 'no response', tone: 'warn' };
    default:
      return { text: status, tone: 'warn' };
  }
}

/** What was sent, in a few words: its method, or what it is. */
export function sentLabel({ messages }: Outcome): string {
  const [head] = messages;
  if (head === undefined) return '';
  if (head.batch > 1) return `batch of ${head.batch}`;
  if (head.kind === 'noise') return 'raw bytes';
  if (head.kind === 'invalid') return head.method ?? 'invalid message';
  if (head.kind === 'result' || head.kind === 'error')
    return `response${head.method === null ? '' : ` to ${head.method}`}`;
  return head.method ?? head.kind;
}

import { useSettings } from '#model/settings.ts';
import type { Finding } from '#shared/contract/checks.ts';
import { type CommandName, commands, type EventName, events, type Payload } from '#shared/contract/index.ts';
import { type ExchangeDetail, MAX_CHILDREN, type RowDetail } from '#shared/contract/trace.ts';
import type { TraceHeader } from '#shared/trace/record.ts';
import { type FilterFacts, matchesRow, parseFilter } from '#shared/trace/filter/index.ts';
import type { RowKind, TraceRow } from '#shared/trace/row.ts';

/**
 * Stands in for `#bridge` where the page has no engine: a trace that the test writes row by row. Use it with
 * `vi.mock('#bridge', () => import('./testing/fake-bridge.ts'))`.
 */

export const SESSION = 'session-1';
/** Characters after which this engine cuts the text of a detail. */
export const DETAIL_CHARS = 1000;

const listeners = new Map<string, Set<(payload: unknown) => void>>();

type ServerOfTrace = TraceHeader['server'];
const aCommand: ServerOfTrace = { name: 'demo', transport: 'stdio', command: 'node', args: ['server.js'] };

/** What the engine knows, and what the page asked of it. */
export const engine = {
  rows: [] as TraceRow[],
  texts: new Map<number, string>(),
  /** HTTP exchanges by their row, without what they carried. */
  exchanges: new Map<number, Omit<ExchangeDetail, 'row' | 'carried' | 'carriedCount'>>(),
  /** How the events of streams were written, by row. */
  events: new Map<number, RowDetail['sse']>(),
  findings: [] as Finding[],
  server: aCommand as ServerOfTrace,
  asked: [] as { name: CommandName; params: unknown }[],
  filters: new Map<string, TraceRow[]>(),
  /** Set to make a command fail. */
  failing: null as { name: CommandName; failure: Error } | null,
  /** The next command of this name is answered only once the promise resolves. */
  held: null as { name: CommandName; until: Promise<void> } | null,
};

export function reset(rows: readonly TraceRow[] = []): void {
  engine.rows = [...rows];
  engine.texts.clear();
  engine.exchanges.clear();
  engine.events.clear();
  engine.findings = [];
  engine.server = aCommand;
  engine.asked = [];
  engine.filters.clear();
  engine.failing = null;
  engine.held = null;
}

/** Rows came, or changed in place. */
export function grow(rows: readonly TraceRow[]): void {
  for (const row of rows) engine.rows[row.row] = row;
  const changedFrom = Math.min(...rows.map(({ row }) => row));
  emit('trace/grew', { sessionId: SESSION, rows: engine.rows.length, changedFrom });
}

export function emit<N extends EventName>(name: N, payload: Payload<N>): void {
  for (const listener of listeners.get(name) ?? []) listener(events[name].parse(payload));
}

export function on(name: EventName, listener: (payload: unknown) => void): () => void {
  const set = listeners.get(name) ?? new Set();
  listeners.set(name, set);
  set.add(listener);
  return () => set.delete(listener);
}

export async function call(name: CommandName, params: unknown): Promise<unknown> {
  engine.asked.push({ name, params });
  if (engine.failing?.name === name) throw engine.failing.failure;
  const answer = answers[name];
  if (answer === undefined) throw new Error(`no answer to ${name}`);
  const result = commands[name].result.parse(answer(params));
  const { held } = engine;
  if (held?.name === name) {
    engine.held = null;
    await held.until;
  }
  return result;
}

const textOf = (row: number) => engine.texts.get(row) ?? `{"jsonrpc":"2.0","row":${row}}`;
const listOf = (filterId: string | null) =>
  filterId === null ? engine.rows : (engine.filters.get(filterId) ?? []);
const rowAt = (row: number | null) => (row === null ? null : (engine.rows[row] ?? null));

/** Kinds of rows that stand for no bytes. */
const textless: ReadonlySet<RowKind> = new Set<RowKind>(['process', 'phase', 'http', 'switches']);

const carriedBy = (row: number) => engine.rows.filter((each) => each.exchange === row && each.row !== row);
const childrenOf = (row: number) => engine.rows.filter(({ parent }) => parent === row);

function exchangeOf({ exchange: row }: TraceRow): ExchangeDetail | null {
  const exchange = row === null ? undefined : engine.exchanges.get(row);
  if (row === null || exchange === undefined) return null;
  const carried = carriedBy(row);
  return { ...exchange, row, carried: carried.slice(0, MAX_CHILDREN), carriedCount: carried.length };
}

/** What a filter looks at of a row: here its columns alone. */
const factsOf = (row: TraceRow): FilterFacts => ({
  row,
  subject: row.summary,
  texts: [],
  rules: [],
  clock: { at: 0, wall: 0, lastAt: 0 },
  sessions: [],
});

const answers: Partial<Record<CommandName, (params: unknown) => unknown>> = {
  'trace/summary': () => ({
    rows: engine.rows.length,
    clock: { at: 0, wall: Date.UTC(2026, 0, 1) },
    server: engine.server,
  }),
  'trace/rows': (params) => {
    const { filterId, from, count } = commands['trace/rows'].params.parse(params);
    const list = listOf(filterId);
    return { total: list.length, rows: list.slice(from, from + count) };
  },
  'trace/filter': (params) => {
    const { sessionId, text } = commands['trace/filter'].params.parse(params);
    const filterId = `filter-${engine.filters.size + 1}`;
    const parsed = parseFilter(text);
    if (!parsed.ok) throw new Error(`no filter: ${text}`);
    const matches = engine.rows.filter((row) => matchesRow(parsed.filter, factsOf(row)));
    engine.filters.set(filterId, matches);
    const told = { matches: matches.length, scanned: engine.rows.length, done: true };
    // As the real engine may: the first matches are told before the answer.
    emit('trace/filtered', { sessionId, filterId, ...told });
    return { filterId };
  },
  'trace/end-filter': () => null,
  'trace/place': (params) => {
    const { filterId, row } = commands['trace/place'].params.parse(params);
    return { place: Math.max(0, listOf(filterId).filter((match) => match.row <= row).length - 1) };
  },
  'trace/detail': (params) => {
    const { row } = commands['trace/detail'].params.parse(params);
    const own = rowAt(row);
    if (own === null) throw new Error(`no row ${row}`);
    const isText = !textless.has(own.kind);
    return {
      row: own,
      text: isText ? textOf(row).slice(0, DETAIL_CHARS) : null,
      truncated: isText && textOf(row).length > DETAIL_CHARS,
      encoding: own.noise === 'not-utf8' ? 'base64' : 'utf-8',
      badByteAt: own.noise === 'not-utf8' ? 3 : null,
      problem: own.noise === null ? null : 'Not a message.',
      process: own.kind === 'process' ? { what: 'exit', code: null, signal: 'SIGKILL' } : null,
      phase: null,
      exchange: exchangeOf(own),
      sse: engine.events.get(row) ?? null,
      pair: rowAt(own.pair),
      parent: rowAt(own.parent),
      children: childrenOf(row).slice(0, MAX_CHILDREN),
      childCount: childrenOf(row).length,
    };
  },
  'trace/relatives': (params) => {
    const { row, by, from, count } = commands['trace/relatives'].params.parse(params);
    const all = by === 'parent' ? childrenOf(row) : carriedBy(row);
    return { total: all.length, rows: all.slice(from, from + count) };
  },
  'trace/pick': (params) => commands['trace/pick'].params.parse(params).rows.map((row) => rowAt(row)),
  'trace/at': (params) => {
    const { at } = commands['trace/at'].params.parse(params);
    return { row: engine.rows.find((row) => row.at >= at)?.row ?? null };
  },
  'trace/seek': (params) => {
    const { filterId, from, step, text } = commands['trace/seek'].params.parse(params);
    const parsed = parseFilter(text);
    if (!parsed.ok) throw new Error(`no filter: ${text}`);
    const later = listOf(filterId).filter(({ row }) => (row - from) * step > 0);
    const matches = later.filter((row) => matchesRow(parsed.filter, factsOf(row)));
    return { row: matches.at(step > 0 ? 0 : -1)?.row ?? null };
  },
  'trace/marks': () => engine.rows.flatMap(({ row, mark }) => (mark === null ? [] : [{ row, note: mark }])),
  'settings/write': (params) => ({
    ...useSettings.getState(),
    ...commands['settings/write'].params.parse(params),
  }),
  'trace/statistics': () => ({ rows: 0, span: 0, bytesIn: 0, bytesOut: 0, calls: [], tools: [] }),
  'trace/mark': (params) => {
    const { row, note } = commands['trace/mark'].params.parse(params);
    const own = rowAt(row);
    if (own !== null) grow([{ ...own, mark: note }]);
    return null;
  },
  'checks/of-row': (params) => {
    const { row } = commands['checks/of-row'].params.parse(params);
    return engine.findings.filter(({ rows }) => rows.includes(row));
  },
  'trace/bytes': (params) => {
    const { row, from, count } = commands['trace/bytes'].params.parse(params);
    const bytes = new TextEncoder().encode(textOf(row));
    const part = Buffer.from(bytes.subarray(from, from + count));
    return { base64: part.toString('base64'), total: bytes.length };
  },
};

import { z } from 'zod';
import { logLevels } from '#shared/protocol/log-levels.ts';
import { channelSchema, directionSchema } from '#shared/trace/record.ts';
import { findingSeverities, noiseReasons, rowKinds, rowStatuses } from '#shared/trace/row.ts';
import type { DurationsState } from '#trace/duration-sample.ts';
import type { FindingsState } from '#trace/findings.ts';
import type { ClockState } from '#trace/file-clock.ts';
import { exchangeSteps, type ExchangesState, ofEachStep } from '#trace/rows/exchanges.ts';
import { type ColumnName, type ColumnsState, columnTypes, ROW_FLAGS } from '#trace/rows/row-columns.ts';
import type { RowsState } from '#trace/rows/row-index.ts';
import {
  type Bounds,
  decodeNumbers,
  encodeNumbers,
  type NumberColumn,
  type WrittenColumn,
} from './number-codec.ts';

/** Everything derived from a trace up to a position in its file. */
export interface IndexState {
  readonly rows: RowsState;
  readonly findings: FindingsState;
  readonly durations: DurationsState;
  readonly clock: ClockState;
  /** Lines up to there, including the header. */
  readonly lines: number;
}

/** A named part of an index file. */
export interface Section {
  readonly name: string;
  /** The encoding of its numbers; null for JSON. */
  readonly column: WrittenColumn | null;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Yields the sections of an index one by one, because encoding a column of a million rows takes milliseconds. */
export function* sectionsOf(state: IndexState): Generator<Section> {
  // The names of sections and facts are those of the file: `elsewhere`, `isAtHome` and `problem` are older than ours.
  const { rows, findings, durations, clock, lines } = state;
  const { exchanges, chunks, messages, invalid } = rows;
  const { otherIndexes, interim } = exchanges;
  const { columns, strings, marks } = rows.rows;
  const facts = {
    marks,
    chunks,
    messages,
    invalid,
    elsewhere: otherIndexes,
    interim,
    problems: findings.violations,
    durations,
    clock,
    lines,
  };
  yield jsonSection('facts', facts);
  yield jsonSection('strings', strings);
  for (const [name, column] of Object.entries(columns)) yield numberSection(`row ${name}`, column);
  yield numberSection('finding problem', findings.violation);
  yield numberSection('finding row', findings.row);
  yield numberSection('finding other', findings.other);
  yield numberSection('exchange row', exchanges.row);
  yield numberSection('exchange isAtHome', exchanges.isAtIdIndex);
  for (const step of exchangeSteps) {
    yield numberSection(`${step} offset`, exchanges.offset[step]);
    yield numberSection(`${step} length`, exchanges.length[step]);
  }
}

/** Columns with at least one byte per number, so that a small file cannot claim to have many rows. */
const counted: ReadonlySet<string> = new Set(['row kind', 'finding problem', 'exchange row']);
/** Minimum of bytes per row; a trace with smaller rows, such as large batches, has no index. */
const MIN_ROW = 16;

/** Whether a trace can have an index. */
export const canBeKept = (rows: number, traceLength: number): boolean =>
  rows > 0 && rows * MIN_ROW <= traceLength;

const jsonSection = (name: string, value: unknown): Section => ({
  name,
  column: null,
  bytes: new TextEncoder().encode(JSON.stringify(value)),
});

function numberSection(name: string, numbers: ArrayLike<number>): Section {
  const { written, bytes } = encodeNumbers(numbers, counted.has(name) ? 1 : 0);
  return { name, column: written, bytes };
}

const count = z.number().int().nonnegative();
const lineSpan = z.object({ offset: count, length: count });

/** Everything that is not a column of numbers. */
const factsSchema = z.object({
  marks: z.array(z.tuple([count, z.string()])),
  chunks: z.array(z.tuple([count, z.array(lineSpan.extend({ size: count }))])),
  messages: count,
  invalid: count,
  elsewhere: z.array(z.tuple([count, count])),
  interim: z.array(z.tuple([count, z.array(lineSpan)])),
  problems: z.array(
    z.object({
      rule: z.string(),
      severity: z.enum(findingSeverities),
      source: z.enum(['envelope', 'schema']),
      text: z.string(),
      pointer: z.string().nullable(),
      revision: z.string().nullable(),
    }),
  ),
  durations: z.object({ kept: z.array(z.number()), next: count }),
  clock: z.object({
    tie: z.object({ at: z.number(), wall: z.number() }),
    isOver: z.enum(['no', 'closed', 'failed']),
    at: z.number(),
    seq: z.number().int().min(-1),
  }),
  lines: count,
});
type Facts = z.infer<typeof factsSchema>;

/** The counts and the length of the trace, against which all numbers of an index are checked. */
interface Limits {
  readonly rows: number;
  readonly findings: number;
  readonly exchanges: number;
  readonly traceLength: number;
}

/**
 * Decodes an index. It may contain anything, so each number is checked against what it counts or points to.
 *
 * @returns null if anything is missing or out of bounds
 */
export function stateOf(sections: ReadonlyMap<string, Section>, traceLength: number): IndexState | null {
  const numbersIn = (name: string): number => {
    const section = sections.get(name);
    return section?.column ? section.bytes.length / Math.max(1, section.column.width) : 0;
  };
  const limits = {
    rows: numbersIn('row kind'),
    findings: numbersIn('finding problem'),
    exchanges: numbersIn('exchange row'),
    traceLength,
  };
  const counts = [limits.rows, limits.findings, limits.exchanges];
  if (!canBeKept(limits.rows, traceLength) || !counts.every(Number.isSafeInteger)) return null;
  const facts = factsSchema.safeParse(jsonOf(sections, 'facts')).data;
  const strings = jsonOf(sections, 'strings');
  if (facts === undefined || !areFactsWithin(facts, limits) || !areStrings(strings)) return null;
  const read = <C extends NumberColumn>(name: string, to: C, bounds: Bounds): C => {
    const section = sections.get(name);
    if (!section?.column || !decodeNumbers(section.column, section.bytes, to, bounds))
      throw new OutOfBounds();
    return to;
  };
  try {
    const { chunks, messages, invalid, durations, clock, lines } = facts;
    const columns = readColumns(read, limits, strings);
    const exchanges = readExchanges(read, limits, facts);
    const rows = {
      rows: { columns, strings, marks: facts.marks },
      exchanges,
      chunks,
      messages,
      invalid,
    };
    return { rows, findings: readFindings(read, limits, facts), durations, clock, lines };
  } catch (error) {
    if (error instanceof OutOfBounds) return null;
    throw error;
  }
}

class OutOfBounds extends Error {}

type Read = <C extends NumberColumn>(name: string, to: C, bounds: Bounds) => C;

const NONE = -1;
const LARGEST_UINT32 = 0xffff_ffff;
const ANY: Bounds = { least: -Number.MAX_VALUE, most: Number.MAX_VALUE };
const upTo = (most: number): Bounds => ({ least: 0, most });

function readColumns(
  read: Read,
  { rows, traceLength }: Limits,
  strings: readonly string[],
): ColumnsState['columns'] {
  const toString: Bounds = { least: NONE, most: strings.length - 1 };
  const toRow: Bounds = { least: NONE, most: rows - 1 };
  const bounds: Readonly<Record<ColumnName, Bounds>> = {
    seq: upTo(LARGEST_UINT32),
    position: upTo(LARGEST_UINT32),
    // Not every message of a large batch has a row.
    batch: upTo(LARGEST_UINT32),
    at: upTo(Number.MAX_SAFE_INTEGER),
    offset: upTo(traceLength),
    length: upTo(Math.min(traceLength, LARGEST_UINT32)),
    size: upTo(Number.MAX_SAFE_INTEGER),
    kind: upTo(rowKinds.length - 1),
    direction: upTo(DIRECTIONS),
    channel: upTo(CHANNELS),
    status: upTo(rowStatuses.length - 1),
    noise: upTo(noiseReasons.length),
    flags: upTo(ROW_FLAGS),
    error: upTo(1),
    finding: upTo(findingSeverities.length),
    method: toString,
    subject: toString,
    level: upTo(logLevels.length),
    logger: toString,
    code: { ...ANY, mayBeNone: true },
    duration: { ...ANY, mayBeNone: true },
    pair: toRow,
    parent: toRow,
    exchange: toRow,
    id: ANY,
    idType: upTo(ID_TYPES),
  };
  const one = <C extends NumberColumn>(name: ColumnName, to: C): C => read(`row ${name}`, to, bounds[name]);
  const columns = {
    seq: one('seq', new columnTypes.seq(rows)),
    position: one('position', new columnTypes.position(rows)),
    batch: one('batch', new columnTypes.batch(rows)),
    at: one('at', new columnTypes.at(rows)),
    offset: one('offset', new columnTypes.offset(rows)),
    length: one('length', new columnTypes.length(rows)),
    size: one('size', new columnTypes.size(rows)),
    kind: one('kind', new columnTypes.kind(rows)),
    direction: one('direction', new columnTypes.direction(rows)),
    channel: one('channel', new columnTypes.channel(rows)),
    status: one('status', new columnTypes.status(rows)),
    noise: one('noise', new columnTypes.noise(rows)),
    flags: one('flags', new columnTypes.flags(rows)),
    error: one('error', new columnTypes.error(rows)),
    finding: one('finding', new columnTypes.finding(rows)),
    method: one('method', new columnTypes.method(rows)),
    subject: one('subject', new columnTypes.subject(rows)),
    level: one('level', new columnTypes.level(rows)),
    logger: one('logger', new columnTypes.logger(rows)),
    code: one('code', new columnTypes.code(rows)),
    duration: one('duration', new columnTypes.duration(rows)),
    pair: one('pair', new columnTypes.pair(rows)),
    parent: one('parent', new columnTypes.parent(rows)),
    exchange: one('exchange', new columnTypes.exchange(rows)),
    id: one('id', new columnTypes.id(rows)),
    idType: one('idType', new columnTypes.idType(rows)),
  };
  if (!areRowsSound(columns, strings, traceLength)) throw new OutOfBounds();
  return columns;
}

/** The largest codes of columns without a table of their own; code 0 means that there is no value. */
const DIRECTIONS = directionSchema.options.length;
const CHANNELS = channelSchema.options.length;
const ID_TYPES = 3;
const ID_AS_STRING = 2;
const ID_LARGE = 3;
const INTEGER = /^-?\d{1,1000}$/;

/** Whether the columns are consistent: lines within the trace, rows that point back, existing ids. */
function areRowsSound(
  { offset, length, pair, parent, exchange, id, idType, position, batch }: ColumnsState['columns'],
  strings: readonly string[],
  traceLength: number,
): boolean {
  for (let row = 0; row < offset.length; row++) {
    const end = (offset[row] ?? 0) + (length[row] ?? 0);
    if (end > traceLength || (length[row] ?? 0) === 0 || !Number.isSafeInteger(offset[row])) return false;
    if ((parent[row] ?? 0) > row || (exchange[row] ?? 0) > row || pair[row] === row) return false;
    if ((position[row] ?? 0) >= (batch[row] ?? 0)) return false;
    const type = idType[row] ?? 0;
    if (type < ID_AS_STRING) continue;
    const text = strings[id[row] ?? 0];
    if (text === undefined || (type === ID_LARGE && !INTEGER.test(text))) return false;
  }
  return true;
}

function readFindings(read: Read, { findings, rows }: Limits, { problems }: Facts): FindingsState {
  const one = (name: string, bounds: Bounds) => read(`finding ${name}`, new Int32Array(findings), bounds);
  return {
    violations: problems,
    violation: one('problem', upTo(problems.length - 1)),
    row: one('row', upTo(rows - 1)),
    other: one('other', { least: NONE, most: rows - 1 }),
  };
}

function readExchanges(read: Read, { exchanges, rows, traceLength }: Limits, facts: Facts): ExchangesState {
  const state = {
    row: read('exchange row', new Uint32Array(exchanges), upTo(rows - 1)),
    isAtIdIndex: read('exchange isAtHome', new Uint8Array(exchanges), upTo(1)),
    offset: ofEachStep((step) => read(`${step} offset`, new Float64Array(exchanges), upTo(traceLength))),
    length: ofEachStep((step) =>
      read(`${step} length`, new Uint32Array(exchanges), upTo(Math.min(traceLength, LARGEST_UINT32))),
    ),
    otherIndexes: facts.elsewhere,
    interim: facts.interim,
  };
  for (const step of exchangeSteps) {
    const { [step]: offset } = state.offset;
    const { [step]: length } = state.length;
    if (!offset.every((from, at) => from + (length[at] ?? 0) <= traceLength)) throw new OutOfBounds();
  }
  return state;
}

function areFactsWithin({ marks, chunks, elsewhere, interim }: Facts, limits: Limits): boolean {
  const { rows, exchanges, traceLength } = limits;
  const isWithin = ({ offset, length }: { offset: number; length: number }) => offset + length <= traceLength;
  return (
    marks.every(([row]) => row < rows) &&
    chunks.every(([row, spans]) => row < rows && spans.every(isWithin)) &&
    elsewhere.every(([, at]) => at < exchanges) &&
    interim.every(([, spans]) => spans.every(isWithin))
  );
}

const areStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string');

function jsonOf(sections: ReadonlyMap<string, Section>, name: string): unknown {
  const section = sections.get(name);
  if (section === undefined || section.column !== null) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(section.bytes));
  } catch {
    return undefined;
  }
}

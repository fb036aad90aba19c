import { grown } from '#shared/typed-arrays.ts';
import { type LogLevel, logLevels, severityOf } from '#shared/protocol/log-levels.ts';
import type { Channel, Composed, Direction } from '#shared/trace/record.ts';
import {
  type FindingSeverity,
  findingSeverities,
  type NoiseReason,
  noiseReasons,
  type ResponseMode,
  type RowKind,
  rowKinds,
  type RowStatus,
  rowStatuses,
} from '#shared/trace/row.ts';
import { isErrorRow, isFailure } from './error-rows.ts';
import type { RowCounts } from '#shared/contract/trace.ts';
import type { Id } from '#shared/protocol/jsonrpc.ts';

const NONE = -1;
const FIRST_CAPACITY = 1024;

/** The array type of each column. */
export const columnTypes = {
  seq: Uint32Array,
  position: Uint32Array,
  batch: Uint32Array,
  at: Float64Array,
  offset: Float64Array,
  length: Uint32Array,
  size: Float64Array,
  kind: Uint8Array,
  direction: Uint8Array,
  channel: Uint8Array,
  status: Uint8Array,
  noise: Uint8Array,
  flags: Uint8Array,
  error: Uint8Array,
  finding: Uint8Array,
  method: Int32Array,
  subject: Int32Array,
  level: Uint8Array,
  logger: Int32Array,
  code: Float64Array,
  duration: Float64Array,
  pair: Int32Array,
  parent: Int32Array,
  exchange: Int32Array,
  id: Float64Array,
  idType: Uint8Array,
} as const;
type ColumnTypes = typeof columnTypes;
export type ColumnName = keyof ColumnTypes;

/** All rows as plain values, to be stored in a file. */
export interface ColumnsState {
  readonly columns: { readonly [Name in ColumnName]: InstanceType<ColumnTypes[Name]> };
  readonly strings: readonly string[];
  readonly marks: readonly (readonly [row: number, note: string])[];
}

/** The rows of a trace as typed columns: about 97 bytes per row, independent of the messages. */
export class RowColumns {
  #count = 0;
  #seq = new Uint32Array(FIRST_CAPACITY);
  #position = new Uint32Array(FIRST_CAPACITY);
  #batch = new Uint32Array(FIRST_CAPACITY);
  #at = new Float64Array(FIRST_CAPACITY);
  #offset = new Float64Array(FIRST_CAPACITY);
  #length = new Uint32Array(FIRST_CAPACITY);
  #size = new Float64Array(FIRST_CAPACITY);
  #kind = new Uint8Array(FIRST_CAPACITY);
  #direction = new Uint8Array(FIRST_CAPACITY);
  #channel = new Uint8Array(FIRST_CAPACITY);
  #status = new Uint8Array(FIRST_CAPACITY);
  /** Index in `noiseReasons` plus one; 0 if not noise. */
  #noise = new Uint8Array(FIRST_CAPACITY);
  #flags = new Uint8Array(FIRST_CAPACITY);
  /** 1 for rows that never count as errors: another row counts in their stead, or we caused the error. */
  #excludedFromErrors = new Uint8Array(FIRST_CAPACITY);
  /** 1 for rows that count as errors. */
  #error = new Uint8Array(FIRST_CAPACITY);
  /** Index in `findingSeverities` plus one; 0 without findings. */
  #finding = new Uint8Array(FIRST_CAPACITY);
  #method = new Int32Array(FIRST_CAPACITY);
  #subject = new Int32Array(FIRST_CAPACITY);
  /** Index in `logLevels` plus one; 0 without a level. */
  #level = new Uint8Array(FIRST_CAPACITY);
  #logger = new Int32Array(FIRST_CAPACITY);
  #code = new Float64Array(FIRST_CAPACITY);
  #duration = new Float64Array(FIRST_CAPACITY);
  #pair = new Int32Array(FIRST_CAPACITY);
  #parent = new Int32Array(FIRST_CAPACITY);
  #exchange = new Int32Array(FIRST_CAPACITY);
  /** Integer ids up to 2^53 as numbers; larger ones and string ids as their index in `#strings`. */
  #id = new Float64Array(FIRST_CAPACITY);
  #idType = new Uint8Array(FIRST_CAPACITY);
  readonly #strings = new StringTable();
  /**
   * Whether rows are in the order of their records. Late messages of a large batch break the order, and so may a trace
   * that another program wrote.
   */
  #isAscending = true;
  /** The notes of marked rows. */
  readonly #marks = new Map<number, string>();
  /** Changes of the rows before this one are tracked. */
  #watchedEnd = 0;
  #changes: number[] = [];
  /** The last tracked change, until `changes` is read. */
  #lastChange = NONE;

  get count(): number {
    return this.#count;
  }

  /** How many rows count as errors, as `isErrorRow` defines them. */
  errors = 0;
  /** Called when a row starts or ceases to count as an error. */
  onErrorChange: ((row: number, isError: boolean) => void) | null = null;
  /** How many rows have findings, and how many are requests of the server. */
  #found = 0;
  #asks = 0;
  get counts(): RowCounts {
    return { errors: this.errors, found: this.#found, asks: this.#asks };
  }
  isError = (row: number): boolean => this.#error[row] === 1;

  /** The state as views of these columns: they show later changes, but no later rows. */
  get state(): ColumnsState {
    const count = this.#count;
    return {
      columns: {
        seq: this.#seq.subarray(0, count),
        position: this.#position.subarray(0, count),
        batch: this.#batch.subarray(0, count),
        at: this.#at.subarray(0, count),
        offset: this.#offset.subarray(0, count),
        length: this.#length.subarray(0, count),
        size: this.#size.subarray(0, count),
        kind: this.#kind.subarray(0, count),
        direction: this.#direction.subarray(0, count),
        channel: this.#channel.subarray(0, count),
        status: this.#status.subarray(0, count),
        noise: this.#noise.subarray(0, count),
        flags: this.#flags.subarray(0, count),
        error: this.#error.subarray(0, count),
        finding: this.#finding.subarray(0, count),
        method: this.#method.subarray(0, count),
        subject: this.#subject.subarray(0, count),
        level: this.#level.subarray(0, count),
        logger: this.#logger.subarray(0, count),
        code: this.#code.subarray(0, count),
        duration: this.#duration.subarray(0, count),
        pair: this.#pair.subarray(0, count),
        parent: this.#parent.subarray(0, count),
        exchange: this.#exchange.subarray(0, count),
        id: this.#id.subarray(0, count),
        idType: this.#idType.subarray(0, count),
      },
      strings: this.#strings.all,
      marks: [...this.#marks],
    };
  }

  /**
   * Takes over the rows of a trace, at least one. Call it on an empty `RowColumns`. Afterwards rows can be marked, but
   * none can be added.
   */
  restore({ columns, strings, marks }: ColumnsState): void {
    this.#count = columns.seq.length;
    this.#isAscending = columns.seq.every((seq, row) => row === 0 || seq >= (columns.seq[row - 1] ?? 0));
    this.#seq = columns.seq;
    this.#position = columns.position;
    this.#batch = columns.batch;
    this.#at = columns.at;
    this.#offset = columns.offset;
    this.#length = columns.length;
    this.#size = columns.size;
    this.#kind = columns.kind;
    this.#direction = columns.direction;
    this.#asks = columns.kind.reduce((sum, _, row) => sum + Number(this.#isAsk(row)), 0);
    this.#channel = columns.channel;
    this.#status = columns.status;
    this.#noise = columns.noise;
    this.#flags = columns.flags;
    this.#error = columns.error;
    this.errors = columns.error.reduce((sum, one) => sum + one, 0);
    this.#finding = columns.finding;
    this.#found = columns.finding.reduce((sum, one) => sum + Number(one > 0), 0);
    this.#method = columns.method;
    this.#subject = columns.subject;
    this.#level = columns.level;
    this.#logger = columns.logger;
    this.#code = columns.code;
    this.#duration = columns.duration;
    this.#pair = columns.pair;
    this.#parent = columns.parent;
    this.#exchange = columns.exchange;
    this.#id = columns.id;
    this.#idType = columns.idType;
    this.#strings.restore(strings);
    for (const [row, note] of marks) this.#marks.set(row, note);
  }

  /** Adds a row of which only its record and file position are known; returns its number. */
  add(record: { seq: number; at: number; offset: number; length: number; size: number }): number {
    if (this.#count === this.#seq.length) this.#grow();
    const row = this.#count++;
    if (row > 0 && record.seq < (this.#seq[row - 1] ?? 0)) this.#isAscending = false;
    this.#seq[row] = record.seq;
    this.#at[row] = record.at;
    this.#offset[row] = record.offset;
    this.#length[row] = record.length;
    this.#size[row] = record.size;
    this.#batch[row] = 1;
    this.#method[row] = NONE;
    this.#subject[row] = NONE;
    this.#logger[row] = NONE;
    this.#code[row] = Number.NaN;
    this.#duration[row] = Number.NaN;
    this.#pair[row] = NONE;
    this.#parent[row] = NONE;
    this.#exchange[row] = NONE;
    return row;
  }

  seq = (row: number): number => this.#seq[row] ?? 0;
  at = (row: number): number => this.#at[row] ?? 0;
  offset = (row: number): number => this.#offset[row] ?? 0;
  length = (row: number): number => this.#length[row] ?? 0;

  size = (row: number): number => this.#size[row] ?? 0;
  setSize(row: number, size: number): void {
    this.#size[row] = size;
    this.touch(row);
  }

  position = (row: number): number => this.#position[row] ?? 0;
  batch = (row: number): number => this.#batch[row] ?? 1;
  setBatch(row: number, position: number, batch: number): void {
    this.#position[row] = position;
    this.#batch[row] = batch;
  }

  kind = (row: number): RowKind => rowKinds[this.#kind[row] ?? 0] ?? 'noise';
  setKind(row: number, kind: RowKind): void {
    const was = this.#isAsk(row);
    this.#kind[row] = rowKinds.indexOf(kind);
    this.#asks += Number(this.#isAsk(row)) - Number(was);
    this.touch(row);
  }

  direction = (row: number): Direction | null => directions[this.#direction[row] ?? 0] ?? null;
  setDirection(row: number, direction: Direction): void {
    const was = this.#isAsk(row);
    this.#direction[row] = directions.indexOf(direction);
    this.#asks += Number(this.#isAsk(row)) - Number(was);
  }

  #isAsk = (row: number): boolean => this.#kind[row] === REQUEST && this.#direction[row] === IN;

  channel = (row: number): Channel | null => channels[this.#channel[row] ?? 0] ?? null;
  setChannel(row: number, channel: Channel): void {
    this.#channel[row] = channels.indexOf(channel);
  }

  status = (row: number): RowStatus => rowStatuses[this.#status[row] ?? 0] ?? 'none';
  setStatus(row: number, status: RowStatus): void {
    this.#status[row] = rowStatuses.indexOf(status);
    this.touch(row);
    this.#countError(row, isFailure(status) && isErrorRow(this, row));
  }

  isExcludedFromErrors = (row: number): boolean => this.#excludedFromErrors[row] === 1;
  excludeFromErrors(row: number): void {
    this.#excludedFromErrors[row] = 1;
    this.#countError(row, false);
  }

  #countError(row: number, isError: boolean): void {
    if (isError === this.isError(row)) return;
    this.#error[row] = isError ? 1 : 0;
    this.errors += isError ? 1 : -1;
    this.touch(row);
    this.onErrorChange?.(row, isError);
  }

  noise = (row: number): NoiseReason | null => nameOf(noiseReasons, this.#noise[row]);
  setNoise(row: number, reason: NoiseReason): void {
    this.#noise[row] = noiseReasons.indexOf(reason) + 1;
    this.touch(row);
  }

  #has = (row: number, flag: number): boolean => ((this.#flags[row] ?? 0) & flag) !== 0;
  #set(row: number, flag: number): void {
    this.#flags[row] = (this.#flags[row] ?? 0) | flag;
  }

  isAutomatic = (row: number): boolean => this.#has(row, AUTOMATIC);
  isProbe = (row: number): boolean => this.#has(row, PROBE);
  setAutomatic(row: number): void {
    this.#set(row, AUTOMATIC);
  }
  /** Whether a row belongs to era detection: the probe, its response, or the exchange of both. */
  isPartOfProbe(row: number): boolean {
    const pair = this.pair(row);
    const exchange = this.exchangeRow(row);
    return (
      this.isProbe(row) ||
      (pair !== null && this.isProbe(pair)) ||
      (exchange !== null && this.isProbe(exchange))
    );
  }
  /** A probe is automatic too. */
  setProbe(row: number): void {
    this.#set(row, AUTOMATIC | PROBE);
  }

  /** Marks an exchange that resumes a stream: its request has `Last-Event-ID`. */
  setResumes(row: number): void {
    this.#set(row, RESUMES);
  }
  /** Whether a message came on a stream that was resumed (MCP 2025-06-18 transports, resumability and redelivery). */
  isReplayed(row: number): boolean {
    const exchange = this.exchangeRow(row);
    return (
      exchange !== null &&
      this.#has(exchange, RESUMES) &&
      this.direction(row) === 'in' &&
      this.channel(row) === 'sse'
    );
  }

  /** How the response of an exchange carries messages; null for any other content type. */
  responseMode(row: number): ResponseMode | null {
    if (this.#has(row, JSON_BODY)) return 'json';
    return this.#has(row, EVENT_STREAM) ? 'sse' : null;
  }
  setResponseMode(row: number, mode: ResponseMode): void {
    this.#set(row, mode === 'json' ? JSON_BODY : EVENT_STREAM);
    this.touch(row);
  }
  composed(row: number): Composed | null {
    if (this.#has(row, COMPOSED_ANYWAY)) return 'anyway';
    return this.#has(row, COMPOSED) ? 'sent' : null;
  }
  setComposed(row: number, composed: Composed): void {
    this.#set(row, composed === 'sent' ? COMPOSED : COMPOSED_ANYWAY);
  }

  /** Whether lines of a stream are comments or blank, as keepalives are: they set no field. */
  isComment = (row: number): boolean => this.#has(row, COMMENT);
  setComment(row: number): void {
    this.#set(row, COMMENT);
  }

  /** The highest severity of its findings. */
  finding = (row: number): FindingSeverity | null => nameOf(findingSeverities, this.#finding[row]);
  /** Raises the severity of a row to that of a further finding. */
  noteFinding(row: number, severity: FindingSeverity): void {
    const code = findingSeverities.indexOf(severity) + 1;
    const worst = this.#finding[row] ?? 0;
    if (worst === 0) this.#found++;
    if (worst === 0 || code < worst) this.#finding[row] = code;
    this.touch(row);
  }

  method = (row: number): string | null => this.#strings.at(this.#method[row]);
  setMethod(row: number, method: string): void {
    this.#method[row] = this.#strings.intern(method);
    this.touch(row);
  }

  /** The note of a row's mark, empty for a mere bookmark; null without a mark. */
  mark = (row: number): string | null => this.#marks.get(row) ?? null;
  setMark(row: number, note: string | null): void {
    if (note === null) this.#marks.delete(row);
    else this.#marks.set(row, note);
    this.touch(row);
  }
  /** Every row that has a mark, in no order. */
  get marked(): IterableIterator<number> {
    return this.#marks.keys();
  }

  /** Tracks changes of rows before `end` from now on. */
  watch(end: number): void {
    this.#watchedEnd = Math.max(this.#watchedEnd, end);
  }

  /** Stops tracking changes and forgets those so far. */
  unwatch(): void {
    this.#watchedEnd = 0;
    this.#lastChange = NONE;
    this.#changes = [];
  }

  /** Tracked rows in the order they changed; a row may occur several times. */
  get changes(): readonly number[] {
    this.#lastChange = NONE;
    return this.#changes;
  }

  /** Notes a change of a row. */
  touch(row: number): void {
    if (row >= this.#watchedEnd || row === this.#lastChange) return;
    this.#lastChange = row;
    this.#changes.push(row);
  }

  /** The first row at or after a time; null if all rows are before it. */
  firstAt(at: number): number | null {
    const row = this.#firstWhere(this.#at, at);
    return row < this.#count ? row : null;
  }

  /** The first row of a record; null if it has none. */
  rowOf(seq: number): number | null {
    const row = this.#isAscending ? this.#firstWhere(this.#seq, seq) : this.#seq.indexOf(seq);
    if (row === -1) return null;
    return row < this.#count && this.#seq[row] === seq ? row : null;
  }

  /** The first row whose value in an ascending column is at least this. */
  #firstWhere(column: Readonly<Record<number, number>>, value: number): number {
    if (!this.#isAscending) {
      let row = 0;
      while (row < this.#count && (column[row] ?? 0) < value) row++;
      return row;
    }
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((column[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** What a request is about, such as the tool it calls. */
  subject = (row: number): string | null => this.#strings.at(this.#subject[row]);
  setSubject(row: number, subject: string): void {
    this.#subject[row] = this.#strings.intern(subject);
    this.touch(row);
  }

  level = (row: number): LogLevel | null => nameOf(logLevels, this.#level[row]);
  /** The index of the level in `logLevels`. */
  logSeverity = (row: number): number | null => {
    const code = this.#level[row] ?? 0;
    return code === 0 ? null : code - 1;
  };
  logger = (row: number): string | null => this.#strings.at(this.#logger[row]);
  /** Sets the level and the logger of a log message; ignores values that are neither. */
  setLog(row: number, level: unknown, logger: unknown): void {
    this.#level[row] = (severityOf(level) ?? -1) + 1;
    if (typeof logger === 'string') this.#logger[row] = this.#strings.intern(logger);
    this.touch(row);
  }

  code = (row: number): number | null => numberOrNull(this.#code[row]);
  setCode(row: number, code: number): void {
    this.#code[row] = code;
    this.touch(row);
  }

  duration = (row: number): number | null => numberOrNull(this.#duration[row]);
  setDuration(row: number, duration: number): void {
    this.#duration[row] = duration;
    this.touch(row);
  }

  pair = (row: number): number | null => rowOrNull(this.#pair[row]);
  setPair(row: number, pair: number): void {
    this.#pair[row] = pair;
    this.touch(row);
  }

  parent = (row: number): number | null => rowOrNull(this.#parent[row]);
  setParent(row: number, parent: number): void {
    this.#parent[row] = parent;
    this.touch(row);
  }

  /** Row of the HTTP exchange that carried it; for an exchange, the row itself. */
  exchangeRow = (row: number): number | null => rowOrNull(this.#exchange[row]);
  setExchangeRow(row: number, exchangeRow: number): void {
    this.#exchange[row] = exchangeRow;
    this.touch(row);
  }

  id(row: number): Id | null {
    const value = this.#id[row] ?? 0;
    switch (this.#idType[row]) {
      case ID_INTEGER:
        return value;
      case ID_STRING:
        return this.#strings.at(value);
      case ID_LARGE:
        return BigInt(this.#strings.at(value) ?? 0);
      default:
        return null;
    }
  }
  setId(row: number, id: Id): void {
    this.touch(row);
    if (typeof id === 'number') {
      this.#idType[row] = ID_INTEGER;
      this.#id[row] = id;
    } else {
      this.#idType[row] = typeof id === 'string' ? ID_STRING : ID_LARGE;
      this.#id[row] = this.#strings.intern(String(id));
    }
  }

  #grow(): void {
    const capacity = this.#seq.length * 2;
    this.#seq = grown(this.#seq, new Uint32Array(capacity));
    this.#position = grown(this.#position, new Uint32Array(capacity));
    this.#batch = grown(this.#batch, new Uint32Array(capacity));
    this.#at = grown(this.#at, new Float64Array(capacity));
    this.#offset = grown(this.#offset, new Float64Array(capacity));
    this.#length = grown(this.#length, new Uint32Array(capacity));
    this.#size = grown(this.#size, new Float64Array(capacity));
    this.#kind = grown(this.#kind, new Uint8Array(capacity));
    this.#direction = grown(this.#direction, new Uint8Array(capacity));
    this.#channel = grown(this.#channel, new Uint8Array(capacity));
    this.#status = grown(this.#status, new Uint8Array(capacity));
    this.#noise = grown(this.#noise, new Uint8Array(capacity));
    this.#flags = grown(this.#flags, new Uint8Array(capacity));
    this.#excludedFromErrors = grown(this.#excludedFromErrors, new Uint8Array(capacity));
    this.#error = grown(this.#error, new Uint8Array(capacity));
    this.#finding = grown(this.#finding, new Uint8Array(capacity));
    this.#method = grown(this.#method, new Int32Array(capacity));
    this.#subject = grown(this.#subject, new Int32Array(capacity));
    this.#level = grown(this.#level, new Uint8Array(capacity));
    this.#logger = grown(this.#logger, new Int32Array(capacity));
    this.#code = grown(this.#code, new Float64Array(capacity));
    this.#duration = grown(this.#duration, new Float64Array(capacity));
    this.#pair = grown(this.#pair, new Int32Array(capacity));
    this.#parent = grown(this.#parent, new Int32Array(capacity));
    this.#exchange = grown(this.#exchange, new Int32Array(capacity));
    this.#id = grown(this.#id, new Float64Array(capacity));
    this.#idType = grown(this.#idType, new Uint8Array(capacity));
  }
}

const directions: readonly (Direction | null)[] = [null, 'in', 'out'];
const IN = directions.indexOf('in');
const REQUEST = rowKinds.indexOf('request');
const channels: readonly (Channel | null)[] = [null, 'stdin', 'stdout', 'http', 'sse'];
/** Bits of `flags`. */
const AUTOMATIC = 1;
const PROBE = 2;
const RESUMES = 4;
const JSON_BODY = 8;
const EVENT_STREAM = 16;
const COMPOSED = 32;
const COMPOSED_ANYWAY = 64;
const COMMENT = 128;
/** All flags. */
export const ROW_FLAGS =
  AUTOMATIC | PROBE | RESUMES | JSON_BODY | EVENT_STREAM | COMPOSED | COMPOSED_ANYWAY | COMMENT;
const ID_INTEGER = 1;
const ID_STRING = 2;
const ID_LARGE = 3;

/** The name for an index plus one. Reading a list at -1 would be slow. */
const nameOf = <T>(names: readonly T[], code: number | undefined): T | null =>
  code === undefined || code === 0 ? null : (names[code - 1] ?? null);

const numberOrNull = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value;
const rowOrNull = (value: number | undefined): number | null =>
  value === undefined || value === NONE ? null : value;

/** Holds each distinct string once. */
class StringTable {
  readonly #indexes = new Map<string, number>();
  #strings: string[] = [];

  get all(): readonly string[] {
    return this.#strings;
  }

  /** Takes over the strings of a saved table. `intern` does not find them, because no row can be added later. */
  restore(strings: readonly string[]): void {
    this.#strings = [...strings];
  }

  intern(text: string): number {
    const known = this.#indexes.get(text);
    if (known !== undefined) return known;
    const index = this.#strings.push(text) - 1;
    this.#indexes.set(text, index);
    return index;
  }

  at(index: number | undefined): string | null {
    return index === undefined || index === NONE ? null : (this.#strings[index] ?? null);
  }
}

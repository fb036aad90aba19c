import type { Envelope } from '#shared/protocol/jsonrpc.ts';
import type {
  Direction,
  MarkRecord,
  PhaseRecord,
  ProcessRecord,
  SseEvent,
  TraceRecord,
} from '#shared/trace/record.ts';
import { type ExchangeColumns, type ExchangesState, HttpRows } from './exchanges.ts';
import type {
  RecordedSseEvent,
  RecordedMessage,
  RecordedNoise,
  RecordedExchangeStep,
} from '#trace/recorded-message.ts';
import { holdsMessage, type Reading, readText, readUnit, UnitReader } from '#trace/units/read-unit.ts';
import {
  type ChunksState,
  type ChunkSpan,
  type GrowingUnit,
  GrowingUnits,
  type UnitFacts,
} from './growing-units.ts';
import {
  bytesIn,
  type Content,
  IndexedMessage,
  noText,
  recordedEvent,
  unitTextOf,
} from './indexed-message.ts';
import { Relations } from './relate.ts';
import { type ColumnsState, RowColumns } from './row-columns.ts';
import type { LineSpan } from '#trace/trace-writer.ts';

/** The result of adding a record: what it completed, and the earliest changed row. */
export interface Added {
  readonly recorded: RecordedMessage[];
  readonly noise?: RecordedNoise;
  /** A step of an HTTP exchange: its request, final response or end. */
  readonly step?: RecordedExchangeStep;
  readonly event?: RecordedSseEvent | undefined;
  readonly changedFrom: number;
}

/** Everything derived from a trace, as plain values. */
export interface RowsState {
  readonly rows: ColumnsState;
  readonly exchanges: ExchangesState;
  readonly chunks: ChunksState;
  readonly messages: number;
  readonly invalid: number;
}

/**
 * Derives rows from records and their bytes, one by one, so that a live session and an opened file get the same rows. In a
 * live session the bytes, and what the columns hold of them, may contain secrets.
 */
export class RowIndex {
  readonly columns = new RowColumns();
  readonly #relations = new Relations(this.columns);
  readonly #http = new HttpRows(this.columns);
  readonly #growing = new GrowingUnits(this.columns);
  /** Whether we have asked the process to exit. */
  #isExitRequested = false;
  /** Whether we have begun to close the session. */
  #isClosing = false;
  /** The number of messages. */
  messages = 0;
  /** The number of rows on message channels that are not valid messages. */
  invalid = 0;
  /** The number of errors when the session entered its current phase. */
  #errorsBefore = 0;

  /** Rows that count as errors, as `isErrorRow` defines them. */
  get errors(): number {
    return this.columns.errors;
  }

  /** The file positions of the records of each HTTP exchange. */
  get exchanges(): ExchangeColumns {
    return this.#http.exchanges;
  }

  /** The further pieces of a row's unit, in order; empty for most rows. */
  chunksOf = (row: number): readonly ChunkSpan[] => this.#growing.chunksOf(row);

  /** Everything derived so far. Its columns are views of ours, not copies. */
  get state(): RowsState {
    const { columns, exchanges, messages, invalid } = this;
    const chunks = this.#growing.state;
    return { rows: columns.state, exchanges: exchanges.state, chunks, messages, invalid };
  }

  /** Takes over the state of an earlier derivation. After that only marks can be added. */
  restore({ rows, exchanges, chunks, messages, invalid }: RowsState): void {
    this.columns.restore(rows);
    this.exchanges.restore(exchanges);
    this.#growing.restore(chunks);
    this.messages = messages;
    this.invalid = invalid;
  }

  /**
   * Adds the next record.
   *
   * @param content the content of the record; text from a file need not be converted to bytes and back
   */
  add(record: TraceRecord, span: LineSpan, content: Content): Added {
    switch (record.kind) {
      case 'unit': {
        const row = this.#addRow(record, span, record.size);
        this.columns.setKind(row, 'noise');
        this.columns.setDirection(row, record.direction);
        this.columns.setChannel(row, record.channel);
        if (record.origin === 'automatic') this.columns.setAutomatic(row);
        if (record.origin === 'probe') this.columns.setProbe(row);
        if (record.composed !== undefined) this.columns.setComposed(row, record.composed);
        if (record.retryOf !== undefined) this.#setFirstAttempt(row, record.retryOf);
        if (record.exchange !== undefined) this.#setExchange(row, record.exchange);
        if (!record.more) return this.#read(row, record, () => ({ reading: readingOf(content), content }));
        const { direction, channel, exchange, sse } = record;
        const reader = new UnitReader();
        reader.push(bytesIn(content));
        const unit = { direction, channel, exchange, sse };
        return this.#begin(record.seq, { row, unit, reader, at: record.at });
      }
      case 'stderr':
      case 'http-body':
      case 'sse': {
        const row = this.#addRow(record, span, record.size);
        this.columns.setKind(row, record.kind === 'http-body' ? 'body' : record.kind);
        this.columns.setDirection(row, record.kind === 'http-body' ? record.direction : 'in');
        if (record.kind !== 'stderr') this.#setExchange(row, record.exchange);
        if (record.kind === 'sse') {
          this.#http.noteEvent(record.exchange, record);
          if (record.id === undefined && record.retry === undefined) this.columns.setComment(row);
        }
        const event = record.kind === 'sse' ? recordedEvent(row, record.exchange, record) : undefined;
        if (record.more) {
          return { ...this.#begin(record.seq, { row, unit: null, reader: null, at: record.at }), event };
        }
        return { recorded: [], event, changedFrom: row };
      }
      case 'chunk': {
        const growing = this.#growing.add(record, content, span);
        if (growing === undefined) return { recorded: [], changedFrom: this.columns.count };
        if (record.more) return { recorded: [], changedFrom: growing.row };
        return this.#complete(growing, record);
      }
      case 'http-connected':
        return { recorded: [], changedFrom: this.#http.add(record, span) };
      case 'http-request':
      case 'http-response': {
        const row = this.#http.add(record, span);
        if (row === this.columns.count) return { recorded: [], changedFrom: row };
        return { recorded: [], step: { row, record }, changedFrom: row };
      }
      case 'http-end': {
        const row = this.#http.add(record, span);
        // The request of the exchange is not recorded, or this is a second end.
        if (row === this.columns.count) return { recorded: [], changedFrom: row };
        const step = { row, record };
        if (this.#http.mayStillBeAnswered(record)) return { recorded: [], step, changedFrom: row };
        const status = record.how === 'dropped' && !this.#isClosing ? 'cancelled' : 'unanswered';
        return {
          recorded: [],
          step,
          changedFrom: Math.min(row, this.#relations.giveUp(row, status, this.#isClosing)),
        };
      }
      case 'process':
      case 'phase': {
        const row = this.#addRow(record, span, 0);
        this.columns.setKind(row, record.kind);
        if (this.#hasFailed(record)) this.columns.setStatus(row, 'failed');
        if (record.kind === 'phase' && record.phase === 'closing') this.#isClosing = true;
        const hasEnded = record.kind === 'phase' && (record.phase === 'closed' || record.phase === 'failed');
        const changedFrom = hasEnded ? Math.min(row, this.#end()) : Math.min(row, this.#restart(record));
        if (record.kind === 'phase') {
          this.columns.setSubject(row, record.phase);
          this.#notePhase(row);
        }
        return { recorded: [], changedFrom };
      }
      case 'authorization':
      case 'definitions':
      case 'switches': {
        const row = this.#addRow(record, span, 0);
        this.columns.setKind(row, record.kind);
        return { recorded: [], changedFrom: row };
      }
      case 'mark':
        return { recorded: [], changedFrom: this.#mark(record) };
      case 'anchor':
        return { recorded: [], changedFrom: this.columns.count };
    }
  }

  /** Sets or removes a mark; returns the changed row. Ignores marks on unknown records. */
  #mark({ of, position = 0, note }: MarkRecord): number {
    const { columns } = this;
    let row = columns.rowOf(of) ?? columns.count;
    // Other rows may have come between the messages of a large batch.
    while (row < columns.count && (columns.seq(row) !== of || columns.position(row) !== position)) row++;
    if (row < columns.count) columns.setMark(row, note);
    return row;
  }

  /** A new process does not know the requests that the one before it left; returns the earliest changed row. */
  #restart(record: ProcessRecord | PhaseRecord): number {
    if (record.kind !== 'process' || record.change.what !== 'spawn') return this.columns.count;
    this.#isExitRequested = false;
    return this.#relations.end(true);
  }

  /** Ends the session; returns the earliest changed row. */
  #end(): number {
    return Math.min(this.#relations.end(this.#isClosing), this.#http.end());
  }

  /** If the phase before `failed` had an error, that error counts, and the row of `failed` does not. */
  #notePhase(row: number): void {
    const { columns } = this;
    if (columns.isError(row) && columns.errors - this.#errorsBefore > 1) columns.excludeFromErrors(row);
    this.#errorsBefore = columns.errors;
  }

  /** Whether the change of a process or phase is an error. An exit that we requested is not. */
  #hasFailed(record: ProcessRecord | PhaseRecord): boolean {
    if (record.kind === 'phase') return record.phase === 'failed';
    switch (record.change.what) {
      case 'spawn':
        return false;
      case 'spawn-failed':
      case 'stdout-closed':
        return true;
      case 'stdin-failed':
        return !this.#isExitRequested;
      case 'shutdown':
        this.#isExitRequested = true;
        return false;
      case 'exit':
        return record.change.code !== 0 && !this.#isExitRequested;
    }
  }

  #addRow(record: TraceRecord, span: LineSpan, size: number): number {
    const { offset, length } = span;
    return this.columns.add({ seq: record.seq, at: record.at, offset, length, size });
  }

  /** Sets the exchange of a row, unless the request of the exchange was not recorded. */
  #setExchange(row: number, exchange: number): void {
    const exchangeRow = this.exchanges.row(exchange);
    if (exchangeRow !== null) this.columns.setExchangeRow(row, exchangeRow);
  }

  /** Sets the first request of a call as the parent of one that is sent again. */
  #setFirstAttempt(row: number, retryOf: number): void {
    const { columns } = this;
    const isRequest = (other: number | null): other is number =>
      other !== null && columns.kind(other) === 'request' && columns.direction(other) === 'out';
    const before = columns.rowOf(retryOf);
    if (!isRequest(before)) return;
    const first = columns.parent(before);
    columns.setParent(row, isRequest(first) ? first : before);
  }

  #begin(seq: number, growing: GrowingUnit): Added {
    this.#growing.begin(seq, growing);
    return { recorded: [], changedFrom: growing.row };
  }

  /**
   * Reads a row that has all its pieces.
   *
   * @param last the last piece, which holds the framing of the event and whether the stream ended in it
   */
  #complete({ row, unit, reader, at }: GrowingUnit, last: Pick<UnitFacts, 'sse' | 'cut'>): Added {
    if (unit === null || reader === null) return { recorded: [], changedFrom: row };
    const facts = { ...unit, sse: unit.sse ?? last.sse, cut: last.cut, at };
    return this.#read(row, facts, () => {
      const { reading, bytes } = reader.end();
      return { reading, content: bytes };
    });
  }

  /**
   * Reads a complete unit, and adds a row for each further message of a batch.
   *
   * @param read parses the unit; called only if it should be a message. The content is null if it is too large
   */
  #read(row: number, unit: UnitFacts, read: () => { reading: Reading; content: Content | null }): Added {
    const { direction, channel, exchange, sse, cut = false, at = this.columns.at(row) } = unit;
    if (sse !== undefined) this.#http.noteEvent(exchange, sse);
    const event = recordedEvent(row, exchange, sse);
    if (sse !== undefined && !carriesMessage(sse, this.columns.size(row))) {
      this.columns.setKind(row, 'sse');
      if (sse.name) this.columns.setSubject(row, sse.name);
      return { recorded: [], event, changedFrom: row };
    }
    const { reading, content } = read();
    // The body of an HTTP error need not be a message (MCP 2025-06-18 transports, sending messages).
    const isResponseBody = channel === 'http' && direction === 'in';
    if (isResponseBody && !holdsMessage(reading) && this.#http.hasErrorStatus(exchange)) {
      this.columns.setKind(row, 'body');
      return { recorded: [], changedFrom: row };
    }
    if (reading.type === 'noise') {
      this.columns.setStatus(row, 'invalid');
      this.columns.setNoise(row, reading.reason);
      this.invalid++;
      const noise = { row, direction, channel, reason: reading.reason, isCut: cut };
      return { recorded: [], noise, event, changedFrom: row };
    }
    const recorded: RecordedMessage[] = [];
    let changedFrom = row;
    const unitText = content === null ? noText : unitTextOf(content);
    const { envelopes, unlisted = 0 } = reading;
    const total = envelopes.length + unlisted;
    for (const [position, envelope] of envelopes.entries()) {
      const messageRow = position === 0 ? row : this.#addBatchRow(row, direction);
      this.columns.setBatch(messageRow, position, total);
      changedFrom = Math.min(changedFrom, this.#classify(messageRow, envelope, direction, at));
      recorded.push(
        new IndexedMessage(this.columns, messageRow, {
          direction,
          exchange,
          envelope,
          position,
          unit: unitText,
          isTruncated: content === null,
          cut,
        }),
      );
    }
    // One more row stands for all messages of a large batch beyond the limit.
    if (unlisted > 0) {
      const rest = this.#addBatchRow(row, direction);
      this.columns.setKind(rest, 'held-back');
      this.columns.setBatch(rest, envelopes.length, total);
    }
    return { recorded, event, changedFrom };
  }

  /** Adds the row of a further message of a batch. It has the same record as the first. */
  #addBatchRow(first: number, direction: Direction): number {
    const { columns } = this;
    const row = columns.add({
      seq: columns.seq(first),
      at: columns.at(first),
      offset: columns.offset(first),
      length: columns.length(first),
      size: columns.size(first),
    });
    columns.setDirection(row, direction);
    const channel = columns.channel(first);
    if (channel !== null) columns.setChannel(row, channel);
    if (columns.isAutomatic(first)) columns.setAutomatic(row);
    const exchangeRow = columns.exchangeRow(first);
    if (exchangeRow !== null) columns.setExchangeRow(row, exchangeRow);
    return row;
  }

  /** Sets the columns that depend on the message, and relates it to others; returns the earliest changed row. */
  #classify(row: number, envelope: Envelope, direction: Direction, at: number): number {
    if ('defect' in envelope) {
      const { id, method, asks } = envelope.salvage;
      this.columns.setKind(row, 'invalid');
      this.columns.setStatus(row, 'invalid');
      if (id !== null) this.columns.setId(row, id);
      this.invalid++;
      if (method !== null) this.columns.setMethod(row, method);
      if (id !== null && !asks) return this.#relations.addInvalidResponse(row, id, direction, at);
      return row;
    }
    const { message } = envelope;
    this.messages++;
    this.columns.setKind(row, message.type);
    this.columns.setStatus(row, 'none');
    if ('method' in message) this.columns.setMethod(row, message.method);
    const exchangeRow = this.columns.exchangeRow(row);
    // A failed exchange counts once, on the row of the request that it carried.
    if (message.type === 'request' && direction === 'out' && exchangeRow !== null) {
      this.columns.excludeFromErrors(exchangeRow);
    }
    return this.#relations.add(row, message, direction, at);
  }
}

const readingOf = (content: Content): Reading =>
  typeof content === 'string' ? readText(content) : readUnit(content);

/** Whether an event should carry a message. It should not if it has another name, or only sets an id to resume after. */
const carriesMessage = ({ name = '', id }: SseEvent, size: number): boolean =>
  (name === '' || name === 'message') && (size > 0 || id === undefined);

import type { Envelope } from '#shared/protocol/jsonrpc.ts';
import type { Direction, PhaseRecord, ProcessRecord, TraceRecord } from '#shared/trace/record.ts';
import type { RowStatus } from '#shared/trace/row.ts';
import { LARGEST_PARSED, noise, type Reading, readUnit } from './read-unit.ts';
import { Relations } from './relate.ts';
import { RowColumns } from './row-columns.ts';
import type { LinePlace } from './trace-file.ts';

/** A message that a record turned out to carry. */
export interface Seen {
  readonly row: number;
  readonly at: number;
  readonly direction: Direction;
  /** Bytes of the unit it came in. */
  readonly size: number;
  readonly envelope: Envelope;
  /** Row of the request it answers. */
  readonly pair: number | null;
  readonly status: RowStatus;
  /** Microseconds since that request. */
  readonly duration: number | null;
  /** The unit's bytes, as they were on the wire. */
  readonly bytes: Buffer;
  /** Which message of a batch. */
  readonly position: number;
}

/** What came of a record: the messages it completed, and the earliest row that changed by it. */
interface Added {
  readonly seen: Seen[];
  readonly changedFrom: number;
}

const EMPTY = Buffer.alloc(0);

/** A unit whose later pieces have not come yet. */
interface Growing {
  readonly row: number;
  readonly direction: Direction;
  /** What is to be read as a message once it is whole; null when it will not be. */
  pieces: Buffer[] | null;
}

/** A further piece of a large unit, where it is on record. */
export interface ChunkPlace extends LinePlace {
  readonly size: number;
}

/**
 * Derives rows from records, one record after the other. Knows nothing of how a record came to be, so a live
 * session and an opened file come to the same rows.
 */
export class RowIndex {
  readonly columns = new RowColumns();
  readonly #relations = new Relations(this.columns);
  readonly #growing = new Map<number, Growing>();
  readonly #chunks = new Map<number, ChunkPlace[]>();
  /** We have asked the process to end. */
  #isShutDown = false;
  /** Rows that are messages, and rows that are not what their channel should carry. */
  messages = 0;
  invalid = 0;
  errors = 0;

  /** The further pieces of a row's unit, in order; empty for nearly all. */
  chunksOf = (row: number): readonly ChunkPlace[] => this.#chunks.get(row) ?? [];

  /**
   * Takes the next record.
   *
   * @param bytes what a unit, chunk or stderr record stands for, as it was on the wire
   */
  add(record: TraceRecord, place: LinePlace, bytes: Buffer): Added {
    switch (record.kind) {
      case 'unit': {
        const row = this.#addRow(record, place, record.size);
        this.columns.setKind(row, 'noise');
        this.columns.setDirection(row, record.direction);
        if (record.origin === 'automatic') this.columns.setAutomatic(row);
        if (record.more) return this.#begin(record.seq, row, record.direction, [bytes]);
        return this.#read(row, record.direction, bytes, readUnit(bytes));
      }
      case 'stderr': {
        const row = this.#addRow(record, place, record.size);
        this.columns.setKind(row, 'stderr');
        this.columns.setDirection(row, 'in');
        return record.more ? this.#begin(record.seq, row, 'in', null) : { seen: [], changedFrom: row };
      }
      case 'chunk': {
        const unit = this.#growing.get(record.of);
        if (unit === undefined) return { seen: [], changedFrom: this.columns.count };
        this.#grow(unit, record.size, bytes, place);
        if (record.more) return { seen: [], changedFrom: unit.row };
        this.#growing.delete(record.of);
        return this.#complete(unit);
      }
      case 'process':
      case 'phase': {
        const row = this.#addRow(record, place, 0);
        this.columns.setKind(row, record.kind);
        if (this.#hasFailed(record)) this.columns.setStatus(row, 'failed');
        const hasEnded = record.kind === 'phase' && (record.phase === 'closed' || record.phase === 'failed');
        return { seen: [], changedFrom: hasEnded ? Math.min(row, this.#relations.end()) : row };
      }
      case 'anchor':
        return { seen: [], changedFrom: this.columns.count };
    }
  }

  /** Whether it is bad news. Of a process that we asked to end, its end is none. */
  #hasFailed(record: ProcessRecord | PhaseRecord): boolean {
    if (record.kind === 'phase') return record.phase === 'failed';
    switch (record.change.what) {
      case 'spawn':
        return false;
      case 'spawn-failed':
      case 'stdin-failed':
      case 'stdout-closed':
        return true;
      case 'shutdown':
        this.#isShutDown = true;
        return false;
      case 'exit':
        return record.change.code !== 0 && !this.#isShutDown;
    }
  }

  #addRow(record: TraceRecord, place: LinePlace, size: number): number {
    return this.columns.add({ seq: record.seq, at: record.at, size, ...place });
  }

  #begin(seq: number, row: number, direction: Direction, pieces: Growing['pieces']): Added {
    this.#growing.set(seq, { row, direction, pieces });
    this.columns.setStatus(row, 'receiving');
    return { seen: [], changedFrom: row };
  }

  #grow(unit: Growing, size: number, bytes: Buffer, place: LinePlace): void {
    const { row } = unit;
    this.columns.setSize(row, this.columns.size(row) + size);
    const chunks = this.#chunks.get(row) ?? [];
    this.#chunks.set(row, chunks);
    chunks.push({ ...place, size });
    // A line may never end; what will not be read is not kept.
    if (this.columns.size(row) > LARGEST_PARSED) unit.pieces = null;
    unit.pieces?.push(bytes);
  }

  #complete({ row, direction, pieces }: Growing): Added {
    if (this.columns.kind(row) === 'stderr') {
      this.columns.setStatus(row, 'none');
      return { seen: [], changedFrom: row };
    }
    if (pieces === null) return this.#read(row, direction, EMPTY, noise('too-large'));
    const bytes = Buffer.concat(pieces);
    return this.#read(row, direction, bytes, readUnit(bytes));
  }

  #read(row: number, direction: Direction, bytes: Buffer, reading: Reading): Added {
    if (reading.type === 'noise') {
      this.columns.setStatus(row, 'invalid');
      this.columns.setNoise(row, reading.reason);
      this.invalid++;
      return { seen: [], changedFrom: row };
    }
    const seen: Seen[] = [];
    let changedFrom = row;
    const { envelopes } = reading;
    for (const [position, envelope] of envelopes.entries()) {
      const own = position === 0 ? row : this.#addBatchRow(row, direction);
      this.columns.setBatch(own, position, envelopes.length);
      changedFrom = Math.min(changedFrom, this.#classify(own, envelope, direction));
      seen.push({
        row: own,
        at: this.columns.at(own),
        direction,
        size: bytes.length,
        envelope,
        pair: this.columns.pair(own),
        status: this.columns.status(own),
        duration: this.columns.duration(own),
        bytes,
        position,
      });
    }
    return { seen, changedFrom };
  }

  /** A further message of a batch stands on the same record. */
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
    if (columns.isAutomatic(first)) columns.setAutomatic(row);
    return row;
  }

  #classify(row: number, envelope: Envelope, direction: Direction): number {
    if ('fault' in envelope) {
      const { id, method, asks } = envelope.salvage;
      this.columns.setKind(row, 'invalid');
      this.columns.setStatus(row, 'invalid');
      if (id !== null) this.columns.setId(row, id);
      this.invalid++;
      if (method !== null) this.columns.setMethod(row, method);
      if (id !== null && !asks) return this.#relations.seeInvalidAnswer(row, id, direction);
      return row;
    }
    const { message } = envelope;
    this.messages++;
    this.columns.setKind(row, message.type);
    this.columns.setStatus(row, 'none');
    if ('method' in message) this.columns.setMethod(row, message.method);
    const changedFrom = this.#relations.see(row, message, direction);
    const status = this.columns.status(row);
    if (status === 'error' || status === 'tool-error') this.errors++;
    return changedFrom;
  }
}

import type { Envelope } from '#shared/protocol/jsonrpc.ts';
import type { Direction, PhaseRecord, ProcessRecord, TraceRecord } from '#shared/trace/record.ts';
import type { RowStatus } from '#shared/trace/row.ts';
import { type Reading, readUnit } from './read-unit.ts';
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

/** A unit whose later pieces have not come yet. */
interface Growing {
  readonly row: number;
  readonly isMessage: boolean;
  readonly direction: Direction;
  readonly pieces: Buffer[];
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
   * @returns the messages it completed, and the earliest row that changed by it
   */
  add(record: TraceRecord, place: LinePlace, bytes: Buffer): { seen: Seen[]; changedFrom: number } {
    switch (record.kind) {
      case 'unit': {
        const row = this.#addRow(record, place, record.size);
        this.columns.setKind(row, 'noise');
        this.columns.setDirection(row, record.direction);
        if (record.origin === 'automatic') this.columns.setAutomatic(row);
        const unit = { row, isMessage: true, direction: record.direction, pieces: [bytes] };
        return record.more ? this.#begin(record.seq, unit) : this.#complete(unit);
      }
      case 'stderr': {
        const row = this.#addRow(record, place, record.size);
        this.columns.setKind(row, 'stderr');
        this.columns.setDirection(row, 'in');
        const line = { row, isMessage: false, direction: 'in' as const, pieces: [bytes] };
        return record.more ? this.#begin(record.seq, line) : { seen: [], changedFrom: row };
      }
      case 'chunk': {
        const unit = this.#growing.get(record.of);
        if (unit === undefined) return { seen: [], changedFrom: this.columns.count };
        unit.pieces.push(bytes);
        this.columns.setSize(unit.row, this.columns.size(unit.row) + record.size);
        const chunks = this.#chunks.get(unit.row) ?? [];
        this.#chunks.set(unit.row, chunks);
        chunks.push({ ...place, size: record.size });
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

  #begin(seq: number, unit: Growing): { seen: Seen[]; changedFrom: number } {
    this.#growing.set(seq, unit);
    this.columns.setStatus(unit.row, 'receiving');
    return { seen: [], changedFrom: unit.row };
  }

  #complete({ row, isMessage, direction, pieces }: Growing): { seen: Seen[]; changedFrom: number } {
    if (!isMessage) {
      this.columns.setStatus(row, 'none');
      return { seen: [], changedFrom: row };
    }
    const bytes = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
    return this.#read(row, direction, bytes, readUnit(bytes));
  }

  #read(row: number, direction: Direction, bytes: Buffer, reading: Reading) {
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

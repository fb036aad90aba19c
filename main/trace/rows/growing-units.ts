import type { Channel, Direction, SseEvent, TraceRecord } from '#shared/trace/record.ts';
import type { LineSpan } from '#trace/trace-writer.ts';
import type { UnitReader } from '#trace/units/read-unit.ts';
import { bytesIn, type Content } from './indexed-message.ts';
import type { RowColumns } from './row-columns.ts';

/** What is known of a unit besides its bytes. */
export interface UnitFacts {
  readonly direction: Direction;
  readonly channel: Channel;
  readonly exchange?: number | undefined;
  readonly sse?: SseEvent | undefined;
  readonly cut?: true | undefined;
  /** When its last bytes arrived, if later than the first. */
  readonly at?: number;
}

/** The row of a unit, body, event or line of stderr whose later pieces have not arrived yet. */
export interface GrowingUnit {
  readonly row: number;
  /** Null for anything but a unit: it cannot be a message. */
  readonly unit: UnitFacts | null;
  /** Parses the pieces of a unit; null for anything else. */
  readonly reader: UnitReader | null;
  /** When the latest bytes arrived. */
  at: number;
}

/** The file position of a further piece of a large unit. */
export interface ChunkSpan extends LineSpan {
  readonly size: number;
}

export type ChunksState = readonly (readonly [row: number, chunks: readonly ChunkSpan[]])[];

/** The units that are recorded in several pieces: those that still grow, and where the further pieces of each are. */
export class GrowingUnits {
  readonly #columns: RowColumns;
  /** Units that are not complete yet, by the `seq` of their first record. */
  readonly #growing = new Map<number, GrowingUnit>();
  /** The further pieces of large units, by row. */
  readonly #chunks = new Map<number, ChunkSpan[]>();

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  get state(): ChunksState {
    return [...this.#chunks];
  }

  restore(chunks: ChunksState): void {
    for (const [row, spans] of chunks) this.#chunks.set(row, [...spans]);
  }

  /** The further pieces of a row's unit, in order; empty for most rows. */
  chunksOf(row: number): readonly ChunkSpan[] {
    return this.#chunks.get(row) ?? [];
  }

  /** Begins a unit with its first record. */
  begin(seq: number, growing: GrowingUnit): void {
    this.#growing.set(seq, growing);
    this.#columns.setStatus(growing.row, 'receiving');
  }

  /** Adds a further piece; returns its unit, undefined if that never began. With the last piece the unit is complete. */
  add(
    { of, size, at, more }: TraceRecord & { kind: 'chunk' },
    content: Content,
    span: LineSpan,
  ): GrowingUnit | undefined {
    const growing = this.#growing.get(of);
    if (growing === undefined) return undefined;
    const { row } = growing;
    // The last piece may be empty: it only says that the stream ended without a newline, maybe long after the last bytes.
    if (size > 0) growing.at = at;
    this.#columns.setSize(row, this.#columns.size(row) + size);
    const chunks = this.#chunks.get(row) ?? [];
    this.#chunks.set(row, chunks);
    chunks.push({ ...span, size });
    growing.reader?.push(bytesIn(content));
    if (!more) {
      this.#growing.delete(of);
      this.#columns.setStatus(row, 'none');
    }
    return growing;
  }
}

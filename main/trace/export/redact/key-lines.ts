import type { Channel, TraceRecord } from '#shared/trace/record.ts';
import { OpenKey } from './shapes.ts';
import type { Span } from './spans.ts';

/** No line of a key is longer, whatever a logger puts before it. */
const LONGEST_LINE = 4096;
const NONE: readonly Span[] = [];

/**
 * Lines of standard error, or noise on a message channel, that belong to a private key which a line before them began.
 * By record, so that they are known whichever rows are exported.
 */
export class KeyLines {
  readonly #open = new Map<Channel | 'stderr', OpenKey>();
  readonly #found = new Map<number, readonly Span[]>();

  /** Takes the next record of the trace, in order. */
  look(record: TraceRecord): void {
    if (record.kind !== 'stderr' && record.kind !== 'unit') return;
    const { text, more, seq } = record;
    // A message between the lines of a key is no line of it.
    if (text === undefined || more || text.length > LONGEST_LINE || /^\s*[[{]/.test(text)) return;
    const source = record.kind === 'unit' ? record.channel : record.kind;
    const open = this.#open.get(source) ?? new OpenKey();
    this.#open.set(source, open);
    const spans = open.take(text);
    if (spans.length > 0) this.#found.set(seq, spans);
  }

  of(seq: number): readonly Span[] {
    return this.#found.get(seq) ?? NONE;
  }
}

import { isUtf8 } from 'node:buffer';
import { findInJson, findInText } from './finder.ts';
import { JsonWalk } from './json-walk.ts';
import type { Redaction } from './redaction.ts';
import { settled, type Span } from './spans.ts';

/** Characters at the end of a piece that wait for the next one: no secret found by a rule is longer. */
const HELD_BACK = 64 * 1024;
/** Limit of characters to search for an offset at which to cut. */
const REACH = 4096;

/** The bytes of a record as text or base64. */
export interface Written {
  readonly text?: string | undefined;
  readonly base64?: string | undefined;
}

/**
 * Redacts units that are recorded in one or several pieces, in order. What may be the
 * beginning of a secret comes with the next piece.
 */
export class UnitRedaction {
  readonly #redaction: Redaction;
  readonly #row: number;
  readonly #walk: JsonWalk | null;
  /** Whether the unit turned out not to be UTF-8; from then on each character is a byte. */
  #isBytes = false;
  #rest = '';
  readonly #also: readonly Span[];

  /** @param also further secrets to replace in a unit of one piece */
  constructor(redaction: Redaction, isJson: boolean, row: number, also: readonly Span[] = []) {
    this.#also = also;
    this.#redaction = redaction;
    this.#row = row;
    this.#walk = isJson ? new JsonWalk() : null;
  }

  /** Returns the fields to write now for this piece. */
  push(piece: Written, more: boolean): Written {
    const text = this.#take(piece);
    const { spans, end } =
      this.#walk === null ? this.#inText(text, more) : this.#inJson(this.#walk, text, more);
    this.#rest = text.slice(end);
    const inside = [...spans, ...this.#also].filter((span) => span.end <= end);
    const written = this.#redaction.apply(text.slice(0, end), inside, this.#row);
    if (!this.#isBytes) return { text: written };
    const bytes = Buffer.from(written, 'latin1');
    return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { base64: bytes.toString('base64') };
  }

  /** The text to redact: what was held back, and the new piece. */
  #take({ text, base64 }: Written): string {
    if (base64 === undefined && !this.#isBytes) return this.#rest + (text ?? '');
    const rest = this.#isBytes ? this.#rest : Buffer.from(this.#rest).toString('latin1');
    this.#isBytes = true;
    const bytes = base64 === undefined ? Buffer.from(text ?? '') : Buffer.from(base64, 'base64');
    return rest + bytes.toString('latin1');
  }

  #inText(text: string, more: boolean): { spans: readonly Span[]; end: number } {
    const spans = findInText(this.#redaction, text, this.#row);
    return { spans, end: more ? cutPlace(text, 0, spans) : text.length };
  }

  #inJson(walk: JsonWalk, text: string, more: boolean): { spans: readonly Span[]; end: number } {
    const found = findInJson(this.#redaction, walk, text, more, this.#row);
    if (!more) return { spans: found.spans, end: text.length };
    const { open, settled: whole } = found;
    // An incomplete string comes again with the next piece, unless it is long or has been cut before.
    const isResumed = open?.start === 0;
    if (open === null || (!isResumed && text.length - open.start <= 2 * HELD_BACK)) {
      return { spans: found.spans, end: whole };
    }
    walk.cutInside(open);
    const end = safeInString(text, open.start, cutPlace(text, open.start, found.spans));
    return { spans: cutAt(text, found.spans, end), end };
  }
}

/** A position that splits no span, and no name from its value. */
function cutPlace(text: string, from: number, spans: readonly Span[]): number {
  const last = text.length - HELD_BACK;
  if (last <= from) return from;
  let offset = last;
  for (let back = 0; back < REACH && offset - back > from; back++) {
    const at = offset - back;
    if (/\s/.test(text.charAt(at - 1)) && !/[=:"'\\]\s*$/.test(text.slice(Math.max(0, at - 8), at))) {
      offset = at;
      break;
    }
  }
  // A lone surrogate cannot be written.
  if (/[\udc00-\udfff]/.test(text.charAt(offset)) && /[\ud800-\udbff]/.test(text.charAt(offset - 1)))
    offset--;
  const torn = settled(text, spans).find(({ start, end }) => start < offset && end > offset);
  if (torn === undefined) return offset;
  if (torn.start > from) return torn.start;
  // It is longer than the held back text, and is cut like any other text.
  return torn.end < text.length ? torn.end : offset;
}

/** A span longer than the text held back is replaced in parts. */
const cutAt = (text: string, spans: readonly Span[], end: number): Span[] =>
  spans
    .filter(({ start }) => start < end)
    .map((span) =>
      span.end > end ? { ...span, end, value: text.slice(span.start, end), learned: [] } : span,
    );

/** The last position up to here that is not inside an escape. */
function safeInString(text: string, from: number, cut: number): number {
  let offset = from;
  for (;;) {
    const escape = text.indexOf('\\', offset);
    if (escape === -1 || escape >= cut) return cut;
    const end = escape + (text.charAt(escape + 1) === 'u' ? 6 : 2);
    if (end > cut) return escape;
    offset = end;
  }
}

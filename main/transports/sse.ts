import { PIECE_BYTES, type SseEvent } from '#shared/trace/record.ts';
import { cutIntoPieces, type LinePiece, BufferedBytes, Pieces } from './pieces.ts';

/** A piece of the data of one event: the values of its `data` lines, joined by line feeds. */
export interface SseData extends LinePiece {
  /** Set on the last piece. */
  readonly sse?: SseEvent;
}

/** A piece of raw lines without data. The fields they set are on the first piece. */
export interface SseLines extends LinePiece {
  readonly id?: string;
  readonly retry?: number;
}

export interface SseSink {
  data(piece: SseData): void;
  lines(piece: SseLines): void;
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const NEWLINE = Buffer.from('\n');
const DATA = Buffer.from('data:');
const DATA_ALONE = Buffer.from('data');
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Parses an event stream (HTML standard, server-sent events) incrementally and keeps every byte of it: the framing of
 * an event, which is all of its bytes except the values of its `data` lines, is emitted with the event, all other lines
 * as raw lines. A block of lines with a `data` field is an event,
 * even if the stream ends inside it, where a browser would drop it.
 *
 * Memory is bounded. Data is emitted in pieces. A line longer than a piece that is not data is emitted as raw lines and
 * not interpreted. If the framing of an event is larger than a piece, it is emitted as raw lines before the event ends,
 * and `unframed` counts the values of `data` whose framing was emitted that way.
 */
export class SseParser {
  readonly #sink: SseSink;
  readonly #data: Pieces;
  readonly #longLine: Pieces;
  /** Bytes of the byte order mark read so far; null after the mark, or once there cannot be one. */
  #mark: number | null = 0;
  /** Whether the last byte was a carriage return; a line feed that follows belongs to it. */
  #isAfterCr = false;

  /** The part of the line being read. In `head` it is not known yet whether the line is data. */
  #linePart: 'head' | 'space' | 'value' | 'other' | 'long' = 'head';
  /** The bytes of the line so far, in `head` and `other`. */
  readonly #line = new BufferedBytes();

  /** The framing since the last value of `data`. */
  readonly #framing = new BufferedBytes();
  /** The framing before each of the values so far. */
  #frame: string[] = [];
  #frameBytes = 0;
  #values = 0;
  #unframed = 0;
  /**
   * Whether lines of this block are held. `#framing` may also hold the line feed of a CR LF that two chunks split, after
   * its line was emitted; that alone is no line.
   */
  #holdsLines = false;
  /**
   * Whether only a comment line is held. If a blank line follows in the same chunk, both are emitted as one piece; otherwise
   * the comment is emitted alone.
   */
  #holdsComment = false;
  #name = '';
  #id: string | null = null;
  #blockRetry: number | null = null;

  #lastEventId: string | null = null;
  #retry: number | null = null;
  #events = 0;

  constructor(sink: SseSink) {
    this.#sink = sink;
    this.#data = new Pieces((piece) => sink.data(piece.more ? piece : { ...piece, sse: this.#sse() }));
    this.#longLine = new Pieces((piece) => sink.lines(piece));
  }

  /** The id to resume after. Null if the stream set none; empty if it reset the id, so that nothing can be resumed. */
  get lastEventId(): string | null {
    return this.#lastEventId;
  }

  /** Milliseconds to wait before reconnecting; null if the stream set none. */
  get retry(): number | null {
    return this.#retry;
  }

  /** The number of complete events. */
  get events(): number {
    return this.#events;
  }

  push(bytes: Buffer): void {
    let from = this.#readMark(bytes);
    if (this.#isAfterCr && from < bytes.length) {
      this.#isAfterCr = false;
      if (bytes[from] === LF) this.#framing.add(bytes.subarray(from, ++from));
    }
    let lf = bytes.indexOf(LF, from);
    let cr = bytes.indexOf(CR, from);
    while (lf !== -1 || cr !== -1) {
      const isCr = cr !== -1 && (lf === -1 || cr < lf);
      const end = isCr ? cr : lf;
      const next = isCr && lf === cr + 1 ? end + 2 : end + 1;
      this.#addToLine(bytes.subarray(from, end));
      this.#endLine(bytes.subarray(end, next));
      from = next;
      this.#isAfterCr = from === bytes.length && bytes[from - 1] === CR;
      // Searches again only after the previous match, so that each chunk is scanned once for each character.
      if (lf !== -1 && lf < from) lf = bytes.indexOf(LF, from);
      if (cr !== -1 && cr < from) cr = bytes.indexOf(CR, from);
    }
    this.#addToLine(bytes.subarray(from));
    this.#emitComment();
  }

  /** Ends the stream; emits what is incomplete as cut. */
  end(): void {
    this.#endMark();
    if (this.#linePart === 'space') this.#beginValue();
    if (this.#linePart === 'long') this.#longLine.end(true);
    this.#linePart = 'head';
    if (this.#line.length > 0) {
      this.#framing.add(this.#line.take());
      this.#holdsLines = true;
    }
    // A lone line feed completes the previous line end, so nothing is cut.
    this.#endBlock(this.#values > 0 || this.#holdsLines);
  }

  /** Reads a byte order mark at the start of the stream; returns the offset after it. */
  #readMark(bytes: Buffer): number {
    let from = 0;
    while (this.#mark !== null && from < bytes.length) {
      if (bytes[from] !== BYTE_ORDER_MARK[this.#mark]) {
        this.#endMark();
      } else {
        from++;
        this.#mark++;
        if (this.#mark === BYTE_ORDER_MARK.length) {
          this.#mark = null;
          this.#emitLines(BYTE_ORDER_MARK, false);
        }
      }
    }
    return from;
  }

  /** There is no byte order mark: the bytes that looked like its beginning belong to the first line. */
  #endMark(): void {
    const length = this.#mark ?? 0;
    this.#mark = null;
    this.#addToLine(BYTE_ORDER_MARK.subarray(0, length));
  }

  /** Adds bytes to the current line. */
  #addToLine(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#emitComment();
    switch (this.#linePart) {
      case 'head': {
        this.#line.add(bytes);
        if (this.#line.length < DATA.length) return;
        const line = this.#line.take();
        const isData = line.subarray(0, DATA.length).equals(DATA);
        if (isData) this.#framing.add(DATA);
        this.#linePart = isData ? 'space' : 'other';
        return this.#addToLine(isData ? line.subarray(DATA.length) : line);
      }
      case 'space': {
        const valueAt = bytes[0] === SPACE ? 1 : 0;
        this.#framing.add(bytes.subarray(0, valueAt));
        this.#beginValue();
        this.#linePart = 'value';
        return this.#addToLine(bytes.subarray(valueAt));
      }
      case 'value':
        return this.#data.push(bytes);
      case 'other':
        this.#line.add(bytes);
        if (this.#line.length <= PIECE_BYTES) return;
        this.#emitFraming();
        this.#linePart = 'long';
        return this.#longLine.push(this.#line.take());
      case 'long':
        return this.#longLine.push(bytes);
    }
  }

  #endLine(lineEnd: Buffer): void {
    const part = this.#linePart;
    this.#linePart = 'head';
    switch (part) {
      case 'head':
      case 'other':
        this.#endField(this.#line.take(), lineEnd);
        break;
      case 'space':
        this.#beginValue();
        this.#framing.add(lineEnd);
        break;
      case 'value':
        this.#framing.add(lineEnd);
        break;
      case 'long':
        this.#longLine.push(lineEnd);
        this.#longLine.end(false);
    }
    if (this.#frameBytes + this.#framing.length > PIECE_BYTES) this.#emitFraming();
  }

  /** Ends a line without a data value. */
  #endField(line: Buffer, lineEnd: Buffer): void {
    this.#framing.add(line);
    if (line.equals(DATA_ALONE)) this.#beginValue();
    this.#framing.add(lineEnd);
    if (line.length === 0) return this.#endBlock(false);
    const isComment = line.indexOf(':') === 0;
    this.#holdsComment = isComment && this.#values === 0 && !this.#holdsLines;
    if (this.#holdsComment) return;
    this.#holdsLines = true;
    if (!isComment) this.#readField(line);
  }

  /** Emits a held comment at once: a lone comment is a keep-alive. */
  #emitComment(): void {
    if (!this.#holdsComment) return;
    this.#holdsComment = false;
    this.#emitLines(this.#framing.take(), false);
  }

  #readField(line: Buffer): void {
    const colon = line.indexOf(':');
    const name = line.toString('latin1', 0, colon === -1 ? line.length : colon);
    const valueAt = colon + (line[colon + 1] === SPACE ? 2 : 1);
    const value = colon === -1 ? '' : line.toString('utf8', valueAt);
    if (name === 'event') this.#name = value;
    if (name === 'id' && !value.includes('\0')) this.#id = value;
    if (name === 'retry' && /^[0-9]+$/.test(value)) {
      this.#blockRetry = Math.min(Number(value), Number.MAX_SAFE_INTEGER);
      this.#retry = this.#blockRetry;
    }
  }

  #beginValue(): void {
    if (this.#values > 0) this.#data.push(NEWLINE);
    this.#values++;
    this.#closeFrame();
  }

  /** Completes the framing since the last value. */
  #closeFrame(): void {
    this.#frameBytes += this.#framing.length;
    this.#frame.push(this.#framing.take().toString('latin1'));
  }

  #endBlock(cut: boolean): void {
    if (!cut && this.#id !== null) this.#lastEventId = this.#id;
    if (this.#values > 0) {
      if (!cut) this.#events++;
      this.#closeFrame();
      this.#data.end(cut);
    } else this.#emitLines(this.#framing.take(), cut, this.#blockFields());
    this.#frame = [];
    this.#frameBytes = 0;
    this.#values = 0;
    this.#unframed = 0;
    this.#holdsLines = false;
    this.#holdsComment = false;
    this.#name = '';
    this.#id = null;
    this.#blockRetry = null;
  }

  /** Emits framing that is too large to hold until the block ends. */
  #emitFraming(): void {
    this.#closeFrame();
    this.#emitLines(Buffer.from(this.#frame.join(''), 'latin1'), false);
    this.#frame = [];
    this.#frameBytes = 0;
    this.#unframed = this.#values;
  }

  #emitLines(bytes: Buffer, cut: boolean, set: { id?: string; retry?: number } = {}): void {
    if (bytes.length === 0) return;
    for (const piece of cutIntoPieces(bytes)) {
      this.#sink.lines({ ...piece, cut: cut && !piece.more, ...(piece.first && set) });
    }
  }

  /** The fields that the lines of this block set. */
  #blockFields(): { id?: string; retry?: number } {
    return {
      ...(this.#id !== null && { id: this.#id }),
      ...(this.#blockRetry !== null && { retry: this.#blockRetry }),
    };
  }

  #sse(): SseEvent {
    return {
      ...(this.#name !== '' && { name: this.#name }),
      ...this.#blockFields(),
      ...(this.#unframed > 0 && { unframed: this.#unframed }),
      frame: this.#frame,
    };
  }
}

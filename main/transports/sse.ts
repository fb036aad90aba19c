import { PIECE_BYTES, type SseEvent } from '#shared/trace/record.ts';
import { cutIntoPieces, type LinePiece, Held, Pieces } from './pieces.ts';

/** A stretch of the data of one event: the values of its `data` lines, joined by line feeds. */
export interface SseData extends LinePiece {
  /** On the last piece. */
  readonly sse?: SseEvent;
}

/** Raw lines that are no event. What they set stands on the first piece. */
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
 * Reads an event stream (HTML standard, server-sent events) as it comes, and loses no byte of it: what frames
 * the data of an event goes with the event, what is no event is handed on as it is. A block of lines with a
 * `data` field is an event, also when the stream ended inside it, where a browser would drop it.
 *
 * Nothing is held without bound. Data is handed on in pieces; a line that is no data and longer than a piece
 * is handed on as lines of its own and not interpreted; framing that adds up to more than a piece is handed on
 * as lines before its event ends, which `unframed` then tells.
 */
export class SseParser {
  readonly #sink: SseSink;
  readonly #data: Pieces;
  readonly #longLine: Pieces;
  /** Bytes of the byte order mark seen so far; null once it came whole or cannot come any more. */
  #mark: number | null = 0;
  /** The last byte was a carriage return, so a line feed that follows belongs to it. */
  #isAfterCr = false;

  /** Where in a line we are. In `head` it is not clear yet whether the line is data. */
  #place: 'head' | 'space' | 'value' | 'other' | 'long' = 'head';
  /** What came of the line, in `head` and `other`. */
  readonly #line = new Held();

  /** The framing since the last value. */
  readonly #framing = new Held();
  /** The framing before that, a string a value. */
  #frame: string[] = [];
  #frameBytes = 0;
  #values = 0;
  #unframed = 0;
  /** Lines of this block are held that are more than half a line end. */
  #holdsLines = false;
  /** All that is held is a comment; it waits for its blank line, but not longer than for the rest of a chunk. */
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

  /** The id to resume after; null when none was given, empty when it was reset: then there is nothing to resume. */
  get lastEventId(): string | null {
    return this.#lastEventId;
  }

  /** Milliseconds to wait before connecting again, when the stream said so. */
  get retry(): number | null {
    return this.#retry;
  }

  /** How many events came whole. */
  get events(): number {
    return this.#events;
  }

  push(bytes: Buffer): void {
    let from = this.#passMark(bytes);
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
      this.#take(bytes.subarray(from, end));
      this.#endLine(bytes.subarray(end, next));
      from = next;
      this.#isAfterCr = from === bytes.length && bytes[from - 1] === CR;
      // Looked for again only once passed, so that a chunk is searched once for each.
      if (lf !== -1 && lf < from) lf = bytes.indexOf(LF, from);
      if (cr !== -1 && cr < from) cr = bytes.indexOf(CR, from);
    }
    this.#take(bytes.subarray(from));
    this.#emitComment();
  }

  /** The stream ended; what is unfinished is handed on as cut. */
  end(): void {
    this.#endMark();
    if (this.#place === 'space') this.#beginValue();
    if (this.#place === 'long') this.#longLine.end(true);
    this.#place = 'head';
    if (this.#line.length > 0) {
      this.#framing.add(this.#line.take());
      this.#holdsLines = true;
    }
    // The second half of a line end belongs to something that is complete.
    this.#endBlock(this.#values > 0 || this.#holdsLines);
  }

  /** Takes the byte order mark a stream may begin with; gives the place after it. */
  #passMark(bytes: Buffer): number {
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

  /** What looked like the beginning of a byte order mark belongs to the first line. */
  #endMark(): void {
    const seen = this.#mark ?? 0;
    this.#mark = null;
    this.#take(BYTE_ORDER_MARK.subarray(0, seen));
  }

  /** Takes bytes of the current line. */
  #take(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#emitComment();
    switch (this.#place) {
      case 'head': {
        this.#line.add(bytes);
        if (this.#line.length < DATA.length) return;
        const line = this.#line.take();
        const isData = line.subarray(0, DATA.length).equals(DATA);
        if (isData) this.#framing.add(DATA);
        this.#place = isData ? 'space' : 'other';
        return this.#take(isData ? line.subarray(DATA.length) : line);
      }
      case 'space': {
        const valueAt = bytes[0] === SPACE ? 1 : 0;
        this.#framing.add(bytes.subarray(0, valueAt));
        this.#beginValue();
        this.#place = 'value';
        return this.#take(bytes.subarray(valueAt));
      }
      case 'value':
        return this.#data.push(bytes);
      case 'other':
        this.#line.add(bytes);
        if (this.#line.length <= PIECE_BYTES) return;
        this.#handOnFraming();
        this.#place = 'long';
        return this.#longLine.push(this.#line.take());
      case 'long':
        return this.#longLine.push(bytes);
    }
  }

  #endLine(lineEnd: Buffer): void {
    const place = this.#place;
    this.#place = 'head';
    switch (place) {
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
    if (this.#frameBytes + this.#framing.length > PIECE_BYTES) this.#handOnFraming();
  }

  /** A line ended that has no value of data in it. */
  #endField(line: Buffer, lineEnd: Buffer): void {
    this.#framing.add(line);
    if (line.equals(DATA_ALONE)) this.#beginValue();
    this.#framing.add(lineEnd);
    if (line.length === 0) return this.#endBlock(false);
    const isComment = line.indexOf(':') === 0;
    this.#holdsComment = isComment && this.#values === 0 && !this.#holdsLines;
    if (this.#holdsComment) return;
    this.#holdsLines = true;
    if (!isComment) this.#interpret(line);
  }

  /** A comment by itself keeps the connection alive; it shows when it comes. */
  #emitComment(): void {
    if (!this.#holdsComment) return;
    this.#holdsComment = false;
    this.#emitLines(this.#framing.take(), false);
  }

  #interpret(line: Buffer): void {
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

  /** The framing since the last value is complete. */
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
    } else this.#emitLines(this.#framing.take(), cut, this.#set());
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

  /** There is too much framing to hold it until the block ends. */
  #handOnFraming(): void {
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

  /** What the lines of this block set. */
  #set(): { id?: string; retry?: number } {
    return {
      ...(this.#id !== null && { id: this.#id }),
      ...(this.#blockRetry !== null && { retry: this.#blockRetry }),
    };
  }

  #sse(): SseEvent {
    return {
      ...(this.#name !== '' && { name: this.#name }),
      ...this.#set(),
      ...(this.#unframed > 0 && { unframed: this.#unframed }),
      frame: this.#frame,
    };
  }
}

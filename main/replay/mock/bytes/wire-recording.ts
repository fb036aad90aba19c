import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { HeaderLines, TraceRecord } from '#shared/trace/record.ts';
import { wireBytesOf } from '#shared/trace/sse-frame.ts';
import { secretPlaceholder } from '#replay/compare/noise.ts';
import { bytesOfRecord, LineCutter, readLine } from '#trace/opened/lines.ts';

/** Bytes or an end that the server put on its standard streams. */
export type StdioAct =
  | { readonly do: 'write'; readonly stream: 'stdout' | 'stderr'; readonly bytes: Buffer }
  | { readonly do: 'close-stdout' }
  /** The process ended by itself. */
  | { readonly do: 'exit'; readonly code: number | null; readonly signal: string | null };

/** A part of an HTTP response. */
export type HttpAct =
  | {
      readonly do: 'head';
      readonly status: number;
      readonly reason: string;
      readonly headers: HeaderLines;
      readonly isInterim: boolean;
    }
  | { readonly do: 'bytes'; readonly bytes: Buffer }
  /** `dropped`: the client ended it, so the server might have gone on. */
  | {
      readonly do: 'end';
      readonly how: 'complete' | 'cut' | 'dropped' | 'failed';
      readonly trailers: HeaderLines;
    };

/** Something that the server did. */
export interface Timed<Act> {
  readonly act: Act;
  /** Microseconds of the trace. */
  readonly at: number;
  /** The place of its record in the file. */
  readonly seq: number;
}

/** A line that the client wrote to standard input. */
export interface RecordedLine {
  readonly text: string;
  readonly at: number;
  readonly seq: number;
}

/** An HTTP exchange with the server. */
export interface RecordedExchange {
  readonly id: number;
  readonly method: string;
  readonly url: URL;
  readonly at: number;
  readonly seq: number;
  /** The body of the request. */
  body: string;
  readonly acts: Timed<HttpAct>[];
}

/** A value that a recording has only as a placeholder, and where it is. */
export interface Placeholder {
  readonly where: string;
  readonly placeholder: string;
}

/** All that passed in a session, byte by byte, in its order. */
export class WireRecording {
  readonly name: string;
  readonly transport: 'stdio' | 'http';
  /** The lines that the last process of the server got. */
  lines: RecordedLine[] = [];
  readonly exchanges: RecordedExchange[] = [];
  readonly placeholders: Placeholder[] = [];
  readonly #exchanges = new Map<number, RecordedExchange>();
  /** Units in several pieces, by the number of their first record. */
  readonly #pieces = new Map<number, { readonly record: TraceRecord; readonly parts: Buffer[] }>();
  #stdio: Timed<StdioAct>[] = [];
  #exit: Timed<StdioAct> | null = null;
  #isClosing = false;

  private constructor(name: string, transport: 'stdio' | 'http') {
    this.name = name;
    this.transport = transport;
  }

  /** @param path of a file whose header was read */
  static async read(path: string, transport: 'stdio' | 'http'): Promise<WireRecording> {
    const recording = new WireRecording(basename(path), transport);
    const cutter = new LineCutter(0);
    const take = (line: Parameters<typeof readLine>[0]): void => {
      const reading = readLine(line, null);
      // The header is no record either, and damaged lines are reported by who opened the file.
      if (reading !== null && 'record' in reading) recording.#take(reading.record);
    };
    for await (const piece of createReadStream(path)) if (Buffer.isBuffer(piece)) cutter.push(piece, take);
    const { rest, offset } = cutter;
    take({ bytes: rest, from: 0, to: rest.length, offset, length: rest.length });
    return recording;
  }

  /** What the server did on its standard streams. What it printed may have been read after its end, which comes last. */
  get stdio(): readonly Timed<StdioAct>[] {
    return this.#exit === null ? this.#stdio : [...this.#stdio, this.#exit];
  }

  /** The exchanges with the server itself: those with others, such as an authorization server, are not served. */
  get served(): readonly RecordedExchange[] {
    const origin = this.exchanges.find(({ url }) => url.origin !== 'null')?.url.origin;
    return this.exchanges.filter(({ url }) => url.origin === origin);
  }

  #take(record: TraceRecord): void {
    const { seq, at } = record;
    switch (record.kind) {
      case 'unit':
      case 'http-body':
      case 'sse':
        this.#bytes(record);
        return;
      case 'chunk':
        this.#chunk(record);
        return;
      case 'stderr':
        this.#write('stderr', record, record);
        return;
      case 'process':
        if (record.change.what === 'spawn') this.#restart();
        else if (record.change.what === 'stdout-closed')
          this.#stdio.push({ seq, at, act: { do: 'close-stdout' } });
        else if (record.change.what === 'shutdown') this.#isClosing = true;
        else if (record.change.what === 'exit' && !this.#isClosing) {
          const { code, signal } = record.change;
          this.#exit = { seq, at, act: { do: 'exit', code, signal } };
        }
        return;
      case 'http-request': {
        const { exchange: id, method, url } = record;
        if (!URL.canParse(url) || record.received !== undefined) return;
        const exchange = { id, method, url: new URL(url), at, seq, body: '', acts: [] };
        this.#exchanges.set(id, exchange);
        this.exchanges.push(exchange);
        return;
      }
      case 'http-response': {
        const { status, reason, headers, interim } = record;
        for (const [name, value] of headers)
          this.#notePlaceholders(value, `header ${name} of exchange ${record.exchange}`);
        const act = { do: 'head', status, reason, headers, isInterim: interim === true } as const;
        this.#exchanges.get(record.exchange)?.acts.push({ seq, at, act });
        return;
      }
      case 'http-end': {
        const act = { do: 'end', how: record.how, trailers: record.trailers ?? [] } as const;
        this.#exchanges.get(record.exchange)?.acts.push({ seq, at, act });
        return;
      }
      case 'http-connected':
      case 'phase':
      case 'switches':
      case 'authorization':
      case 'definitions':
      case 'mark':
      case 'anchor':
    }
  }

  /** The server was started again: a client of the mock meets its last process only. */
  #restart(): void {
    this.lines = [];
    this.#stdio = [];
    this.#exit = null;
    this.#isClosing = false;
  }

  #bytes(record: Extract<TraceRecord, { kind: 'unit' | 'http-body' | 'sse' }>): void {
    const isOut = record.kind !== 'sse' && record.direction === 'out';
    if (record.more === true) {
      this.#pieces.set(record.seq, { record, parts: [] });
    }
    if (isOut) this.#sent(record);
    else if (record.kind === 'unit' && record.channel === 'stdout') this.#write('stdout', record, record);
    else if (record.exchange !== undefined) this.#body(record.exchange, record, record);
  }

  /** A line or a body of the client. */
  #sent(record: Extract<TraceRecord, { kind: 'unit' | 'http-body' }>): void {
    const text = bytesOfRecord(record).toString('utf8');
    if (record.kind === 'unit' && record.channel === 'stdin') {
      this.lines.push({ text, at: record.at, seq: record.seq });
      return;
    }
    const exchange = record.exchange === undefined ? undefined : this.#exchanges.get(record.exchange);
    if (exchange !== undefined) exchange.body += text;
  }

  #chunk(chunk: Extract<TraceRecord, { kind: 'chunk' }>): void {
    const first = this.#pieces.get(chunk.of)?.record;
    if (first === undefined) {
      // Only standard error has pieces that are no unit.
      this.#write('stderr', chunk, chunk);
      return;
    }
    if (first.kind === 'unit' && first.channel === 'stdin') {
      const line = this.lines.findLast(({ seq }) => seq === first.seq);
      const place = line === undefined ? -1 : this.lines.indexOf(line);
      if (line !== undefined)
        this.lines[place] = { ...line, text: line.text + bytesOfRecord(chunk).toString('utf8') };
    } else if (first.kind === 'unit' && first.channel === 'stdout') this.#write('stdout', chunk, chunk);
    else if ('exchange' in first && first.exchange !== undefined) {
      const isOut = 'direction' in first && first.direction === 'out';
      const exchange = this.#exchanges.get(first.exchange);
      if (isOut && exchange !== undefined) exchange.body += bytesOfRecord(chunk).toString('utf8');
      else this.#body(first.exchange, first, chunk);
    }
  }

  /** A line, or a piece of one: the newline comes after the last. */
  #write(
    stream: 'stdout' | 'stderr',
    { seq, at }: TraceRecord,
    piece: Extract<TraceRecord, { kind: 'unit' | 'chunk' | 'stderr' }>,
  ): void {
    const content = bytesOfRecord(piece);
    this.#notePlaceholders(content.toString('utf8'), `${stream}, record ${seq}`);
    const isWhole = piece.more !== true && piece.cut !== true;
    const bytes = isWhole ? Buffer.concat([content, Buffer.from('\n')]) : content;
    this.#stdio.push({ seq, at, act: { do: 'write', stream, bytes } });
  }

  /** A body, a piece of one, or an event; an event is known as a whole with its last piece. */
  #body(exchangeId: number, first: TraceRecord, piece: TraceRecord): void {
    const exchange = this.#exchanges.get(exchangeId);
    if (exchange === undefined || !('size' in piece) || piece.kind === 'http-end') return;
    const content = bytesOfRecord(piece);
    this.#notePlaceholders(content.toString('utf8'), `body of exchange ${exchangeId}`);
    const { seq, at } = piece;
    const isEvent = first.kind === 'unit' && first.channel === 'sse';
    if (!isEvent) {
      exchange.acts.push({ seq, at, act: { do: 'bytes', bytes: content } });
      return;
    }
    const parts = this.#pieces.get(first.seq)?.parts ?? [];
    parts.push(content);
    if ('more' in piece && piece.more === true) return;
    const sse = 'sse' in piece ? piece.sse : undefined;
    const data = Buffer.concat(parts);
    // Framing beyond 1 MiB is in records of its own, before the data.
    const bytes =
      sse === undefined ? data : Buffer.from(wireBytesOf(data, { ...sse, unframed: undefined }) ?? data);
    exchange.acts.push({ seq, at, act: { do: 'bytes', bytes } });
  }

  #notePlaceholders(text: string, where: string): void {
    for (const [placeholder] of text.matchAll(secretPlaceholder))
      this.placeholders.push({ where, placeholder });
  }
}

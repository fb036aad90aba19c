import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  HttpEndRecord,
  HttpRequestRecord,
  HttpResponseRecord,
  TraceRecord,
} from '#shared/trace/record.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { type BodyReader, EventStream, WholeBody } from '#wire/body-readers.ts';
import type { WireEvent } from '#wire/transport.ts';
import { readDetail } from '#trace/view/detail-reader.ts';
import type { MakeInspector, RecordedMessage } from '#trace/inspector.ts';
import { Redactor } from '#trace/recorder/redaction.ts';
import { parseRecord, readRows } from '#trace/view/row-reader.ts';
import type { Trace } from '#trace/trace.ts';
import { Traces } from '#trace/traces.ts';

/** A trace on disk that is told what a transport over HTTP would tell it; bodies pass the readers of the wire. */
export class HttpRecording {
  readonly trace: Trace;
  readonly traces: Traces;
  /** Messages that were completed, in their order. */
  readonly recorded: RecordedMessage[] = [];
  /** The earliest row that the last record changed. */
  changedFrom = -1;
  readonly #folder: string;
  #units = 0;
  #exchanges = 0;
  #at: number;

  private constructor(folder: string, traces: Traces, trace: Trace) {
    this.#folder = folder;
    this.traces = traces;
    this.trace = trace;
    this.#at = trace.header.clock.at;
  }

  static async begin({
    url = 'http://127.0.0.1:3000/mcp',
    name = 'under test',
    secrets = {},
    inspect,
  }: {
    url?: string;
    name?: string;
    secrets?: Record<string, string>;
    inspect?: MakeInspector;
  } = {}): Promise<HttpRecording> {
    const folder = await mkdtemp(join(tmpdir(), 'sightglass-http-'));
    const traces = new Traces(folder, '0', () => {}, inspect);
    const trace = await traces.begin({
      sessionId: 's',
      server: { name, transport: 'http', url },
      redactor: new Redactor(new Map(Object.entries(secrets))),
      onChange: () => {},
      onCongested: () => {},
    });
    return new HttpRecording(folder, traces, trace);
  }

  /** Microseconds that go by with each step. */
  next(): number {
    this.#at += 10;
    return this.#at;
  }

  readonly sink = (event: WireEvent): void => {
    this.recorded.push(...this.trace.record(event));
  };

  /** Begins an exchange; returns its id. */
  request(facts: Partial<HttpRequestRecord> & { body?: string } = {}): number {
    const exchange = ++this.#exchanges;
    const { body, ...others } = facts;
    this.sink({
      kind: 'http-request',
      at: this.next(),
      exchange,
      method: 'POST',
      url: 'http://127.0.0.1:3000/mcp',
      headers: [],
      bodySize: Buffer.byteLength(body ?? ''),
      origin: 'user',
      ...others,
    });
    if (body !== undefined) this.piece({ direction: 'out', exchange, origin: 'user' }, body);
    return exchange;
  }

  connected(exchange: number): void {
    this.sink({
      kind: 'http-connected',
      at: this.next(),
      exchange,
      reused: false,
      remote: '127.0.0.1:3000',
      took: { lookup: 1, connect: 2 },
    });
  }

  response(exchange: number, status: number, facts: Partial<HttpResponseRecord> = {}): void {
    const head = { reason: '', httpVersion: '1.1', headers: [] };
    this.sink({ kind: 'http-response', at: this.next(), exchange, status, ...head, ...facts });
  }

  /** A whole body that should be a message, or is none. */
  body(exchange: number, bytes: string | Buffer, as: 'message' | 'body' = 'message', cut = false): void {
    const reader = new WholeBody({ sink: this.sink, unit: () => this.#units++, exchange, as });
    this.#feed(reader, bytes, cut);
  }

  /** A piece of a stream of events. */
  stream(exchange: number, bytes: string | Buffer): void {
    const reader = new EventStream({ sink: this.sink, unit: () => this.#units++, exchange });
    this.#feed(reader, bytes, false);
  }

  end(exchange: number, how: HttpEndRecord['how'] = 'complete', facts: Partial<HttpEndRecord> = {}): void {
    this.sink({ kind: 'http-end', at: this.next(), exchange, how, size: 0, ...facts });
  }

  /** A unit of one piece, such as what we send. */
  piece(
    facts: Partial<Extract<WireEvent, { kind: 'message-bytes' }>> & { direction: 'in' | 'out' },
    content: string | Buffer,
  ): void {
    const unit = this.#units++;
    const whole = { first: true, more: false, cut: false, bytes: Buffer.from(content) };
    this.sink({ kind: 'message-bytes', channel: 'http', at: this.next(), unit, ...whole, ...facts });
  }

  stderr(text: string): void {
    const whole = { first: true, more: false, cut: false, bytes: Buffer.from(text) };
    this.sink({ kind: 'stderr-bytes', at: this.next(), unit: this.#units++, ...whole });
  }

  rows(): Promise<TraceRow[]> {
    return readRows(this.trace, [...Array(this.trace.index.columns.count).keys()]);
  }

  async row(fits: (row: TraceRow) => boolean): Promise<TraceRow> {
    const row = (await this.rows()).find(fits);
    if (row === undefined) throw new Error('no such row');
    return row;
  }

  detail(row: number) {
    return readDetail(this.trace, row);
  }

  /** The whole file. */
  async text(): Promise<string> {
    await this.trace.file.flush();
    return readFile(this.trace.file.path, 'utf8');
  }

  async records(): Promise<TraceRecord[]> {
    const [, ...lines] = (await this.text()).trimEnd().split('\n');
    return lines.map(parseRecord);
  }

  async close(): Promise<void> {
    await this.trace.close();
    await rm(this.#folder, { recursive: true });
  }

  #feed(reader: BodyReader, bytes: string | Buffer, cut: boolean): void {
    const at = this.next();
    reader.push(Buffer.from(bytes), at);
    reader.end(at, cut);
  }
}

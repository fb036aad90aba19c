import { grown } from '#shared/typed-arrays.ts';
import type {
  HeaderLines,
  HttpEndRecord,
  HttpRequestRecord,
  HttpResponseRecord,
  TraceRecord,
} from '#shared/trace/record.ts';
import type { ResponseMode, RowStatus } from '#shared/trace/row.ts';
import type { LineSpan } from '#trace/trace-writer.ts';
import type { RowColumns } from './row-columns.ts';

type HttpRecord = Extract<
  TraceRecord,
  { kind: 'http-request' | 'http-connected' | 'http-response' | 'http-end' }
>;

/** Makes one row of each HTTP exchange, however many records it has. Depends on records alone. */
export class HttpRows {
  readonly exchanges = new ExchangeColumns();
  readonly #columns: RowColumns;
  /** Exchanges that have not ended. */
  readonly #open = new Set<number>();
  /** The exchanges whose stream can be resumed from an event id. */
  readonly #resumable = new Set<number>();
  /** Whether the server has named an endpoint, so that responses come on its one stream (HTTP+SSE). */
  #hasEndpoint = false;

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  /** Adds the next record of an exchange; returns the earliest changed row. */
  add(record: HttpRecord, span: LineSpan): number {
    if (record.kind === 'http-request') return this.#request(record, span);
    const { exchange } = record;
    const row = this.exchanges.row(exchange);
    if (row === null) return this.#columns.count;
    // An exchange has one final response and one end. If a trace that another program wrote has more, the first counts.
    if (record.kind === 'http-connected') this.exchanges.setRecord(exchange, 'connected', span);
    else if (record.kind === 'http-response') {
      if (this.exchanges.record(exchange, 'response') !== null && !record.interim) return this.#columns.count;
      this.#response(row, record, span);
    } else {
      if (this.exchanges.record(exchange, 'end') !== null) return this.#columns.count;
      this.#end(row, record, span);
    }
    return row;
  }

  /**
   * Notes the last event id and the endpoint of an event stream. Ignores the id if the request of the exchange was not
   * recorded before the event: its row then names no exchange, and an export of chosen rows could not find it.
   */
  noteEvent(
    exchange: number | undefined,
    { id, name }: { id?: string | undefined; name?: string | undefined },
  ): void {
    const isKnown = exchange !== undefined && this.exchanges.row(exchange) !== null;
    if (isKnown && id !== undefined) this.#resumable.add(exchange);
    if (name === 'endpoint') this.#hasEndpoint = true;
  }

  /** Whether the requests of an ended exchange may still get their responses in another exchange. */
  mayStillBeAnswered({ exchange }: HttpEndRecord): boolean {
    const row = this.exchanges.row(exchange);
    const status = row === null ? null : this.#columns.code(row);
    const isResumable = this.#resumable.delete(exchange);
    if (status === null || isErrorStatus(status)) return false;
    // After a redirect the next exchange carries them, in HTTP+SSE the stream, and a broken stream can be resumed.
    return status >= 300 || this.#hasEndpoint || isResumable;
  }

  /** Whether the response of an exchange has a status of 400 or above. */
  hasErrorStatus(exchange: number | undefined): boolean {
    const row = exchange === undefined ? null : this.exchanges.row(exchange);
    return row !== null && isErrorStatus(this.#columns.code(row));
  }

  /** Ends all open exchanges with the session; returns the earliest changed row. */
  end(): number {
    let earliest = this.#columns.count;
    for (const exchange of this.#open) {
      const row = this.exchanges.row(exchange);
      if (row === null) continue;
      this.#columns.setStatus(row, 'unanswered');
      earliest = Math.min(earliest, row);
    }
    return earliest;
  }

  #request(record: HttpRequestRecord, { offset, length }: LineSpan): number {
    const { seq, at, exchange, method, url, headers, origin, redirectOf, received } = record;
    const row = this.#columns.add({ seq, at, offset, length, size: 0 });
    this.exchanges.add(exchange, row);
    this.#open.add(exchange);
    this.#columns.setKind(row, 'http');
    this.#columns.setDirection(row, received === undefined ? 'out' : 'in');
    // The status is ours: a stranger that we refuse is no error of the server.
    if (received !== undefined) this.#columns.excludeFromErrors(row);
    this.#columns.setMethod(row, method);
    this.#columns.setSubject(row, pathOf(url));
    this.#columns.setStatus(row, 'pending');
    this.#columns.setExchangeRow(row, row);
    const redirecting = redirectOf === undefined ? null : this.exchanges.row(redirectOf);
    if (redirecting !== null) {
      this.#columns.setParent(row, redirecting);
      if (this.#columns.isExcludedFromErrors(redirecting)) this.#columns.excludeFromErrors(row);
    }
    if (origin === 'automatic') this.#columns.setAutomatic(row);
    if (origin === 'probe') this.#columns.setProbe(row);
    if (headerOf(headers, 'last-event-id') !== null) this.#columns.setResumes(row);
    return row;
  }

  #response(row: number, { exchange, status, headers, interim }: HttpResponseRecord, span: LineSpan): void {
    if (interim) {
      this.exchanges.addInterim(exchange, span);
      this.#columns.touch(row);
      return;
    }
    this.exchanges.setRecord(exchange, 'response', span);
    this.#columns.setCode(row, status);
    const mode = responseTypes.get(mediaTypeOf(headers) ?? '');
    if (mode !== undefined) this.#columns.setResponseMode(row, mode);
    if (this.#open.has(exchange)) this.#columns.setStatus(row, 'receiving');
  }

  #end(row: number, { exchange, at, how, size }: HttpEndRecord, span: LineSpan): void {
    this.#open.delete(exchange);
    this.exchanges.setRecord(exchange, 'end', span);
    this.#columns.setDuration(row, at - this.#columns.at(row));
    this.#columns.setSize(row, size);
    const isError = how === 'complete' && isErrorStatus(this.#columns.code(row));
    this.#columns.setStatus(row, isError ? 'error' : endings[how]);
  }
}

const endings: Readonly<Record<HttpEndRecord['how'], RowStatus>> = {
  complete: 'ok',
  cut: 'failed',
  dropped: 'cancelled',
  failed: 'failed',
};

/** The first value of a header, by its name in lower case; null without it. */
export const headerOf = (headers: HeaderLines, name: string): string | null =>
  headers.find(([other]) => other.toLowerCase() === name)?.[1] ?? null;

/** The media type of a body without parameters, in lower case; null without one. */
export const mediaTypeOf = (headers: HeaderLines): string | null =>
  headerOf(headers, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? null;

/** The types that a response to a request may have (MCP 2025-06-18 transports, sending messages to the server). */
const responseTypes: ReadonlyMap<string, ResponseMode> = new Map([
  ['application/json', 'json'],
  ['text/event-stream', 'sse'],
]);

const isErrorStatus = (status: number | null): boolean => status !== null && status >= 400;

/** Path and query of a URL as written, including placeholders. */
function pathOf(url: string): string {
  const [authority = ''] = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?[^/?#]*/i.exec(url) ?? [];
  return url.slice(authority.length) || '/';
}

/** The records of an exchange that occur at most once, except its request. */
export const exchangeSteps = ['connected', 'response', 'end'] as const;
type ExchangeStep = (typeof exchangeSteps)[number];

const FIRST_CAPACITY = 64;

/** All exchanges as plain values, to be stored in a file. `ExchangeColumns` explains the members. */
export interface ExchangesState {
  readonly row: Uint32Array<ArrayBuffer>;
  readonly isAtIdIndex: Uint8Array<ArrayBuffer>;
  readonly offset: Readonly<Record<ExchangeStep, Float64Array<ArrayBuffer>>>;
  readonly length: Readonly<Record<ExchangeStep, Uint32Array<ArrayBuffer>>>;
  readonly otherIndexes: readonly (readonly [exchange: number, index: number])[];
  readonly interim: readonly (readonly [exchange: number, records: LineSpan[]])[];
}

/** The file positions of the records of each HTTP exchange, as typed columns: about 40 bytes per exchange. */
export class ExchangeColumns {
  #count = 0;
  #row = new Uint32Array(FIRST_CAPACITY);
  /**
   * Whether the exchange is at index `id - 1`. Sightglass counts the ids of a trace from 1, so that the id implies the
   * index. In a trace that another program wrote, ids may skip or repeat numbers.
   */
  #isAtIdIndex = new Uint8Array(FIRST_CAPACITY);
  readonly #offset = ofEachStep(() => new Float64Array(FIRST_CAPACITY));
  /** 0 if there is no such record. */
  readonly #length = ofEachStep(() => new Uint32Array(FIRST_CAPACITY));
  /** The indexes of the exchanges that are not at index `id - 1`, by id. */
  readonly #otherIndexes = new Map<number, number>();
  /** Informational responses, which are rare. */
  readonly #interim = new Map<number, LineSpan[]>();

  /** All exchanges, as views of these columns. */
  get state(): ExchangesState {
    const count = this.#count;
    return {
      row: this.#row.subarray(0, count),
      isAtIdIndex: this.#isAtIdIndex.subarray(0, count),
      offset: ofEachStep((step) => this.#offset[step].subarray(0, count)),
      length: ofEachStep((step) => this.#length[step].subarray(0, count)),
      otherIndexes: [...this.#otherIndexes],
      interim: [...this.#interim],
    };
  }

  /** Takes over the exchanges of a trace and their columns. Call it on an empty `ExchangeColumns`. */
  restore(state: ExchangesState): void {
    // A capacity of 0 cannot be doubled.
    if (state.row.length === 0) return;
    this.#count = state.row.length;
    this.#row = state.row;
    this.#isAtIdIndex = state.isAtIdIndex;
    for (const step of exchangeSteps) {
      this.#offset[step] = state.offset[step];
      this.#length[step] = state.length[step];
    }
    for (const [exchange, index] of state.otherIndexes) this.#otherIndexes.set(exchange, index);
    for (const [exchange, records] of state.interim) this.#interim.set(exchange, [...records]);
  }

  /** Adds an exchange with its row. */
  add(exchange: number, row: number): void {
    if (this.#count === this.#row.length) this.#grow();
    const index = this.#count++;
    this.#row[index] = row;
    if (exchange - 1 === index) this.#isAtIdIndex[index] = 1;
    else this.#otherIndexes.set(exchange, index);
  }

  /** The row of an exchange; null if its request was not recorded. */
  row(exchange: number): number | null {
    const index = this.#indexOf(exchange);
    return index === null ? null : (this.#row[index] ?? null);
  }

  /** The id of the exchange in a row; null if only the record of the row has it. */
  idOf(row: number): number | null {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#row[middle] ?? 0) < row) low = middle + 1;
      else high = middle;
    }
    return low < this.#count && this.#row[low] === row && this.#isAtIdIndex[low] === 1 ? low + 1 : null;
  }

  setRecord(exchange: number, step: ExchangeStep, { offset, length }: LineSpan): void {
    const index = this.#indexOf(exchange);
    if (index === null) return;
    this.#offset[step][index] = offset;
    this.#length[step][index] = length;
  }

  /** The file position of the record of a step; null if there is none yet. */
  record(exchange: number, step: ExchangeStep): LineSpan | null {
    const index = this.#indexOf(exchange);
    const length = index === null ? 0 : (this.#length[step][index] ?? 0);
    if (index === null || length === 0) return null;
    return { offset: this.#offset[step][index] ?? 0, length };
  }

  addInterim(exchange: number, { offset, length }: LineSpan): void {
    const known = this.#interim.get(exchange);
    if (known === undefined) this.#interim.set(exchange, [{ offset, length }]);
    else known.push({ offset, length });
  }

  /** All responses in their order, the final one last. */
  responses(exchange: number): LineSpan[] {
    const final = this.record(exchange, 'response');
    return [...(this.#interim.get(exchange) ?? []), ...(final === null ? [] : [final])];
  }

  #indexOf(exchange: number): number | null {
    // If an id occurs twice, it means the later exchange, which has another index.
    const index = this.#otherIndexes.get(exchange) ?? exchange - 1;
    if (index < this.#count && (this.#isAtIdIndex[index] === 1 || this.#otherIndexes.has(exchange)))
      return index;
    return null;
  }

  #grow(): void {
    const capacity = this.#row.length * 2;
    this.#row = grown(this.#row, new Uint32Array(capacity));
    this.#isAtIdIndex = grown(this.#isAtIdIndex, new Uint8Array(capacity));
    for (const step of exchangeSteps) {
      this.#offset[step] = grown(this.#offset[step], new Float64Array(capacity));
      this.#length[step] = grown(this.#length[step], new Uint32Array(capacity));
    }
  }
}

export const ofEachStep = <C>(make: (step: ExchangeStep) => C): Record<ExchangeStep, C> => ({
  connected: make('connected'),
  response: make('response'),
  end: make('end'),
});

import type {
  HttpEndRecord,
  HttpRequestRecord,
  HttpResponseRecord,
  TraceRecord,
} from '#shared/trace/record.ts';
import type { RowStatus } from '#shared/trace/row.ts';
import { ExchangeColumns } from './exchange-columns.ts';
import type { RowColumns } from './row-columns.ts';
import type { LinePlace } from '#trace/file/line-source.ts';

type HttpRecord = Extract<
  TraceRecord,
  { kind: 'http-request' | 'http-connected' | 'http-response' | 'http-end' }
>;

/** Makes one row of each HTTP exchange, whatever number of records it has. Works on records alone. */
export class HttpRows {
  readonly exchanges = new ExchangeColumns();
  readonly #columns: RowColumns;
  /** Exchanges that have not ended. */
  readonly #open = new Set<number>();
  /** Of these, those whose stream can be taken up again by an event id. */
  readonly #resumable = new Set<number>();
  /** The server has named an endpoint, so that answers come by its one stream (HTTP+SSE). */
  #hasEndpoint = false;

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  /** Takes the next record of an exchange; returns the earliest row that changed by it. */
  see(record: HttpRecord, place: LinePlace): number {
    if (record.kind === 'http-request') return this.#request(record, place);
    const { exchange } = record;
    const row = this.exchanges.row(exchange);
    if (row === null) return this.#columns.count;
    // There is one final response and one end. Of more, in a file that somebody else wrote, the first holds.
    if (record.kind === 'http-connected') this.exchanges.setRecord(exchange, 'connected', place);
    else if (record.kind === 'http-response') {
      if (this.exchanges.record(exchange, 'response') !== null && !record.interim) return this.#columns.count;
      this.#response(row, record, place);
    } else {
      if (this.exchanges.record(exchange, 'end') !== null) return this.#columns.count;
      this.#end(row, record, place);
    }
    return row;
  }

  /** Takes note of what an event stream carried. */
  seeEvent(
    exchange: number | undefined,
    { id, name }: { id?: string | undefined; name?: string | undefined },
  ): void {
    if (exchange !== undefined && id !== undefined) this.#resumable.add(exchange);
    if (name === 'endpoint') this.#hasEndpoint = true;
  }

  /** Whether the requests that an exchange carried may still be answered although it has ended. */
  mayStillBeAnswered({ exchange }: HttpEndRecord): boolean {
    const row = this.exchanges.row(exchange);
    const status = row === null ? null : this.#columns.code(row);
    const isResumable = this.#resumable.delete(exchange);
    if (status === null || isErrorStatus(status)) return false;
    return status >= 300 || this.#hasEndpoint || isResumable;
  }

  /** Whether what the server answered by an exchange is an error: a status of 400 and above. */
  isErrorAnswer(exchange: number | undefined): boolean {
    const row = exchange === undefined ? null : this.exchanges.row(exchange);
    return row !== null && isErrorStatus(this.#columns.code(row));
  }

  /** The session ended: what has not ended by now never will. Returns the earliest row that changed. */
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

  #request(record: HttpRequestRecord, { offset, length }: LinePlace): number {
    const { seq, at, exchange, method, url, origin, redirectOf } = record;
    const row = this.#columns.add({ seq, at, offset, length, size: 0 });
    this.exchanges.add(exchange, row);
    this.#open.add(exchange);
    this.#columns.setKind(row, 'http');
    this.#columns.setDirection(row, 'out');
    this.#columns.setMethod(row, method);
    this.#columns.setSubject(row, pathOf(url));
    this.#columns.setStatus(row, 'pending');
    this.#columns.setExchange(row, row);
    const redirecting = redirectOf === undefined ? null : this.exchanges.row(redirectOf);
    if (redirecting !== null) {
      this.#columns.setParent(row, redirecting);
      if (this.#columns.isRepeat(redirecting)) this.#columns.setRepeat(row);
    }
    if (origin === 'automatic') this.#columns.setAutomatic(row);
    if (origin === 'probe') this.#columns.setProbe(row);
    return row;
  }

  #response(row: number, { exchange, status, interim }: HttpResponseRecord, place: LinePlace): void {
    if (interim) {
      this.exchanges.addInterim(exchange, place);
      this.#columns.touch(row);
      return;
    }
    this.exchanges.setRecord(exchange, 'response', place);
    this.#columns.setCode(row, status);
    if (this.#open.has(exchange)) this.#columns.setStatus(row, 'receiving');
  }

  #end(row: number, { exchange, at, how, size }: HttpEndRecord, place: LinePlace): void {
    this.#open.delete(exchange);
    this.exchanges.setRecord(exchange, 'end', place);
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

const isErrorStatus = (status: number | null): boolean => status !== null && status >= 400;

/** Path and query of a URL as they are written, placeholders of secrets and all. */
function pathOf(url: string): string {
  const [authority = ''] = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?[^/?#]*/i.exec(url) ?? [];
  return url.slice(authority.length) || '/';
}

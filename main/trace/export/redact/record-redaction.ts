import { withTexts } from '#trace/authorization-record.ts';
import { isJson } from '#shared/json/tokens.ts';
import type {
  Certificate,
  HttpFailure,
  ProcessChange,
  SseEvent,
  TraceHeader,
  TraceRecord,
} from '#shared/trace/record.ts';
import type { RowIndex } from '#trace/rows/row-index.ts';
import type { Redaction } from './redaction.ts';
import type { Span } from './spans.ts';
import { bodySpans } from './text-rules.ts';
import { UnitRedaction, type Written } from './unit-redaction.ts';

type RecordOf<K extends TraceRecord['kind']> = Extract<TraceRecord, { kind: K }>;

/** Redacts the records of a trace, which must come in order. */
export class RecordRedaction {
  readonly #redaction: Redaction;
  readonly #index: RowIndex;
  /** Units that are not complete yet, by the `seq` of their first record. */
  readonly #growing = new Map<number, UnitRedaction>();

  constructor(redaction: Redaction, index: RowIndex) {
    this.#redaction = redaction;
    this.#index = index;
  }

  redact(record: TraceRecord): TraceRecord {
    const own = this.rowOf(record);
    const row = own ?? 0;
    const text = (one: string) => this.#redaction.text(one, row);
    switch (record.kind) {
      case 'unit':
        return { ...record, ...this.sse(record.sse, row), ...this.#begin(record, own) };
      case 'chunk':
        return { ...record, ...this.sse(record.sse, row), ...this.#goOn(record, row) };
      case 'http-body':
      case 'stderr':
        return { ...record, ...this.#begin(record, own) };
      case 'sse':
        return {
          ...record,
          ...(record.id !== undefined && { id: text(record.id) }),
          ...this.#begin(record, own),
        };
      case 'http-request':
        return {
          ...record,
          url: this.#redaction.url(record.url, row),
          headers:
            record.received === undefined
              ? this.#redaction.headers(record.headers, row)
              : this.#redaction.serverHeaders(record.headers, row),
        };
      case 'http-connected': {
        const { remote, proxy, tls } = record;
        const certificate = tls?.certificate && this.#certificate(tls.certificate, row);
        return {
          ...record,
          remote: text(remote),
          ...(proxy !== undefined && { proxy: this.#redaction.url(proxy, row) }),
          ...(tls && certificate && { tls: { ...tls, certificate } }),
        };
      }
      case 'http-response':
        return {
          ...record,
          reason: text(record.reason),
          headers: this.#redaction.serverHeaders(record.headers, row),
        };
      case 'http-end': {
        const { failure, trailers } = record;
        return {
          ...record,
          ...(failure && { failure: this.#failure(failure, row) }),
          ...(trailers && { trailers: this.#redaction.serverHeaders(trailers, row) }),
        };
      }
      case 'process':
        return { ...record, change: this.#change(record.change, row) };
      case 'phase':
        return {
          ...record,
          ...(record.reason !== undefined && { reason: text(record.reason) }),
          ...(record.evidence && {
            evidence: record.evidence.map((step) => ({ ...step, text: text(step.text) })),
          }),
        };
      case 'mark':
        return record.note === null ? record : { ...record, note: text(record.note) };
      case 'switches':
        return { ...record, on: record.on.map(text) };
      case 'authorization':
        return {
          ...record,
          what: text(record.what),
          flow: withTexts(record.flow, text),
          steps: record.steps.map((step) => withTexts(step, text)),
        };
      case 'definitions':
        return { ...record, changes: withTexts(record.changes, text) };
      case 'anchor':
        return record;
    }
  }

  /** Redacts the fields of an event. Returns an object to spread into its record; empty without an event. */
  sse(sse: SseEvent | undefined, row: number): { sse?: SseEvent } {
    if (sse === undefined) return {};
    const text = (one: string) => this.#redaction.text(one, row);
    return {
      sse: {
        ...sse,
        ...(sse.name !== undefined && { name: text(sse.name) }),
        ...(sse.id !== undefined && { id: text(sse.id) }),
        frame: sse.frame.map(text),
      },
    };
  }

  header(header: TraceHeader): TraceHeader {
    const { server } = header;
    const name = this.#redaction.text(server.name, 0);
    const own = { ...header };
    if (own.excerpt?.filter !== undefined)
      own.excerpt = { ...own.excerpt, filter: this.#redaction.text(own.excerpt.filter, 0) };
    if (server.transport === 'http') {
      return { ...own, server: { ...server, name, url: this.#redaction.url(server.url, 0) } };
    }
    const command = this.#redaction.text(server.command, 0);
    return { ...own, server: { ...server, name, command, args: this.#redaction.args(server.args, 0) } };
  }

  /** The row that a record is part of; null if there is none, or if it is unknown yet. */
  rowOf(record: TraceRecord): number | null {
    const { columns, exchanges } = this.#index;
    switch (record.kind) {
      case 'chunk':
      case 'mark':
        return columns.rowOf(record.of);
      case 'http-connected':
      case 'http-response':
      case 'http-end':
        return exchanges.row(record.exchange);
      case 'anchor':
        return null;
      default:
        return columns.rowOf(record.seq);
    }
  }

  #failure(failure: HttpFailure, row: number): HttpFailure {
    const { code, message, remote, certificate } = failure;
    return {
      ...failure,
      code: this.#redaction.text(code, row),
      message: this.#redaction.text(message, row),
      ...(remote !== undefined && { remote: this.#redaction.text(remote, row) }),
      ...(certificate && { certificate: this.#certificate(certificate, row) }),
    };
  }

  /** It names hosts and organizations, which the user may have a pattern for. */
  #certificate(certificate: Certificate, row: number): Certificate {
    const { subject, issuer, altNames } = certificate;
    return {
      ...certificate,
      subject: this.#redaction.text(subject, row),
      issuer: this.#redaction.text(issuer, row),
      ...(altNames !== undefined && { altNames: this.#redaction.text(altNames, row) }),
    };
  }

  #begin(record: RecordOf<'unit' | 'http-body' | 'stderr' | 'sse'>, row: number | null): Written {
    const also = this.#redaction.isOn ? [...this.#redaction.keyLines.of(record.seq), ...inBody(record)] : [];
    const unit = new UnitRedaction(this.#redaction, isJsonUnit(this.#index, row, record), row ?? 0, also);
    if (record.more) this.#growing.set(record.seq, unit);
    return replaced(record, unit.push(record, record.more === true));
  }

  #goOn(record: RecordOf<'chunk'>, row: number): Written {
    const unit = this.#growing.get(record.of) ?? new UnitRedaction(this.#redaction, false, row);
    if (!record.more) this.#growing.delete(record.of);
    return replaced(record, unit.push(record, record.more === true));
  }

  #change(change: ProcessChange, row: number): ProcessChange {
    const text = (one: string) => this.#redaction.text(one, row);
    switch (change.what) {
      case 'spawn':
        return {
          ...change,
          command: text(change.command),
          ...(change.file !== undefined && { file: text(change.file) }),
          args: this.#redaction.args(change.args, row),
          cwd: text(change.cwd),
          env: change.env.map(text),
        };
      case 'spawn-failed':
        return {
          ...change,
          command: text(change.command),
          args: this.#redaction.args(change.args, row),
          cwd: text(change.cwd),
          message: text(change.message),
        };
      case 'stdin-failed':
        return { ...change, message: text(change.message) };
      case 'stdout-closed':
      case 'shutdown':
      case 'exit':
        return change;
    }
  }
}

/**
 * Searches all these records with the patterns at once.
 *
 * @param redaction one that learns, so that nothing is learned twice
 */
export function prepare(
  redaction: Redaction,
  trace: { readonly index: RowIndex },
  records: readonly TraceRecord[],
): void {
  redaction.patterns.prepare(() => {
    const dry = new RecordRedaction(redaction, trace.index);
    // The pieces of a unit are joined first.
    for (const record of records) if (record.kind !== 'chunk' && !('more' in record)) dry.redact(record);
  });
}

/** Both members, so that one in the record is removed when the other is set. */
const replaced = (before: Written, { text, base64 }: Written): Written =>
  text === before.text && base64 === before.base64 ? {} : { text, base64 };

/** What is secret in a body because of its name. A longer one is found by the other rules only. */
const inBody = (record: RecordOf<'unit' | 'http-body' | 'stderr' | 'sse'>): Span[] =>
  record.kind !== 'http-body' || record.text === undefined || record.more
    ? []
    : bodySpans(record.text, record.direction === 'out');

/** Whether a whole unit is JSON and must remain so. */
function isJsonUnit({ columns }: RowIndex, row: number | null, first: Written): boolean {
  if (row === null) return looksLikeJson(first.text);
  const kind = columns.kind(row);
  if (kind === 'noise') return columns.noise(row) === 'too-large' && looksLikeJson(first.text);
  return kind === 'body' || kind === 'sse' ? looksLikeJson(first.text) : kind !== 'stderr';
}

/** Units on other channels have not been parsed. A unit in pieces is classified by its beginning. */
function looksLikeJson(text: string | undefined): boolean {
  if (text === undefined || !/^\s*[[{]/.test(text)) return false;
  return isJson(text) || text.length > MAX_JSON_CHECKED;
}

const MAX_JSON_CHECKED = 512 * 1024;

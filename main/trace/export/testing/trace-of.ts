import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportFormat, Redaction } from '#shared/contract/exports.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import { TRACE_FORMAT, TRACE_VERSION, type TraceHeader, type TraceRecord } from '#shared/trace/record.ts';
import { DurationSample } from '#trace/times.ts';
import { TraceFile } from '#trace/trace-file.ts';
import { Findings } from '#trace/findings.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import { RowIndex } from '#trace/rows/row-index.ts';
import { TraceFeed } from '#trace/trace-feed.ts';
import { parseRecord, textOf } from '#trace/view/row-reader.ts';
import { exportHandlers } from '#trace/export/handlers.ts';

/** A record whose number is given when it is added. */
export type Unnumbered = TraceRecord extends infer R
  ? R extends TraceRecord
    ? Omit<R, 'seq' | 'at'>
    : never
  : never;

export const withPatterns = (...patterns: string[]): Redaction => ({ isOn: true, patterns });
export const redacted = withPatterns();
export const asItIs: Redaction = { isOn: false, patterns: [] };

const stdio: TraceHeader['server'] = { name: 'under test', transport: 'stdio', command: 'node', args: [] };

/** A trace on disk of just these records, which no recorder has redacted. */
export class TraceOf implements ReadableTrace {
  readonly index = new RowIndex();
  readonly durations = new DurationSample();
  readonly findings = new Findings(this.index.columns);
  readonly header: TraceHeader;
  readonly file: TraceFile;
  readonly folder: string;
  readonly handlers = exportHandlers(new TraceFeed('s', this, () => {}));
  #count = 0;

  private constructor(folder: string, file: TraceFile, header: TraceHeader) {
    this.folder = folder;
    this.file = file;
    this.header = header;
  }

  static async begin(server: TraceHeader['server'] = stdio): Promise<TraceOf> {
    const folder = await mkdtemp(join(tmpdir(), 'sightglass-export-'));
    const header: TraceHeader = {
      format: TRACE_FORMAT,
      version: TRACE_VERSION,
      app: { name: 'sightglass', version: '0' },
      createdAt: new Date(0).toISOString(),
      clock: { at: 0, wall: 1_700_000_000_000 },
      server,
    };
    return new TraceOf(folder, await TraceFile.create(join(folder, 'own.mcptrace'), header), header);
  }

  /** Adds a record; returns its `seq`. */
  add(record: Unnumbered): number {
    const seq = this.#count++;
    this.addAs({ seq, at: seq * 10, ...record });
    return seq;
  }

  /** Adds a record that has its number. */
  addAs(record: TraceRecord): void {
    this.#count = Math.max(this.#count, record.seq + 1);
    const place = this.file.append(JSON.stringify(record));
    const bytes = 'size' in record && 'text' in record ? Buffer.from(textOf(record)) : bytesOf(record);
    this.index.add(record, place, bytes);
  }

  /** A message in one piece, or in pieces cut at these places. */
  message(direction: 'in' | 'out', text: string, cuts: readonly number[] = []): number {
    const channel = direction === 'in' ? 'stdout' : 'stdin';
    const parts = [...cuts, text.length].map((end, place) =>
      text.slice(place === 0 ? 0 : cuts[place - 1], end),
    );
    const more = (place: number) => (place < parts.length - 1 ? { more: true as const } : {});
    const size = (part: string) => Buffer.byteLength(part);
    const [first = ''] = parts;
    const of = this.add({ kind: 'unit', direction, channel, text: first, size: size(first), ...more(0) });
    for (const [place, part] of parts.slice(1).entries()) {
      this.add({ kind: 'chunk', of, text: part, size: size(part), ...more(place + 1) });
    }
    return of;
  }

  redacted<T>(value: T): T {
    return value;
  }

  mark(): void {
    throw new Error('nobody marks it');
  }

  /** Writes an export; returns what is in the file. */
  async export(
    format: ExportFormat,
    redaction: Redaction = redacted,
    rows: RowChoice = { of: 'all' },
  ): Promise<{ text: string; entries: number; leftOut: number; removed: number; bytes: number }> {
    const path = join(this.folder, `export-${Math.random()}.${format}`);
    const written = await this.handlers['exports/write']({ sessionId: 's', rows, format, redaction, path });
    return { ...written, text: await readFile(path, 'utf8') };
  }

  preview(format: ExportFormat, redaction: Redaction = redacted, rows: RowChoice = { of: 'all' }) {
    return this.handlers['exports/preview']({ sessionId: 's', rows, format, redaction });
  }

  async close(): Promise<void> {
    await this.file.close();
    await rm(this.folder, { recursive: true });
  }
}

/** The records of a trace file. */
export const recordsIn = (text: string): TraceRecord[] =>
  text.trimEnd().split('\n').slice(1).map(parseRecord);

function bytesOf(record: TraceRecord): Buffer {
  return 'base64' in record ? Buffer.from(record.base64 ?? '', 'base64') : Buffer.alloc(0);
}

import type { FileError } from '#shared/contract/saved-calls.ts';
import { memberText } from '#shared/json/members.ts';
import { compactJson, unquoted } from '#shared/json/tokens.ts';
import {
  PIECE_BYTES,
  type Rebuilt,
  TRACE_FORMAT,
  TRACE_VERSION,
  type TraceHeader,
  type TraceRecord,
} from '#shared/trace/record.ts';

/** The beginning of a file, by which its format is recognized. */
export interface Begin {
  /** Its first line that is not blank. */
  readonly line: string;
  /** That line as JSON; undefined if it is not JSON. */
  readonly first: unknown;
  /** The whole file as JSON; undefined if it is not JSON. */
  readonly document: unknown;
}

export interface Reading {
  readonly trace: RebuiltTrace;
  readonly server: TraceHeader['server'];
  /** What the trace does not have of this file. */
  readonly unsupported: FileError[];
}

/** Replaces secrets, as an export of a trace does. */
export interface RedactTexts {
  /** JSON texts, which stay JSON. */
  readonly json: (texts: readonly string[]) => readonly string[];
  readonly text: (text: string) => string;
}

type DistributedOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** A record without what is known only when the trace is written. */
type Draft =
  | DistributedOmit<Exclude<TraceRecord, HttpRecord>, 'seq' | 'at' | 'text' | 'size' | 'more'>
  | DistributedOmit<HttpRecord, 'seq' | 'at'>;

type HttpRecord = Extract<TraceRecord, { kind: 'http-request' | 'http-response' | 'http-end' }>;

interface Event {
  readonly record: Draft;
  /** Microseconds since the trace began. */
  readonly at: number;
  /** Null for a record without text. */
  readonly text: string | null;
  readonly isJson: boolean;
}

/** Where a message of an HTTP exchange is. */
export interface OverHttp {
  readonly exchange: number;
  readonly channel: 'http' | 'sse';
}

/** Requests that a client sends by itself. */
const automatic: ReadonlySet<string> = new Set(['initialize', 'notifications/initialized', 'ping']);

/** Collects what another tool kept of a session, and writes it as a trace. */
export class RebuiltTrace {
  /** When it begins, in milliseconds since the Unix epoch; 0 if that is not known. */
  readonly #wall: number;
  readonly #end: string;
  readonly #events: Event[] = [];
  messages = 0;
  #at = 0;
  #phase: 'connecting' | 'initializing' | 'ready' = 'connecting';

  /** @param end why the trace ends */
  constructor(startedAt: number | null, end: string) {
    this.#wall = startedAt !== null && Math.abs(startedAt) <= LAST_DATE ? startedAt : 0;
    this.#end = end;
    this.#add({ kind: 'phase', phase: 'connecting' });
  }

  /** The clock goes to this time, in milliseconds since the Unix epoch; it never goes back. */
  goTo(wall: number | null): void {
    if (wall === null || !Number.isFinite(wall)) return;
    const passed = Math.min(wall - this.#wall, MAX_DURATION);
    this.#at = Math.max(this.#at, Math.round(passed * 1000));
  }

  /** @param milliseconds such as from a request to its response */
  pass(milliseconds: number): void {
    this.#at += Math.round(Math.max(0, Math.min(milliseconds, MAX_LATENCY)) * 1000);
  }

  /** @param json null for none */
  message(direction: 'in' | 'out', json: string | null, over?: OverHttp): void {
    if (json === null || json === 'null') return;
    const method = direction === 'out' ? methodOf(json) : '';
    if (method === 'initialize') this.#enter('initializing');
    else if (direction === 'out' && this.#phase === 'connecting') this.#enter('ready');
    this.messages++;
    const origin =
      direction === 'in' ? {} : ({ origin: automatic.has(method) ? 'automatic' : 'user' } as const);
    this.#add({ ...place(direction, over), ...origin }, compactJson(json) ?? json, true);
    if (method === 'notifications/initialized') this.#enter('ready');
  }

  /** A line that is no message. */
  noise(direction: 'in' | 'out', text: string): void {
    this.#add(place(direction), text);
  }

  stderr(text: string): void {
    this.#add({ kind: 'stderr' }, text);
  }

  http(record: DistributedOmit<HttpRecord, 'seq' | 'at'>): void {
    this.#add(record);
  }

  /** The text of the trace file. */
  write(
    header: {
      readonly appVersion: string;
      readonly server: TraceHeader['server'];
      readonly rebuilt: Rebuilt;
    },
    redact: RedactTexts,
  ): string {
    this.#add({ kind: 'phase', phase: 'closed', reason: this.#end });
    const first = {
      format: TRACE_FORMAT,
      version: TRACE_VERSION,
      app: { name: 'sightglass', version: header.appVersion },
      createdAt: new Date(this.#wall).toISOString(),
      rebuilt: header.rebuilt,
      clock: { at: 0, wall: this.#wall },
      server: header.server,
    } satisfies TraceHeader;
    const lines = [JSON.stringify(first)];
    const add = (at: number, record: object) =>
      lines.push(JSON.stringify({ seq: lines.length - 1, at, ...record }));
    const json = redact.json(
      this.#events.flatMap(({ isJson, text }) => (isJson && text !== null ? [text] : [])),
    );
    let place = 0;
    for (const { record, at, text, isJson } of this.#events) {
      if (text === null) {
        add(at, record);
        continue;
      }
      const pieces = piecesOf(isJson ? (json[place++] ?? '') : redact.text(text));
      const of = lines.length - 1;
      for (const [index, piece] of pieces.entries()) {
        const bytes = {
          text: piece,
          size: Buffer.byteLength(piece),
          ...(index < pieces.length - 1 && { more: true as const }),
        };
        add(at, index > 0 ? { kind: 'chunk', of, ...bytes } : { ...record, ...bytes });
      }
    }
    return `${lines.join('\n')}\n`;
  }

  #enter(phase: 'initializing' | 'ready'): void {
    this.#phase = phase;
    this.#add({ kind: 'phase', phase });
  }

  #add(record: Draft, text: string | null = null, isJson = false): void {
    this.#events.push({ record, at: this.#at++, text, isJson });
  }
}

const place = (direction: 'in' | 'out', over?: OverHttp) =>
  ({
    kind: 'unit',
    direction,
    ...(over ?? { channel: direction === 'out' ? 'stdin' : 'stdout' }),
  }) as const;

/** A value of a file as text; empty for a missing one. */
export const textOfValue = (value: unknown): string =>
  typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value);

/** The method of a message; empty for a response and a batch. */
export function methodOf(json: string): string {
  const written = memberText(json, ['method']);
  return written?.startsWith('"') === true ? unquoted(written) : '';
}

/** The last time that a date can have, in milliseconds since the Unix epoch (ECMA-262 21.4.1.1). */
const LAST_DATE = 8.64e15;

/** Milliseconds of the longest wait for a response, a day, and of the longest trace, a hundred years. */
const MAX_LATENCY = 24 * 3_600_000;
const MAX_DURATION = 36_500 * MAX_LATENCY;

/** A text in pieces that are no longer than those of a trace, without a cut inside a character. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length || pieces.length === 0; ) {
    let end = Math.min(text.length, from + PIECE_BYTES / 4);
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end--;
    pieces.push(text.slice(from, end));
    from = end;
  }
  return pieces;
}

import type { Outcome } from '#session/rpc/request.ts';
import { envelopeDefects, isObject } from '#shared/protocol/jsonrpc.ts';
import { listMethods } from '#shared/contract/catalog.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import { readText } from '#trace/units/read-unit.ts';
import { readMessageText } from '#trace/view/row-reader.ts';

/** Requests of ours that the panes show, or that say how the session was set up. */
const shownMethods: ReadonlySet<string> = new Set([
  'initialize',
  'server/discover',
  'logging/setLevel',
  'tools/call',
  'resources/read',
  'prompts/get',
  'tasks/result',
  ...Object.values(listMethods),
]);

/** The requests that we sent in a recorded session, and how each ended. */
export class RecordedRequests {
  readonly trace: ReadableTrace;
  /** Rows of phases, of changes of the process, and of client switches, in order. */
  readonly phases: number[] = [];
  readonly processes: number[] = [];
  readonly switches: number[] = [];
  /** Row of the first request of ours. */
  first: number | null = null;
  readonly #byMethod = new Map<string, number[]>();
  /** Rows before this one were scanned. */
  #scanned = 0;

  constructor(trace: ReadableTrace) {
    this.trace = trace;
  }

  /** Finds the rows that were added to the trace. */
  scan(): void {
    const { columns } = this.trace.index;
    for (; this.#scanned < columns.count; this.#scanned++) {
      const row = this.#scanned;
      switch (columns.kind(row)) {
        case 'phase':
          this.phases.push(row);
          break;
        case 'process':
          this.processes.push(row);
          break;
        case 'switches':
          this.switches.push(row);
          break;
        case 'request':
          if (columns.direction(row) === 'out') this.#addRequest(row);
          break;
        default:
      }
    }
  }

  /** The rows of our requests of a method, in order. */
  rows(method: string): readonly number[] {
    return this.#byMethod.get(method) ?? [];
  }

  /** The `params` of a request, and the text of its message. */
  async params(row: number): Promise<{ readonly params: unknown; readonly text: string }> {
    const text = await readMessageText(this.trace, row);
    const parsed: unknown = JSON.parse(text);
    return { params: isObject(parsed) ? parsed.params : undefined, text };
  }

  /** How a request ended. */
  async outcome(row: number): Promise<Outcome> {
    const { columns } = this.trace.index;
    const answer = columns.pair(row);
    if (answer === null) {
      const isCancelled = columns.status(row) === 'cancelled';
      return isCancelled ? { type: 'cancelled' } : { type: 'closed', reason: NO_RESPONSE };
    }
    const text = await readMessageText(this.trace, answer);
    const reading = readText(text);
    const envelope = reading.type === 'messages' ? reading.envelopes[0] : undefined;
    if (envelope === undefined) return { type: 'closed', reason: UNREADABLE };
    const recorded = {
      row: answer,
      at: columns.at(answer),
      direction: 'in' as const,
      exchange: null,
      size: columns.size(answer),
      envelope,
      pair: row,
      status: columns.status(answer),
      duration: columns.duration(answer),
      bytes: Buffer.from(text),
      position: 0,
    };
    if ('defect' in envelope) {
      return { type: 'invalid', reason: envelopeDefects[envelope.defect], recorded };
    }
    const { message } = envelope;
    if (message.type === 'result') return { type: 'result', result: message.result, recorded };
    if (message.type === 'error') return { type: 'error', error: message.error, recorded };
    return { type: 'closed', reason: UNREADABLE };
  }

  #addRequest(row: number): void {
    this.first ??= row;
    const method = this.trace.index.columns.method(row);
    if (method === null || !shownMethods.has(method)) return;
    const rows = this.#byMethod.get(method);
    if (rows === undefined) this.#byMethod.set(method, [row]);
    else rows.push(row);
  }
}

const NO_RESPONSE = 'The recording holds no response.';
const UNREADABLE = 'The response is too large to be read here; the trace holds it.';

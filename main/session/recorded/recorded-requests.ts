import type { Outcome } from '#session/rpc/request.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { memberText } from '#shared/json/members.ts';
import { type Envelope, envelopeDefects } from '#shared/protocol/jsonrpc.ts';
import { listMethods } from '#shared/contract/catalog.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import { readDamagedAnswer } from '#trace/units/damaged-answer.ts';
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
  ...Object.values(listMethods),
]);

/** Messages about tasks, and requests of the server that we may answer with a task (MCP 2025-11-25 tasks). */
const taskMethods: ReadonlySet<string> = new Set([
  'tasks/get',
  'tasks/result',
  'tasks/list',
  'tasks/cancel',
  'notifications/tasks/status',
  'notifications/tasks',
]);
const mayBeOwnTasks: ReadonlySet<string> = new Set(['sampling/createMessage', 'elicitation/create']);

/** The requests that we sent in a recorded session, and how each ended. */
export class RecordedRequests {
  readonly trace: ReadableTrace;
  /** Rows of phases, of changes of the process, and of client switches, and of steps of authorization, in order. */
  readonly phases: number[] = [];
  readonly processes: number[] = [];
  readonly switches: number[] = [];
  readonly authorizations: number[] = [];
  /** Rows of requests and notifications about tasks, of both sides, and of requests of the server that may be tasks. */
  readonly definitions: number[] = [];
  readonly tasks: number[] = [];
  readonly mayBeOwnTasks: number[] = [];
  /** Rows of requests of the server, and of its notifications that an address was visited, in order. */
  readonly incoming: number[] = [];
  readonly completions: number[] = [];
  /** Row of the first request of ours. */
  first: number | null = null;
  readonly #byMethod = new Map<string, number[]>();
  /** The further rounds of calls, by the row of their first request. */
  readonly #furtherRounds = new Map<number, number[]>();
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
        case 'definitions':
          this.definitions.push(row);
          break;
        case 'authorization':
          this.authorizations.push(row);
          break;
        case 'request':
          if (columns.direction(row) === 'out') this.#addRequest(row);
          else {
            this.incoming.push(row);
            if (mayBeOwnTasks.has(columns.method(row) ?? '')) this.mayBeOwnTasks.push(row);
          }
          if (taskMethods.has(columns.method(row) ?? '')) this.tasks.push(row);
          break;
        case 'notification':
          if (taskMethods.has(columns.method(row) ?? '')) this.tasks.push(row);
          if (columns.method(row) === 'notifications/elicitation/complete') this.completions.push(row);
          break;
        default:
      }
    }
  }

  /** The rows of our requests of a method, in order. */
  rows(method: string): readonly number[] {
    return this.#byMethod.get(method) ?? [];
  }

  /** The first request of the call that a request of ours belongs to, which may have several rounds; itself if it is that. */
  firstRound(row: number): number {
    const { columns } = this.trace.index;
    const parent = columns.parent(row);
    const isRound =
      parent !== null && columns.kind(parent) === 'request' && columns.direction(parent) === 'out';
    return isRound && columns.method(parent) === columns.method(row) ? parent : row;
  }

  /** All requests of the call that begins in a row, in order (MCP 2026-07-28 multi-round-trip requests). */
  rounds(first: number): readonly number[] {
    return [first, ...(this.#furtherRounds.get(first) ?? [])];
  }

  /** The time of day of a row, in milliseconds since the Unix epoch. */
  readonly wallAt = (row: number): number => {
    const { clock } = this.trace.header;
    return clock.wall + (this.trace.index.columns.at(row) - clock.at) / 1000;
  };

  /** The `params` of a request, and the text of its message. */
  async params(row: number): Promise<{ readonly params: unknown; readonly text: string }> {
    const text = await readMessageText(this.trace, row);
    // A message that the user composed may begin with a byte order mark, which JSON.parse does not accept.
    const params = memberText(text, ['params']);
    return { params: params === null ? undefined : (JSON.parse(params) as unknown), text };
  }

  /** How a request ended. */
  async outcome(row: number): Promise<Outcome> {
    const { columns } = this.trace.index;
    const answer = columns.pair(row);
    if (answer === null) {
      const isCancelled = columns.status(row) === 'cancelled';
      return isCancelled ? { type: 'cancelled' } : { type: 'closed', reason: NO_RESPONSE };
    }
    const recorded = await this.message(answer, row);
    if (recorded === null) return { type: 'closed', reason: UNREADABLE };
    const { envelope } = recorded;
    if ('defect' in envelope) {
      return { type: 'invalid', reason: envelope.why ?? envelopeDefects[envelope.defect], recorded };
    }
    const { message } = envelope;
    if (message.type === 'result') return { type: 'result', result: message.result, recorded };
    if (message.type === 'error') return { type: 'error', error: message.error, recorded };
    return { type: 'closed', reason: UNREADABLE };
  }

  /** The message in a row; null if it cannot be read. @param pair row of the request it responds to */
  async message(row: number, pair: number | null): Promise<RecordedMessage | null> {
    const { columns } = this.trace.index;
    const text = await readMessageText(this.trace, row);
    const kind = columns.kind(row);
    const envelope = kind === 'noise' || kind === 'sse' ? unreadable(text) : envelopeIn(text);
    if (envelope === undefined) return null;
    return {
      row,
      at: columns.at(row),
      direction: columns.direction(row) ?? 'in',
      exchange: null,
      size: columns.size(row),
      envelope,
      pair,
      status: columns.status(row),
      duration: columns.duration(row),
      unit: { text },
      position: 0,
    };
  }

  #addRequest(row: number): void {
    this.first ??= row;
    const method = this.trace.index.columns.method(row);
    if (method === null || !shownMethods.has(method)) return;
    const rows = this.#byMethod.get(method);
    if (rows === undefined) this.#byMethod.set(method, [row]);
    else rows.push(row);
    const first = this.firstRound(row);
    if (first === row) return;
    const further = this.#furtherRounds.get(first);
    if (further === undefined) this.#furtherRounds.set(first, [row]);
    else further.push(row);
  }
}

function envelopeIn(text: string): Envelope | undefined {
  const reading = readText(text);
  return reading.type === 'messages' ? reading.envelopes[0] : undefined;
}

/** A response that was tied to its request although it is no message. */
function unreadable(text: string): Envelope {
  const why = readDamagedAnswer(text)?.why;
  const salvage = { id: null, method: null, asks: false };
  return { defect: 'unreadable', salvage, ...(why !== undefined && { why }) };
}

const NO_RESPONSE = 'The recording holds no response.';
const UNREADABLE = 'The response is too large to be read here; the trace holds it.';

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { listMethods } from '#shared/contract/catalog.ts';
import { MAX_TRACED_CALLS, type TracedCall } from '#shared/contract/trace.ts';
import { memberText, withoutMember } from '#shared/json/members.ts';
import { compactJson } from '#shared/json/tokens.ts';
import { LISTEN } from '#shared/protocol/methods.ts';
import type { Era } from '#shared/protocol/revisions.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { CallReader } from '#trace/view/call-reader.ts';
import { readMessageText, readMessageTexts } from '#trace/view/row-reader.ts';

/** Something that the server did in a recording, after a message of the client. */
export interface Step {
  /**
   * `send`: a notification. `ask`: a request to the client. `await`: the client answered the request `row`, so that what follows may
   * depend on the answer. `respond`: the response to a request of the client.
   */
  readonly kind: 'send' | 'ask' | 'await' | 'respond';
  /** The message of the server. */
  readonly row: number;
  /** Of `await`: the response of the client. */
  readonly answerRow: number | null;
  /** Microseconds of the trace. */
  readonly at: number;
  /** The `subscriptions/listen` request on whose stream it came; null for any other message. */
  readonly listen: RecordedRequest | null;
}

/** What the server did after a message of the client, in order. */
interface Reaction {
  readonly recording: Recording;
  readonly row: number;
  readonly at: number;
  readonly method: string;
  readonly steps: Step[];
}

/** A request of the client in a recording. */
export interface RecordedRequest extends Reaction {
  readonly target: string | null;
  /** JSON text without `_meta`. */
  readonly params: string | null;
  /** Equal for equal requests: method and params, without the answers to what a result asked for. */
  readonly key: string;
  /** Equal for equal responses. */
  readonly answer: string;
  /** The number of entries of the recording's history before it. */
  readonly before: number;
  /** Whether it sends the answers to what an earlier result asked for (MCP 2026-07-28 patterns/mrtr). */
  readonly isContinuation: boolean;
  readonly hasResponse: boolean;
  /** Of the HTTP response; null on stdio. */
  readonly status: number | null;
  /** Whether the response came as an event stream. */
  readonly isStream: boolean;
}

/** A notification of the client in a recording. */
export interface RecordedNotification extends Reaction {
  readonly key: string;
}

/** Bytes of messages that are kept in memory; those of a larger trace are read when they are sent. */
const MAX_KEPT = 64 * 1024 * 1024;

/** Requests that have no effect, so they are answered as often as a client sends them. */
const repeatableMethods: ReadonlySet<string> = new Set([
  'initialize',
  'server/discover',
  'ping',
  'logging/setLevel',
  'tasks/get',
  'tasks/list',
  LISTEN,
  ...Object.values(listMethods),
]);

export const isRepeatable = (method: string): boolean => repeatableMethods.has(method);

/**
 * The session of a trace, in the order of cause and effect: each message of the client with what the server did after it. A message
 * of the server belongs to the request that it names (progress), whose stream carried it, or that was the last one pending; otherwise
 * to the last message of the client.
 */
export class Recording {
  readonly name: string;
  readonly era: Era;
  /** The path of the URL that was recorded; null on stdio. */
  readonly path: string | null;
  readonly requests: RecordedRequest[] = [];
  readonly notifications: RecordedNotification[] = [];
  /** What the server sent before the client sent anything. */
  readonly opening: Step[] = [];
  /** Keys of the requests with an effect, and of the client's answers, in their order. */
  readonly history: string[] = [];
  readonly #trace: ReadableTrace;
  readonly #texts = new Map<number, string>();

  private constructor(trace: ReadableTrace, name: string, era: Era) {
    this.#trace = trace;
    this.name = name;
    this.era = era;
    const { server } = trace.header;
    this.path = server.transport === 'http' ? pathOf(server.url) : null;
  }

  /** Derives it from a trace of which all rows are read. @param path of the file */
  static async of(trace: ReadableTrace, path: string): Promise<Recording> {
    const reader = new CallReader(trace);
    const calls: TracedCall[] = [];
    for (let from: number | null = 0; from !== null; ) {
      const page = await reader.read(from, MAX_TRACED_CALLS, 'every');
      calls.push(...page.calls);
      from = page.next;
    }
    const recording = new Recording(trace, basename(path), eraIn(calls));
    await recording.#keepTexts();
    await new Derivation(recording, trace.index.columns, calls).run();
    return recording;
  }

  /** The message of a row as it was written. */
  async text(row: number): Promise<string> {
    return this.#texts.get(row) ?? readMessageText(this.#trace, row);
  }

  async #keepTexts(): Promise<void> {
    const { columns } = this.#trace.index;
    const rows: number[] = [];
    let bytes = 0;
    for (let row = 0; row < columns.count && bytes < MAX_KEPT; row++) {
      if (!isMessage(columns, row)) continue;
      rows.push(row);
      bytes += columns.size(row);
    }
    for (const [row, text] of await readMessageTexts(this.#trace, rows)) this.#texts.set(row, text);
  }
}

/** Walks through the rows of a trace and orders them by cause and effect. */
class Derivation {
  readonly #recording: Recording;
  readonly #columns: RowColumns;
  readonly #calls: ReadonlyMap<number, TracedCall>;
  readonly #requests = new Map<number, RecordedRequest>();
  /** Requests of the client that wait for their response, in the order they were sent; without listen requests. */
  readonly #pending = new Set<RecordedRequest>();
  /** The steps that each request of the server is one of. */
  readonly #asked = new Map<number, Step[]>();
  /** Listen requests by their id as JSON text. */
  readonly #listens = new Map<string, RecordedRequest>();
  /** The steps after the latest message of the client. */
  #latest: Step[];

  constructor(recording: Recording, columns: RowColumns, calls: readonly TracedCall[]) {
    this.#recording = recording;
    this.#columns = columns;
    this.#calls = new Map(calls.map((call) => [call.row, call]));
    this.#latest = recording.opening;
  }

  async run(): Promise<void> {
    for (let row = 0; row < this.#columns.count; row++) {
      if (!isMessage(this.#columns, row)) continue;
      if (this.#columns.direction(row) === 'out') await this.#sent(row);
      else await this.#received(row);
    }
  }

  async #sent(row: number): Promise<void> {
    const columns = this.#columns;
    const kind = columns.kind(row);
    if (kind === 'request') return this.#request(row);
    if (kind === 'notification') {
      const method = columns.method(row) ?? '';
      const params = memberText(await this.#recording.text(row), ['params']);
      const steps: Step[] = [];
      const { key } = askedOf(method, params);
      const reaction = { recording: this.#recording, row, at: columns.at(row), method, steps, key };
      this.#recording.notifications.push(reaction);
      this.#latest = steps;
      return;
    }
    const asking = columns.pair(row);
    const steps = asking === null ? undefined : this.#asked.get(asking);
    if (asking === null || steps === undefined) return;
    steps.push({ kind: 'await', row: asking, answerRow: row, at: columns.at(row), listen: null });
    this.#recording.history.push(answerKey(columns.method(asking) ?? '', await this.#recording.text(row)));
    this.#latest = steps;
  }

  async #request(row: number): Promise<void> {
    const call = this.#calls.get(row);
    if (call === undefined) return;
    const columns = this.#columns;
    const exchange = columns.exchangeRow(row);
    const { history } = this.#recording;
    const request: RecordedRequest = {
      recording: this.#recording,
      row,
      at: call.at,
      steps: [],
      target: call.target,
      ...askedOf(call.method, call.params),
      answer: digest(`${call.outcome} ${call.isTooLarge ? String(call.responseRow) : (call.response ?? '')}`),
      before: history.length,
      hasResponse: call.responseRow !== null,
      status: exchange === null ? null : columns.code(exchange),
      isStream: exchange !== null && columns.responseMode(exchange) === 'sse',
    };
    this.#recording.requests.push(request);
    this.#requests.set(row, request);
    if (!isRepeatable(call.method)) history.push(request.key);
    if (call.method === LISTEN) {
      const id = memberText(await this.#recording.text(row), ['id']);
      if (id !== null) this.#listens.set(id, request);
    } else this.#pending.add(request);
    this.#latest = request.steps;
  }

  async #received(row: number): Promise<void> {
    const columns = this.#columns;
    const kind = columns.kind(row);
    const at = columns.at(row);
    const pair = kind === 'request' || kind === 'notification' ? null : columns.pair(row);
    const answered = pair === null ? undefined : this.#requests.get(pair);
    if (answered !== undefined) {
      this.#pending.delete(answered);
      const listen = answered.method === LISTEN ? answered : null;
      const steps = listen === null ? answered.steps : this.#cause(row);
      steps.push({ kind: 'respond', row, answerRow: null, at, listen });
      if (listen === null) this.#latest = steps;
      return;
    }
    if (kind !== 'request' && kind !== 'notification') return;
    const listen = this.#listens.size === 0 ? null : await this.#listenOf(row);
    const steps = this.#cause(row);
    steps.push({ kind: kind === 'request' ? 'ask' : 'send', row, answerRow: null, at, listen });
    if (kind === 'request') this.#asked.set(row, steps);
  }

  async #listenOf(row: number): Promise<RecordedRequest | null> {
    const id = memberText(await this.#recording.text(row), ['params', ...subscriptionPath]);
    return (id === null ? undefined : this.#listens.get(id)) ?? null;
  }

  /** The steps of the message of the client that a message of the server follows. */
  #cause(row: number): Step[] {
    const columns = this.#columns;
    const parent = columns.parent(row);
    const call = parent === null ? undefined : this.#requests.get(parent);
    if (call !== undefined && call.method !== LISTEN) return call.steps;
    const pending = [...this.#pending];
    const exchange = columns.exchangeRow(row);
    const carried = pending.findLast((one) => exchange !== null && columns.exchangeRow(one.row) === exchange);
    return carried?.steps ?? pending.at(-1)?.steps ?? this.#latest;
  }
}

/** Where a message names the listen request on whose stream it is sent (MCP 2026-07-28 basic/utilities/subscriptions). */
export const subscriptionPath = ['_meta', 'io.modelcontextprotocol/subscriptionId'] as const;

/** What a request asks for. @param params JSON text */
export function askedOf(method: string, params: string | null) {
  const own = params === null ? null : withoutMember(params, '_meta');
  const asked = own === null ? null : withoutMember(own, 'inputResponses');
  const members = memberText(asked ?? '{}', ['arguments']);
  // Clients differ in whether they send arguments that are empty.
  const isBare = members !== null && /^\{\s*\}$/.test(members);
  const known = isBare ? withoutMember(asked ?? '{}', 'arguments') : (asked ?? '{}');
  return {
    method,
    params: own,
    key: `${method} ${compactJson(known, { sortsKeys: true }) ?? '{}'}`,
    isContinuation: asked !== own,
  };
}

/** The entry of the history for an answer of the client. @param response JSON text of the message */
export function answerKey(method: string, response: string): string {
  const result = memberText(response, ['result']) ?? memberText(response, ['error']) ?? '{}';
  return `answer ${method} ${compactJson(result, { sortsKeys: true }) ?? '{}'}`;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64');

const isMessage = (columns: RowColumns, row: number): boolean =>
  ['request', 'notification', 'result', 'error'].includes(columns.kind(row));

/** The era of a session: legacy if there was a handshake, or no response at all. */
const eraIn = (calls: readonly TracedCall[]): Era =>
  calls.some(({ method, outcome }) => method === 'initialize' && outcome === 'ok') ||
  calls.every(({ outcome }) => outcome === 'none')
    ? 'legacy'
    : 'modern';

function pathOf(url: string): string | null {
  try {
    return new URL(url).pathname;
  } catch {
    return null;
  }
}

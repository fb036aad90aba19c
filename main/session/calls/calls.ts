import { type Call, MAX_INLINE_RESULT, type Progress, type Validation } from '#shared/contract/calls.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { PayloadOnRead } from '#shared/contract/index.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import { ShortLivedMap } from '#shared/short-lived-map.ts';
import type { Outcome } from '#session/rpc/request.ts';
import type { RequestOptions } from '#session/rpc/peer.ts';
import type { RequestChoices } from '#session/session-state.ts';
import { Throttle, withResolvers } from '#transports/async.ts';
import { memberText } from '#shared/json/members.ts';
import { messageTextOf } from '#trace/units/read-unit.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { readServerEnd } from '#trace/view/server-end.ts';
import { callEnd } from './call-outcome.ts';
import {
  type ParamsOptions,
  requestParams,
  toolParams,
  Conversation,
  type ConversationContext,
  askUrls,
} from './conversation.ts';

/** Limit of characters in one response of `calls/result`; the trace has the whole result. */
const MAX_RESULT_LENGTH = 16 * 1024 * 1024;

/** Limit of ended calls to keep; older ones are in the trace only. */
const MAX_ENDED = 1000;

/** Limit of inbox entries that a call names. */
const MAX_NAMED = 100;

/** Progress notifications that the page gets one by one; after that the events are throttled. */
const MAX_UNTHROTTLED = 100;
/** Milliseconds between two events of a call's progress after that. */
const NOTICE_EVERY = 50;

export type CallOptions = RequestChoices & ParamsOptions;

type CallView = Omit<Call, 'arguments' | 'result'>;

/** A call and what is needed to report it. The response is not kept: it may be large, and the trace has it. */
interface KnownCall {
  /** All but the arguments and the result, which are not redacted with it. */
  view: CallView;
  /** The arguments or params as the user wrote them. */
  readonly args: string;
  /** Cancels the call; null once it has ended, because it would keep the response in memory. */
  running: { cancel(reason: string | undefined): void } | null;
  /** Reports what comes in numbers, such as progress; null until that comes. */
  notice: Throttle | null;
  /** Resolves when the call has ended. */
  ended: Promise<void>;
  /** Where the result is in the trace; null if there is none. */
  result: { readonly row: number; readonly path: readonly string[] } | null;
}

/** Validates a call against the schemas of its tool; null if there is no schema. */
export interface CallValidator {
  ofArguments(tool: string, args: string): Validation | null;
  ofOutput(tool: string, result: unknown): Validation | null;
}

export interface CallsOptions extends ConversationContext {
  readonly validator: CallValidator;
  readonly onChange: (call: PayloadOnRead<Redacted<Call>>) => void;
}

/** The method of a call, and its arguments. */
interface Called {
  readonly method: string;
  readonly tool: string | null;
  /** The arguments or params as the user wrote them. */
  readonly args: string;
  /** The params as they are sent. */
  readonly params: string | null;
}

/** The calls of one session, in order: of tools, and of any other method that was started as a call. */
export class Calls {
  readonly #options: CallsOptions;
  readonly #calls = new ShortLivedMap<string, KnownCall>();
  #count = 0;
  /** Ids of the newest ended calls, in the order in which they ended from `#oldestEnded` on, then from the start. */
  readonly #ended: string[] = [];
  #oldestEnded = 0;
  /** Calls by the rows of their requests. */
  readonly #byRow = new Map<number, string>();

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  list(): Redacted<Call>[] {
    return [...this.#calls.values()].map((call) => this.#redacted(call));
  }

  /** The id of the call that the request of this row belongs to; null if there is none, or it was forgotten. */
  ofRow(requestRow: number): string | null {
    return this.#byRow.get(requestRow) ?? null;
  }

  /** The call that the request of this row belongs to; null if there is none, or it was forgotten. */
  atRow(requestRow: number): Redacted<Call> | null {
    const id = this.#byRow.get(requestRow);
    const call = id === undefined ? undefined : this.#calls.get(id);
    return call === undefined ? null : this.#redacted(call);
  }

  /**
   * Calls a tool. The arguments are sent as written, on one line.
   *
   * @param args JSON text of an object
   * @throws FaultError if the arguments are not a JSON object
   */
  startTool(tool: string, args: string, options: CallOptions): Redacted<Call> {
    const params = toolParams(tool, args, options);
    return this.#redacted(this.#start({ method: 'tools/call', tool, args, params }, options));
  }

  /** Sends a request of any method. @throws FaultError if the params are not a JSON object */
  startRequest(method: string, params: string | null, options: CallOptions): Redacted<Call> {
    return this.#redacted(this.#startRequest(method, params, options));
  }

  /** Sends a request of any method, and resolves once it has ended. @throws FaultError if the params are not a JSON object */
  async runRequest(method: string, params: string | null, options: CallOptions): Promise<Redacted<Call>> {
    const call = this.#startRequest(method, params, options);
    await call.ended;
    return this.#redacted(call);
  }

  #startRequest(method: string, params: string | null, options: CallOptions): KnownCall {
    const sent = requestParams(params, options);
    return this.#start({ method, tool: null, args: params ?? '{}', params: sent }, options);
  }

  #start(called: Called, callOptions: CallOptions): KnownCall {
    const { tool, args } = called;
    const { state, validator } = this.#options;
    // Validated before it is sent: validation is slow, and would delay the timestamp of the response.
    const argumentsValidation = tool === null ? null : validator.ofArguments(tool, args);
    const id = `call-${++this.#count}`;
    const call = knownCall(viewOf(id, state.id, called, argumentsValidation), args);
    this.#calls.set(id, call);
    if (state.isReady) this.#send(call, called, callOptions);
    else void this.#sendWhenReady(call, called, callOptions);
    this.#report(call);
    return call;
  }

  /** Sends a call once the session is ready. Its timeouts start only then. */
  async #sendWhenReady(call: KnownCall, called: Called, callOptions: CallOptions): Promise<void> {
    const waiting = new AbortController();
    call.running = { cancel: () => waiting.abort() };
    const { promise, resolve } = withResolvers<void>();
    call.ended = promise;
    const fault = await this.#options.state.untilReady(waiting.signal);
    if (waiting.signal.aborted || fault !== null) {
      call.running = null;
      this.#noteEnded(call.view.id);
      this.#update(call, fault === null ? { state: 'cancelled' } : { state: 'lost', fault });
    } else {
      this.#send(call, called, callOptions);
      this.#update(call, {});
      await call.ended;
    }
    resolve();
  }

  #send(call: KnownCall, { method, params }: Called, callOptions: CallOptions): void {
    const { state } = this.#options;
    const options: RequestOptions = {
      ...state.requestOptions('user', callOptions),
      onProgress: (note) => {
        const count = (call.view.progress?.count ?? 0) + 1;
        call.view = { ...call.view, progress: { ...note, count } satisfies Progress };
        if (count <= MAX_UNTHROTTLED) this.#noticeOf(call).run();
        else this.#noticeOf(call).request();
      },
    };
    const conversation = new Conversation(this.#options, {
      request: { method, params, options },
      callId: call.view.id,
      watcher: {
        onFurtherRequest: (request) => {
          this.#byRow.set(request.row, call.view.id);
          const { id, row } = request;
          this.#update(call, {
            requestId: id,
            rounds: [...call.view.rounds, { requestId: id, requestRow: row, responseRow: null }],
          });
        },
        onIntermediateResponse: (recorded) =>
          this.#update(call, { rounds: withResponse(call.view.rounds, recorded.row) }),
        onTask: (taskId) => this.#update(call, { taskId }),
      },
    });
    const { id, row } = conversation.first;
    call.view = {
      ...call.view,
      state: 'running',
      startedAt: Date.now(),
      requestId: id,
      requestRow: row,
      rounds: [{ requestId: id, requestRow: row, responseRow: null }],
    };
    call.running = conversation;
    this.#byRow.set(row, call.view.id);
    call.ended = conversation.outcome.then((outcome) => this.#finish(call, outcome));
  }

  /** Updates the list of inbox entries that a call waits for. */
  noteQuestion({ id, callId: ofCall, by, state }: InboxEntry): void {
    const call = ofCall === null ? undefined : this.#calls.get(ofCall);
    // A call that was answered with error -32042, which names URLs to visit, has ended and does not wait.
    if (call === undefined || by === 'error') return;
    const { inboxEntryIds } = call.view;
    const isNoted = inboxEntryIds.includes(id);
    if (state === 'waiting' && !isNoted && inboxEntryIds.length < MAX_NAMED) {
      call.view = { ...call.view, inboxEntryIds: [...inboxEntryIds, id] };
    } else if (state !== 'waiting' && isNoted) {
      call.view = { ...call.view, inboxEntryIds: inboxEntryIds.filter((one) => one !== id) };
    } else return;
    this.#noticeOf(call).request();
  }

  /** Resolves with a call once it has ended. */
  async ended(callId: string): Promise<Redacted<Call>> {
    const call = this.#get(callId);
    await call.ended;
    return this.#redacted(call);
  }

  /** Cancels a call that waits or runs; does nothing if it has ended. */
  cancel(callId: string, reason: string | undefined): void {
    this.#get(callId).running?.cancel(reason);
  }

  /** The `result` of the response as written but for secrets, from a character offset on; null if there is none. */
  async result(callId: string, from: number): Promise<{ text: string | null; truncated: boolean }> {
    const { result } = this.#get(callId);
    const text =
      result === null ? null : memberText(await this.#options.state.recordedText(result.row), result.path);
    if (text === null) return { text: null, truncated: false };
    const end = from + MAX_RESULT_LENGTH;
    return { text: text.slice(from, end), truncated: text.length > end };
  }

  #get(callId: string): KnownCall {
    const call = this.#calls.get(callId);
    if (call === undefined)
      throw new FaultError({ code: 'no-such-call', what: `There is no call ${callId}.` });
    return call;
  }

  async #finish(call: KnownCall, outcome: Outcome): Promise<void> {
    const { method, tool, rounds } = call.view;
    call.running = null;
    this.#noteEnded(call.view.id);
    if (outcome.type === 'closed') {
      // Without what the server printed, what is known says enough.
      const end = await readServerEnd(this.#options.state.trace).catch(() => null);
      return this.#update(call, callEnd(method, outcome, end));
    }
    const ended = {
      ...callEnd(method, outcome),
      ...('recorded' in outcome && {
        rounds: withResponse(rounds, outcome.recorded.row),
        ...measured(call.view, outcome.recorded),
      }),
    };
    if (outcome.type !== 'result') {
      this.#update(call, ended);
      if (outcome.type === 'error') askUrls(this.#options.inbox, outcome, call.view.id);
      return;
    }
    const { recorded, path = ['result'] } = outcome;
    call.result = { row: recorded.row, path };
    const outputValidation = tool === null ? null : this.#outputValidation(tool, outcome);
    // The page gets the result with this one event; after that `calls/result` reads it from the trace.
    this.#update(call, { ...ended, outputValidation }, () => this.#inlineResult(recorded, path));
  }

  /** A small result as JSON text; null if it is larger than `MAX_INLINE_RESULT`. */
  #inlineResult(recorded: RecordedMessage, path: readonly string[]): string | null {
    if (recorded.size > MAX_INLINE_RESULT || recorded.isTruncated) return null;
    const text = memberText(messageTextOf(recorded), path);
    return text === null ? null : this.#options.state.trace.redactedJson(text);
  }

  #outputValidation(tool: string, { result, recorded }: Outcome & { type: 'result' }): Validation | null {
    const validation = this.#options.validator.ofOutput(tool, result);
    if (validation === null || !recorded.isTruncated) return validation;
    return { state: 'unknown', reason: 'The result is too large to be validated.' };
  }

  /** Reports the state of a call to the page. @param result its result, without secrets */
  #report({ view, args }: KnownCall, result = noResult): void {
    this.#options.onChange(new PayloadOnRead(() => this.#redacted({ view, args }, result())));
  }

  #noticeOf(call: KnownCall): Throttle {
    call.notice ??= new Throttle(NOTICE_EVERY, () => this.#report(call));
    return call.notice;
  }

  /** The arguments are the user's own and stay as they were sent. The result is redacted already. */
  #redacted({ view, args }: Pick<KnownCall, 'view' | 'args'>, result: string | null = null): Redacted<Call> {
    return { ...this.#options.state.redacted(view), arguments: args, result };
  }

  /** Notes that a call has ended, and forgets the oldest ended call if there are too many. */
  #noteEnded(endedNow: string): void {
    const oldest = this.#ended[this.#oldestEnded];
    this.#ended[this.#oldestEnded] = endedNow;
    this.#oldestEnded = (this.#oldestEnded + 1) % MAX_ENDED;
    const call = oldest === undefined ? undefined : this.#calls.delete(oldest);
    if (call === undefined) return;
    for (const { requestRow } of call.view.rounds) this.#byRow.delete(requestRow);
  }

  #update(call: KnownCall, change: Partial<CallView>, result = noResult): void {
    call.view = { ...call.view, ...change };
    // What was to be reported is reported with this.
    call.notice?.cancel();
    this.#report(call, result);
  }
}

/** Duration and size of a call. For a task the duration is that of the whole call, not that of the last poll. */
const measured = ({ taskId, startedAt }: CallView, { duration, size, row }: RecordedMessage) => ({
  duration: taskId === null ? duration : (Date.now() - startedAt) * 1000,
  size,
  responseRow: row,
});

const noResult = (): string | null => null;

const knownCall = (view: CallView, args: string): KnownCall => ({
  view,
  args,
  running: null,
  ended: Promise.resolve(),
  notice: null,
  result: null,
});

/** A call that was not sent yet. */
const viewOf = (
  id: string,
  sessionId: string,
  { method, tool }: Called,
  argumentsValidation: Validation | null,
): CallView => ({
  id,
  sessionId,
  method,
  tool,
  state: 'waiting',
  startedAt: Date.now(),
  duration: null,
  size: null,
  progress: null,
  requestId: null,
  requestRow: null,
  responseRow: null,
  rounds: [],
  inboxEntryIds: [],
  taskId: null,
  argumentsValidation,
  outputValidation: null,
  error: null,
  fault: null,
});

/** Sets the response of the last round. A round that created a task has its response already, and keeps it. */
const withResponse = (rounds: Call['rounds'], responseRow: number): Call['rounds'] =>
  rounds.map((round, index) =>
    index === rounds.length - 1 && round.responseRow === null ? { ...round, responseRow } : round,
  );

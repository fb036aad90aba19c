import type { Call, Progress } from '#shared/contract/calls.ts';
import { type Fault, FaultError, messageOf } from '#shared/contract/fault.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { Pace } from '#trace/pace.ts';
import { memberText } from '#trace/raw-json.ts';
import type { Seen } from '#trace/row-index.ts';
import { type Outcome, outcomeFault, type Peer, type RequestOptions } from './peer.ts';

/** Longer results are shown in part; the trace has the whole. */
const LONGEST_RESULT = 16 * 1024 * 1024;

/** So many reports of progress are told to the screen one by one; of more, only how the call stands. */
const TOLD_EACH = 100;
/** Milliseconds between two notices of a call's progress after that. */
const NOTICE_EVERY = 50;

export type CallTimes = Pick<RequestOptions, 'timeout' | 'maxTimeout' | 'resetOnProgress'>;

/** A call as the screen knows it. Its answer is not kept: it may be large, and stands in the trace. */
interface KnownCall {
  view: Call;
  readonly cancel: (reason: string | undefined) => void;
  /** Tells the screen how the call stands. */
  readonly notice: Pace;
  /** Row of the answer when that has a result. */
  resultRow: number | null;
}

interface CallsOptions {
  /** Gives the text of a row's message back. */
  readonly readMessage: (row: number) => Promise<string>;
  /** What the server said, with secrets replaced. */
  readonly redacted: <T>(answer: T) => T;
  readonly onChange: (call: Call) => void;
}

/** The calls of tools of one session, in the order they were made. */
export class Calls {
  readonly #sessionId: string;
  readonly #peer: Peer;
  readonly #options: CallsOptions;
  readonly #calls = new Map<string, KnownCall>();

  constructor(sessionId: string, peer: Peer, options: CallsOptions) {
    this.#sessionId = sessionId;
    this.#peer = peer;
    this.#options = options;
  }

  list(): Call[] {
    return [...this.#calls.values()].map((call) => call.view);
  }

  /**
   * Calls a tool. The arguments go out as they are written, on one line.
   *
   * @param args JSON text of an object
   * @throws FaultError when the arguments are no JSON object
   */
  start(tool: string, args: string, times: CallTimes): Call {
    const line = onOneLine(args);
    const { redacted, onChange } = this.#options;
    const pending = this.#peer.request('tools/call', `{"name":${JSON.stringify(tool)},"arguments":${line}}`, {
      ...times,
      origin: 'user',
      onProgress: (note) => {
        const count = (call.view.progress?.count ?? 0) + 1;
        call.view = { ...call.view, progress: { ...redacted(note), count } satisfies Progress };
        call.notice.request();
        if (count <= TOLD_EACH) call.notice.flush();
      },
    });
    const call: KnownCall = {
      cancel: pending.cancel,
      notice: new Pace(NOTICE_EVERY, () => onChange(call.view)),
      resultRow: null,
      view: {
        id: `call-${pending.id}`,
        sessionId: this.#sessionId,
        tool,
        arguments: args,
        state: 'running',
        startedAt: Date.now(),
        duration: null,
        size: null,
        progress: null,
        requestId: pending.id,
        requestRow: pending.row,
        responseRow: null,
        error: null,
        fault: null,
      },
    };
    this.#calls.set(call.view.id, call);
    onChange(call.view);
    void pending.outcome.then((outcome) => this.#finish(call, outcome));
    return call.view;
  }

  /** Tells the server to stop a call that runs; nothing happens to one that has ended. */
  cancel(callId: string, reason: string | undefined): void {
    this.#get(callId).cancel(reason);
  }

  /** The `result` of the answer as it was written, from a character on; null when there is none. */
  async result(callId: string, from: number): Promise<{ text: string | null; truncated: boolean }> {
    const { resultRow } = this.#get(callId);
    const text =
      resultRow === null ? null : memberText(await this.#options.readMessage(resultRow), ['result']);
    if (text === null) return { text: null, truncated: false };
    const end = from + LONGEST_RESULT;
    return { text: text.slice(from, end), truncated: text.length > end };
  }

  #get(callId: string): KnownCall {
    const call = this.#calls.get(callId);
    if (call === undefined)
      throw new FaultError({ code: 'no-such-call', what: `There is no call ${callId}.` });
    return call;
  }

  #finish(call: KnownCall, outcome: Outcome): void {
    switch (outcome.type) {
      case 'result': {
        call.resultRow = outcome.seen.row;
        const isError = isObject(outcome.result) && outcome.result.isError === true;
        this.#update(call, { state: isError ? 'tool-error' : 'ok', ...measured(outcome.seen) });
        return;
      }
      case 'error': {
        const { code, message, data } = outcome.error;
        const error = { code, message, data: data ?? null };
        this.#update(call, { state: 'protocol-error', error, ...measured(outcome.seen) });
        return;
      }
      case 'invalid':
        this.#update(call, {
          state: 'protocol-error',
          fault: outcomeFault('tools/call', outcome),
          ...measured(outcome.seen),
        });
        return;
      case 'timeout':
        this.#update(call, { state: 'timed-out', fault: outcomeFault('tools/call', outcome) });
        return;
      case 'cancelled':
        this.#update(call, { state: 'cancelled' });
        return;
      case 'undelivered':
      case 'closed':
        this.#update(call, { state: 'lost', fault: outcomeFault('tools/call', outcome) });
    }
  }

  #update(call: KnownCall, change: Partial<Call>): void {
    call.view = { ...call.view, ...this.#options.redacted(change) };
    call.notice.request();
    call.notice.flush();
  }
}

const measured = ({ duration, size, row }: Seen) => ({ duration, size, responseRow: row });

/** JSON text on one line: a message may hold no newline (MCP transports, stdio). */
function onOneLine(args: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(args);
  } catch (error) {
    throw new FaultError(badArguments(messageOf(error)));
  }
  if (!isObject(parsed)) throw new FaultError(badArguments('they are not an object'));
  // Between tokens a newline is white space, and inside a string JSON does not allow one.
  return args.trim().replaceAll(/[\r\n]+/g, ' ');
}

const badArguments = (why: string): Fault => ({
  code: 'bad-arguments',
  what: 'The arguments are not a JSON object.',
  why,
  next: 'Write the arguments as an object, for example {"message": "hello"}.',
});

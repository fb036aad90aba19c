import type { Call } from '#shared/contract/calls.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { InboxAnswer, InboxEntry } from '#shared/contract/inbox.ts';
import { errorCodes } from '#shared/protocol/jsonrpc.ts';
import { memberText } from '#shared/json/members.ts';
import type { ForwardedAnswer, ForwardedRequest } from './mock.ts';

/** A session of the server that gets what a mock has no recording of. */
export interface ForwardingSession {
  readonly id: string;
  /** Sends a request; returns the id of its call. @throws FaultError */
  start(method: string, params: string | null): Promise<string> | string;
  cancel(callId: string): void;
  /** Resolves with the call once it has ended. */
  ended(callId: string): Promise<Call>;
  result(callId: string, from: number): Promise<{ text: string | null; truncated: boolean }>;
}

interface MissForwarderOptions {
  /** The session to use now. @throws FaultError if the server is not connected */
  readonly session: () => ForwardingSession;
  /** Calls back when a question of a server comes or changes, until the function it returns is called. */
  readonly onQuestion: (listener: (entry: InboxEntry) => void) => () => void;
  readonly answer: (sessionId: string, entryId: string, answer: InboxAnswer) => Promise<unknown> | void;
  /** Whether nobody else answers what belongs to no request of the mock, so that it is declined. */
  readonly declinesOthers: boolean;
}

/** Sends what a mock has no recording of to a server, and what that server asks to the client of the mock. */
export class MissForwarder {
  readonly #options: MissForwarderOptions;
  /** The requests under way, by session and call. */
  readonly #requests = new Map<string, ForwardedRequest>();
  readonly #isAsked = new Set<string>();
  readonly #stopListening: () => void;

  constructor(options: MissForwarderOptions) {
    this.#options = options;
    this.#stopListening = options.onQuestion((entry) => void this.#ask(entry));
  }

  /** Expected errors are errors for the client. */
  forward = async (request: ForwardedRequest): Promise<ForwardedAnswer> => {
    const { method, params, signal } = request;
    if (signal.aborted) return failed(`${method} was cancelled.`);
    try {
      const session = this.#options.session();
      const callId = await session.start(method, params);
      const key = keyOf(session.id, callId);
      this.#requests.set(key, request);
      const cancel = () => session.cancel(callId);
      // A signal that was aborted during the start calls no listener.
      if (signal.aborted) cancel();
      else signal.addEventListener('abort', cancel, { once: true });
      try {
        return await answerOf(session, await session.ended(callId));
      } finally {
        signal.removeEventListener('abort', cancel);
        this.#requests.delete(key);
      }
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      return failed(error.fault.what);
    }
  };

  /** Idempotent. */
  close(): void {
    this.#stopListening();
  }

  /** Passes a question of the server on. */
  async #ask({ id, sessionId, callId, method, params, state }: InboxEntry): Promise<void> {
    const { answer, declinesOthers } = this.#options;
    const request = callId === null ? undefined : this.#requests.get(keyOf(sessionId, callId));
    if (state !== 'waiting' || this.#isAsked.has(id) || (request === undefined && !declinesOthers)) return;
    this.#isAsked.add(id);
    const answered = (await request?.ask(method, params)) ?? null;
    try {
      await answer(sessionId, id, inboxAnswerOf(answered));
    } catch (error) {
      // The server has withdrawn its question, or somebody else has answered it.
      if (!(error instanceof FaultError)) throw error;
    }
  }
}

const keyOf = (sessionId: string, callId: string): string => JSON.stringify([sessionId, callId]);

async function answerOf(session: ForwardingSession, { id, error, fault }: Call): Promise<ForwardedAnswer> {
  if (error !== null) return { member: 'error', json: JSON.stringify(error) };
  let whole = '';
  for (;;) {
    const { text, truncated } = await session.result(id, whole.length);
    if (text === null && whole === '') return failed(fault?.what ?? 'The server gave no answer.');
    whole += text ?? '';
    if (!truncated) return { member: 'result', json: whole };
  }
}

function inboxAnswerOf(answer: ForwardedAnswer | null): InboxAnswer {
  if (answer === null) return { kind: 'decline' };
  if (answer.member === 'result') return { kind: 'result', json: answer.json };
  const message = memberText(answer.json, ['message']);
  return {
    kind: 'error',
    code: Number(memberText(answer.json, ['code']) ?? errorCodes.internalError),
    message: message?.startsWith('"') === true ? String(JSON.parse(message)) : '',
  };
}

const failed = (message: string): ForwardedAnswer => ({
  member: 'error',
  json: JSON.stringify({ code: errorCodes.internalError, message: `sightglass mock: ${message}` }),
});

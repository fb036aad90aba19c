import type { ForwardedAnswer, ForwardedRequest } from '#engine/mock.ts';
import { type Call, isUnderWay } from '#shared/contract/calls.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { InboxAnswer, InboxEntry } from '#shared/contract/inbox.ts';
import { errorCodes } from '#shared/protocol/jsonrpc.ts';
import { memberText } from '#shared/json/members.ts';
import { type HeadlessSession, Interrupted } from './headless-session.ts';

/** Sends what a mock has no recording of to the server of a session, and what that server asks to the client of the mock. */
export class MissForwarder {
  readonly #session: HeadlessSession;
  readonly #requests = new Map<string, ForwardedRequest>();
  readonly #isAsked = new Set<string>();
  readonly #stopListening: () => void;

  constructor(session: HeadlessSession) {
    this.#session = session;
    this.#stopListening = session.on('inbox/changed', (entry) => void this.#ask(entry));
  }

  /** Never rejects: what goes wrong is an error for the client. */
  forward = async (request: ForwardedRequest): Promise<ForwardedAnswer> => {
    const { method, params, signal } = request;
    const session = this.#session;
    try {
      const options = { timeout: null };
      const { id } = await session.request('calls/request', { method, params, ...options });
      this.#requests.set(id, request);
      const cancel = () => void session.request('calls/cancel', { callId: id }).catch(() => undefined);
      signal.addEventListener('abort', cancel, { once: true });
      const call = await session.until(async () => {
        const found = (await session.request('calls/list', {})).find((one) => one.id === id);
        return found === undefined || isUnderWay(found) ? null : found;
      });
      signal.removeEventListener('abort', cancel);
      this.#requests.delete(id);
      return await this.#answerOf(call);
    } catch (error) {
      if (error instanceof Interrupted) return failed('The mock was ended.');
      if (!(error instanceof FaultError)) throw error;
      return failed(error.fault.what);
    }
  };

  close(): void {
    this.#stopListening();
  }

  async #answerOf({ id, error, fault }: Call): Promise<ForwardedAnswer> {
    if (error !== null) return { member: 'error', json: JSON.stringify(error) };
    let whole = '';
    for (;;) {
      const { text, truncated } = await this.#session.request('calls/result', {
        callId: id,
        from: whole.length,
      });
      if (text === null && whole === '') return failed(fault?.what ?? 'The server gave no answer.');
      whole += text ?? '';
      if (!truncated) return { member: 'result', json: whole };
    }
  }

  /** Passes a question of the server on; declines what belongs to no request of the mock. */
  async #ask({ id, callId, method, params, state }: InboxEntry): Promise<void> {
    if (state !== 'waiting' || this.#isAsked.has(id)) return;
    this.#isAsked.add(id);
    const request = callId === null ? undefined : this.#requests.get(callId);
    const answer = (await request?.ask(method, params)) ?? null;
    await this.#session
      .request('inbox/answer', { entryId: id, answer: inboxAnswerOf(answer) })
      // The server has withdrawn its question.
      .catch(() => undefined);
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

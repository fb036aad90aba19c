import { capabilityOf } from '#shared/protocol/methods.ts';
import { inboxMethods } from '#shared/contract/inbox.ts';
import { errorCodes, idText, isObject } from '#shared/protocol/jsonrpc.ts';
import { methodNotFound } from '#shared/protocol/rejections.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { memberText } from '#shared/json/members.ts';
import { messageTextOf } from '#trace/units/read-unit.ts';
import type { Calls } from '#session/calls/calls.ts';
import { cancelledId, type IncomingRequest } from '#session/rpc/incoming-request.ts';
import type { Peer, PendingRequest } from '#session/rpc/peer.ts';
import type { SessionState } from '#session/session-state.ts';
import type { Tasks } from '#session/tasks/tasks.ts';
import { relatedTask, withRelatedTask } from '#session/tasks/related-task.ts';
import type { InboxQuestion, Inbox } from './inbox.ts';

export interface ServerRequestsOptions {
  readonly state: SessionState;
  readonly peer: Peer;
  readonly inbox: Inbox;
  readonly calls: Calls;
  readonly tasks: Tasks;
}

/** Requests of the server in the legacy era: `ping` is answered at once, questions go to the inbox. */
export class ServerRequests {
  readonly #options: ServerRequestsOptions;
  /** Questions that wait, by the id of their request. */
  readonly #waiting = new Map<string, InboxQuestion>();

  constructor(options: ServerRequestsOptions) {
    this.#options = options;
  }

  take(incoming: IncomingRequest): void {
    const { method } = incoming;
    if (incoming.isMalformed) {
      const error = { code: errorCodes.invalidParams, message: 'Invalid params: they are no object' };
      incoming.answer({ error }, 'automatic');
      return;
    }
    if (method === 'ping') {
      incoming.answer({ result: '{}' }, 'automatic');
      return;
    }
    if (this.#options.tasks.handleRequest(incoming)) return;
    const { clientCapabilities, profile } = this.#options.state;
    // The server may request only what we declared (MCP lifecycle, capability negotiation).
    const capability = capabilityOf(method);
    const isDeclared = capability !== null && isObject(clientCapabilities[capability]);
    const isKnown = inboxMethods.some((one) => one === method) && isDeclared;
    if (isKnown || profile.holdsUnknown === true) this.#ask(incoming);
    else incoming.answer({ error: methodNotFound(method) }, 'automatic');
  }

  /** The server cancels its own request (MCP cancellation): it must not get a response any more. */
  cancelled(params: unknown, recorded: RecordedMessage): void {
    const id = cancelledId(params, recorded);
    if (id === null) return;
    this.#waiting.get(id)?.withdraw();
    this.#waiting.delete(id);
  }

  /** Notes a response that the user composed: it answers the question with that id, so no other response is sent. */
  noteResponse(recorded: RecordedMessage): void {
    if (!('message' in recorded.envelope)) return;
    const { message } = recorded.envelope;
    if (message.type !== 'result' && message.type !== 'error') return;
    if (message.id === null) return;
    const id = idText(message.id);
    const asked = this.#waiting.get(id);
    if (asked === undefined) return;
    this.#waiting.delete(id);
    asked.noteAnswered(
      message.type === 'error'
        ? { kind: 'error', code: message.error.code, message: message.error.message }
        : // As text, so that numbers keep their digits.
          { kind: 'result', json: memberText(messageTextOf(recorded), ['result']) ?? '{}' },
      recorded.row,
    );
  }

  #ask(incoming: IncomingRequest): void {
    const { inbox, calls, tasks } = this.#options;
    const parents = this.#parentsOf(incoming.recorded);
    const [parent] = parents;
    const asked = inbox.add({
      method: incoming.method,
      params: paramsText(incoming.recorded),
      by: 'request',
      key: null,
      row: incoming.recorded.row,
      callId:
        tasks.callOf(incoming.params) ?? (parents.length === 1 && parent ? calls.ofRow(parent.row) : null),
      pauses: parents.map((request) => request.pause),
      deliver: (answer, origin) => {
        this.#waiting.delete(idText(incoming.id));
        return incoming.answer(withRelatedTask(answer, relatedTask(incoming.params)), origin);
      },
      lost: () => this.#waiting.delete(idText(incoming.id)),
    });
    // A rule may have answered the question already.
    if (inbox.isWaiting(asked.entryId)) this.#waiting.set(idText(incoming.id), asked);
  }

  /**
   * Our requests that a server request may belong to: those on the same exchange, or
   * else all pending calls.
   */
  #parentsOf({ exchange }: RecordedMessage): PendingRequest[] {
    const open = this.#options.peer.pending;
    const same = open.filter((request) => exchange !== null && request.exchange === exchange);
    return same.length > 0 ? same : open.filter(({ row }) => this.#options.calls.ofRow(row) !== null);
  }
}

const paramsText = (recorded: RecordedMessage): string => {
  const text = memberText(messageTextOf(recorded), ['params']);
  return text === null || !text.trimStart().startsWith('{') ? '{}' : text;
};

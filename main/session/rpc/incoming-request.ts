import { memberText } from '#shared/json/members.ts';
import { type Id, idText, isId, isObject, type RpcError } from '#shared/protocol/jsonrpc.ts';
import type { Origin } from '#shared/trace/record.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { messageTextOf } from '#trace/units/read-unit.ts';
import type { Sending } from '#transports/transport.ts';

/** Our response to a request of the server. */
export type Answer =
  /** JSON text of the result. */
  { readonly result: string } | { readonly error: RpcError };

/** A request of the server that waits for our answer. */
export interface IncomingRequest {
  readonly id: Id;
  readonly method: string;
  readonly params: unknown;
  /** Whether its params are not an object, so that it must be rejected. */
  readonly isMalformed: boolean;
  readonly recorded: RecordedMessage;
  /** Sends the response; returns its row, null if the session has ended. */
  answer(answer: Answer, origin: Origin): number | null;
}

/** Sends a message; returns null if the session has ended. */
type Send = (
  text: string,
  origin: Origin,
) => { readonly recorded: RecordedMessage; readonly sending: Sending } | null;

/** Answers the requests of the server, and knows which answers it has not received yet. */
export class IncomingRequests {
  readonly #send: Send;
  readonly #delivering = new Set<Promise<unknown>>();

  constructor(send: Send) {
    this.#send = send;
  }

  /** A request of the server, to be answered. */
  take(
    { id, method, params }: Pick<IncomingRequest, 'id' | 'method' | 'params'>,
    recorded: RecordedMessage,
    isMalformed = false,
  ): IncomingRequest {
    return {
      id,
      method,
      params,
      isMalformed,
      recorded,
      answer: (answer, origin) => {
        const member =
          'result' in answer ? `"result":${answer.result}` : `"error":${JSON.stringify(answer.error)}`;
        const sent = this.#send(`{"jsonrpc":"2.0","id":${idText(id)},${member}}`, origin);
        if (sent === null) return null;
        if (sent.sending.finished !== null) this.#noteDelivery(sent.sending.finished);
        return sent.recorded.row;
      },
    };
  }

  /** Resolves when no response is still being sent over HTTP, whether accepted or not; at once on stdio. */
  async responsesSent(): Promise<void> {
    await Promise.all(this.#delivering);
  }

  #noteDelivery(finished: Promise<unknown>): void {
    const delivery = finished.finally(() => this.#delivering.delete(delivery));
    this.#delivering.add(delivery);
  }
}

/**
 * The JSON text of the request id that a cancellation names (MCP cancellation); null if it names none. Read from the
 * message itself if parsing has rounded it, as it does with integers beyond 2^53.
 */
export function cancelledId(params: unknown, recorded: RecordedMessage): string | null {
  if (!isObject(params) || !isId(params.requestId)) return null;
  const isExact = typeof params.requestId === 'string' || Number.isSafeInteger(params.requestId);
  const written = isExact ? null : memberText(messageTextOf(recorded), ['params', 'requestId']);
  return written ?? idText(params.requestId);
}

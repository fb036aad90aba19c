import type { Message } from '#shared/protocol/jsonrpc.ts';
import { existsIn, methodFacts, methodIn } from '#shared/protocol/methods.ts';
import { isKnownRevision, type Revision } from '#shared/protocol/revisions.ts';
import type { Found } from '#trace/inspector.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { answeredRevision } from './revision-in-force.ts';
import { broken } from './rules.ts';

/** Whether the revision in force lets this side send a message of this method. */
export function checkMethod(message: Message, recorded: RecordedMessage, revision: Revision): Found | null {
  if (!('method' in message)) return null;
  const { method } = message;
  const from = recorded.direction === 'out' ? 'client' : 'server';
  if (existsIn(method, revision, from)) return null;
  const outside = (text: string) =>
    broken('version/message-not-in-negotiated-revision', recorded, text, { pointer: '/method', revision });
  if (methodFacts(method) === null) return unknownMethod(message, recorded);
  const available = methodIn(method, revision);
  if (available === null) return outside(`${method} is not part of revision ${revision}`);
  if (available.onlyEmbedded) {
    return outside(`${method} is no message of its own in ${revision}: it is asked for in a result`);
  }
  return outside(`${method} is not for a ${from} to send in revision ${revision}`);
}

/** A notification of one's own may be ignored; a request waits for an answer that no client knows. */
function unknownMethod(message: Message & { method: string }, recorded: RecordedMessage): Found | null {
  if (message.type !== 'request' || recorded.direction === 'out') return null;
  const text = `No revision has the request ${JSON.stringify(message.method)}: clients answer that they do not know it`;
  return broken('capability/unknown-server-method', recorded, text, { pointer: '/method' });
}

/** Says why messages are not checked any further, when the server settles on a revision we do not know. */
export function checkAgreed(message: Message, recorded: RecordedMessage, columns: RowColumns): Found | null {
  if (message.type !== 'result') return null;
  const revision = answeredRevision(message.result, recorded.direction, recorded.pair, columns);
  if (revision === null || isKnownRevision(revision)) return null;
  const text = `The revision ${JSON.stringify(revision)} is not known: messages are checked as JSON-RPC only, against no schema`;
  return broken('version/unknown', recorded, text, { pointer: '/result/protocolVersion' });
}

/** Batches are of 2025-03-26 alone; `first` is the first message of one. */
export function checkBatch(first: RecordedMessage, revision: Revision | null): Found | null {
  if (revision === null || revision === '2025-03-26') return null;
  if (revision === '2024-11-05') {
    const text = 'A batch: revision 2024-11-05 does not say that they are understood';
    return broken('jsonrpc/batch-in-2024-11-05', first, text, { revision });
  }
  const text = `A batch: revision ${revision} has none, each message stands for itself`;
  return broken('jsonrpc/batch-in-unsupported-revision', first, text, { revision });
}

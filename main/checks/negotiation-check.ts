import { errorCodes, type Message, isObject } from '#shared/protocol/jsonrpc.ts';
import {
  existsIn,
  methodFacts,
  methodIn,
  gateOf,
  isDeclared,
  LOG_MESSAGE,
} from '#shared/protocol/methods.ts';
import { wrongCapabilities } from '#shared/protocol/capabilities.ts';
import { isKnownRevision, newestLegacyRevision, type Revision } from '#shared/protocol/revisions.ts';
import type { NewFinding } from '#trace/findings.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { newFinding, type MessageRef } from './rules.ts';

/** Whether the revision in force lets this side send a message of this method. */
export function checkMethod(message: Message, recorded: MessageRef, revision: Revision): NewFinding | null {
  if (!('method' in message)) return null;
  const { method } = message;
  const from = recorded.direction === 'out' ? 'client' : 'server';
  if (existsIn(method, revision, from)) return null;
  const outside = (text: string) =>
    newFinding('version/message-not-in-negotiated-revision', recorded, text, {
      pointer: '/method',
      revision,
    });
  if (methodFacts(method) === null) return unknownMethod(message, recorded);
  const available = methodIn(method, revision);
  if (available === null) return outside(`${method} is not part of revision ${revision}`);
  if (available.onlyEmbedded) {
    return outside(`${method} is not a separate message in ${revision}: it is asked for in a result`);
  }
  return outside(`${method} is not for a ${from} to send in revision ${revision}`);
}

/** Reports unknown requests of the server, which no client can answer. Unknown notifications may be ignored. */
function unknownMethod(message: Message & { method: string }, recorded: MessageRef): NewFinding | null {
  if (message.type !== 'request' || recorded.direction === 'out') return null;
  const text = `No revision has the request ${JSON.stringify(message.method)}: clients answer that they do not know it`;
  return newFinding('capability/unknown-server-method', recorded, text, { pointer: '/method' });
}

/** Reports why messages are not checked further: the server agreed to an unknown revision. */
export function checkAgreed(
  message: Message,
  recorded: RecordedMessage,
  columns: RowColumns,
): NewFinding | null {
  if (message.type !== 'result') return null;
  const revision = agreedRevision(message.result, recorded.direction, recorded.pair, columns);
  if (revision === null || isKnownRevision(revision)) return null;
  const text = `The revision ${JSON.stringify(revision)} is not known: messages are checked as JSON-RPC only, against no schema`;
  return newFinding('version/unknown', recorded, text, { pointer: '/result/protocolVersion' });
}

/** Checks a batch, which only 2025-03-26 has. @param first its first message */
export function checkBatch(first: MessageRef, revision: Revision | null): NewFinding | null {
  if (revision === null || revision === '2025-03-26') return null;
  if (revision === '2024-11-05') {
    const text = 'A batch: revision 2024-11-05 does not say that they are understood';
    return newFinding('jsonrpc/batch-in-2024-11-05', first, text, { revision });
  }
  const text = `A batch: revision ${revision} has none, each message stands for itself`;
  return newFinding('jsonrpc/batch-in-unsupported-revision', first, text, { revision });
}

/** The member of `_meta` in which each request of the modern era declares its revision (MCP 2026-07-28 basic, `_meta`). */
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** The revision that applies from this row on. */
interface RevisionChange {
  readonly row: number;
  readonly revision: string;
}

/**
 * Tracks the revision that applies to the messages of a session. In the legacy era this is the revision in the result of
 * `initialize`, and until then the one in its params. In the modern era each request declares a revision, which applies
 * to its response, too. To every other message the last declared revision applies.
 */
export class RevisionInForce {
  readonly #columns: RowColumns;
  /** One entry per change: usually the first request and the response to `initialize`. */
  readonly #changes: RevisionChange[] = [];

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  /** The revision to check a message against; null if it is unknown. */
  of(recorded: RecordedMessage): Revision | null {
    const said = this.#said(recorded);
    if (said !== null) this.#change(recorded.row, said);
    const asked = recorded.pair === null || said !== null ? recorded.row : recorded.pair;
    const revision = this.#at(asked);
    return revision !== null && isKnownRevision(revision) ? revision : null;
  }

  #at(row: number): string | null {
    return this.#changes.findLast((change) => change.row <= row)?.revision ?? null;
  }

  #change(row: number, revision: string): void {
    if (this.#at(row) !== revision) this.#changes.push({ row, revision });
  }

  /** The revision that a message declares; null if none. */
  #said({ envelope, direction, pair }: RecordedMessage): string | null {
    if ('defect' in envelope) return null;
    const { message } = envelope;
    if (message.type === 'request' && direction === 'out') {
      return message.method === 'initialize'
        ? textAt(message.params, 'protocolVersion')
        : isObject(message.params)
          ? textAt(message.params._meta, VERSION_KEY)
          : null;
    }
    return message.type === 'result' ? agreedRevision(message.result, direction, pair, this.#columns) : null;
  }
}

/** The revision that the server agreed to; null if this is not the result of `initialize`. */
function agreedRevision(
  result: unknown,
  direction: RecordedMessage['direction'],
  pair: number | null,
  columns: RowColumns,
): string | null {
  const isAnswer = direction === 'in' && pair !== null && columns.method(pair) === 'initialize';
  return isAnswer ? textAt(result, 'protocolVersion') : null;
}

function textAt(value: unknown, key: string): string | null {
  const text = isObject(value) ? value[key] : null;
  return typeof text === 'string' ? text : null;
}

/** Limit of log messages to remember until the server declares its capabilities. */
const MAX_EARLY = 100;

/** Results in which a server declares its capabilities. */
const declaring: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

/**
 * The list method of each capability. Without resource templates: no revision requires a server with resources to
 * list them.
 */
const lists: ReadonlySet<string> = new Set(['tools/list', 'prompts/list', 'resources/list', 'tasks/list']);

/** Compares the behavior of a server with its declared capabilities. */
export class CapabilityCheck {
  readonly #columns: RowColumns;
  /** Null until the server declares them. A modern client need not ask (MCP 2026-07-28 discover). */
  #capabilities: Record<string, unknown> | null = null;
  #early: MessageRef[] = [];

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  /** Checks the next message. */
  check(message: Message, recorded: RecordedMessage, revision: Revision | null): readonly NewFinding[] {
    if (recorded.direction === 'out') return NOTHING;
    switch (message.type) {
      case 'notification':
        return message.method === LOG_MESSAGE ? this.#log(recorded) : NOTHING;
      case 'result':
        return this.#declare(message.result, recorded, revision);
      case 'error':
        return this.#refusedList(message.error.code, recorded, revision);
      case 'request':
        return NOTHING;
    }
  }

  #declare(result: unknown, recorded: RecordedMessage, revision: Revision | null): readonly NewFinding[] {
    const { pair, status } = recorded;
    if (pair === null || status === 'late' || !declaring.has(this.#columns.method(pair) ?? ''))
      return NOTHING;
    if (!isObject(result) || result.capabilities === undefined) return NOTHING;
    const { capabilities } = result;
    const wrong = wrongTypes(capabilities, recorded, revision);
    if (!isObject(capabilities)) return wrong;
    this.#capabilities = capabilities;
    return [...wrong, ...this.#early.splice(0).flatMap((message) => this.#log(message))];
  }

  /** Servers that send log messages must declare `logging` (MCP 2024-11-05 to 2026-07-28, logging). */
  #log(message: MessageRef): readonly NewFinding[] {
    if (this.#capabilities === null) {
      if (this.#early.length < MAX_EARLY) this.#early.push({ row: message.row, direction: 'in' });
      return NOTHING;
    }
    if (isDeclared(this.#capabilities, ['logging'])) return NOTHING;
    const text = 'A log message from a server that did not declare the "logging" capability';
    return [newFinding('capability/logging-not-declared', message, text, { pointer: '/method' })];
  }

  /** A server must implement what it declares (MCP 2025-06-18 lifecycle, capability negotiation). */
  #refusedList(code: number, recorded: RecordedMessage, revision: Revision | null): readonly NewFinding[] {
    if (code !== errorCodes.methodNotFound || recorded.pair === null || revision === null) return NOTHING;
    const method = this.#columns.method(recorded.pair) ?? '';
    const path = lists.has(method) ? gateOf(method, revision)?.path : undefined;
    if (path === undefined || !isDeclared(this.#capabilities, path)) return NOTHING;
    const text = `The server declared the "${path.join('.')}" capability, but does not know ${method}`;
    const particulars = { pointer: '/error/code', revision, other: recorded.pair };
    return [newFinding('capability/declared-but-not-found', recorded, text, particulars)];
  }
}

/** A capability is an object, and a part of one is what its revision says (MCP schema, ServerCapabilities). */
function wrongTypes(
  capabilities: unknown,
  recorded: MessageRef,
  revision: Revision | null,
): readonly NewFinding[] {
  const found = (pointer: string, text: string) =>
    newFinding('capability/wrong-type', recorded, text, {
      pointer: `/result/capabilities${pointer}`,
      ...(revision !== null && { revision }),
    });
  if (!isObject(capabilities)) return [found('', 'The capabilities are no object, so nothing is declared')];
  return wrongCapabilities(capabilities, revision ?? newestLegacyRevision).map(({ path, wrong }) =>
    found(`/${path.replaceAll('.', '/')}`, `The "${path}" capability is ${wrong}`),
  );
}

const NOTHING: readonly NewFinding[] = [];

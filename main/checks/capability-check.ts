import { errorCodes } from '#shared/protocol/error-codes.ts';
import { isObject, type Message } from '#shared/protocol/jsonrpc.ts';
import { gateOf, isAnnounced } from '#shared/protocol/methods.ts';
import type { Revision } from '#shared/protocol/revisions.ts';
import type { Found } from '#trace/inspector.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { broken, type Place } from './rules.ts';

const LOG = 'notifications/message';
/** Log messages remembered until the server declares its capabilities. */
const MOST_EARLY = 100;

/** Results in which a server declares its capabilities. */
const declaring: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

/**
 * The list that a capability stands for. Resource templates are not among them: a server with resources may have
 * none, and no revision requires it to list them.
 */
const lists: ReadonlySet<string> = new Set(['tools/list', 'prompts/list', 'resources/list', 'tasks/list']);

/** Compares what a server does with the capabilities that it declared. */
export class CapabilityCheck {
  readonly #columns: RowColumns;
  /** Null until the server declares them. A modern server may never be asked (MCP 2026-07-28 discover). */
  #capabilities: Record<string, unknown> | null = null;
  #early: Place[] = [];

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  /** Takes the next message. */
  look(message: Message, recorded: RecordedMessage, revision: Revision | null): readonly Found[] {
    if (recorded.direction === 'out') return NOTHING;
    switch (message.type) {
      case 'notification':
        return message.method === LOG ? this.#log(recorded) : NOTHING;
      case 'result':
        return this.#declare(message.result, recorded);
      case 'error':
        return this.#refusedList(message.error.code, recorded, revision);
      case 'request':
        return NOTHING;
    }
  }

  #declare(result: unknown, { pair, status }: RecordedMessage): readonly Found[] {
    if (pair === null || status === 'late' || !declaring.has(this.#columns.method(pair) ?? ''))
      return NOTHING;
    if (!isObject(result) || !isObject(result.capabilities)) return NOTHING;
    this.#capabilities = result.capabilities;
    return this.#early.splice(0).flatMap((place) => this.#log(place));
  }

  /** Servers that send log messages must declare `logging` (MCP 2024-11-05 to 2026-07-28, logging). */
  #log(place: Place): readonly Found[] {
    if (this.#capabilities === null) {
      if (this.#early.length < MOST_EARLY) this.#early.push({ row: place.row, direction: 'in' });
      return NOTHING;
    }
    if (isAnnounced(this.#capabilities, ['logging'])) return NOTHING;
    const text = 'A log message from a server that did not declare the "logging" capability';
    return [broken('capability/logging-not-declared', place, text, { pointer: '/method' })];
  }

  /** What a server declares, it implements (MCP 2025-06-18 lifecycle, capability negotiation). */
  #refusedList(code: number, recorded: RecordedMessage, revision: Revision | null): readonly Found[] {
    if (code !== errorCodes.methodNotFound || recorded.pair === null || revision === null) return NOTHING;
    const method = this.#columns.method(recorded.pair) ?? '';
    const path = lists.has(method) ? gateOf(method, revision)?.path : undefined;
    if (path === undefined || !isAnnounced(this.#capabilities, path)) return NOTHING;
    const text = `The server declared the "${path.join('.')}" capability, but does not know ${method}`;
    const particulars = { pointer: '/error/code', revision, other: recorded.pair };
    return [broken('capability/declared-but-not-found', recorded, text, particulars)];
  }
}

const NOTHING: readonly Found[] = [];

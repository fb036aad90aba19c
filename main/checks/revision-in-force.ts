import { isObject } from '#shared/protocol/jsonrpc.ts';
import { isKnownRevision, type Revision } from '#shared/protocol/revisions.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';

/** The client says it in each request of the modern era (MCP 2026-07-28 basic, `_meta`). */
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** From this row on this revision is in force. */
interface Turn {
  readonly row: number;
  readonly revision: string;
}

/**
 * Follows which revision the messages of a session go by. Legacy era: the one `initialize` was answered with, before
 * that the one it asked for. Modern era: the one a request declares, for answers that of their request, for all else
 * the last one declared.
 */
export class RevisionInForce {
  readonly #columns: RowColumns;
  /** As few as there were changes: nearly always the first request and the answer to `initialize`. */
  readonly #turns: Turn[] = [];

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  /** The revision that a message is to be judged by; null when it is not known, or none that we know. */
  of(recorded: RecordedMessage): Revision | null {
    const said = this.#said(recorded);
    if (said !== null) this.#turn(recorded.row, said);
    const asked = recorded.pair === null || said !== null ? recorded.row : recorded.pair;
    const revision = this.#at(asked);
    return revision !== null && isKnownRevision(revision) ? revision : null;
  }

  #at(row: number): string | null {
    return this.#turns.findLast((turn) => turn.row <= row)?.revision ?? null;
  }

  #turn(row: number, revision: string): void {
    if (this.#at(row) !== revision) this.#turns.push({ row, revision });
  }

  /** What a message says about it; null when nothing. */
  #said({ envelope, direction, pair }: RecordedMessage): string | null {
    if ('fault' in envelope) return null;
    const { message } = envelope;
    if (message.type === 'request' && direction === 'out') {
      return message.method === 'initialize'
        ? textAt(message.params, 'protocolVersion')
        : isObject(message.params)
          ? textAt(message.params._meta, VERSION_KEY)
          : null;
    }
    return message.type === 'result'
      ? answeredRevision(message.result, direction, pair, this.#columns)
      : null;
  }
}

/** The revision that the server agreed to; null when this does not answer `initialize`. */
export function answeredRevision(
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

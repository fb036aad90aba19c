import { pointerOf } from '#shared/json/pointer.ts';
import type { Warning } from '#shared/contract/composer.ts';
import type { Agreement } from '#shared/contract/sessions.ts';
import { type Envelope, type Id, isObject, type Message } from '#shared/protocol/jsonrpc.ts';
import { isDeclared, methodFacts, methodIn, type PartGate } from '#shared/protocol/methods.ts';
import { isKnownRevision, type Revision } from '#shared/protocol/revisions.ts';
import type { NewFinding } from '#trace/findings.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { errorOf, readUnit } from '#trace/units/read-unit.ts';
import { metaKeyFault } from './meta-keys.ts';
import { checkBatch, checkMethod } from './negotiation-check.ts';
import { checkDefect, checkExtra, checkResult } from './envelope-check.ts';
import { checkSchema } from './schema-check.ts';

/** The session that a unit would be sent in. */
export interface BeforeSend {
  readonly columns: RowColumns;
  /** Null before the handshake. */
  readonly agreement: Agreement | null;
  /** The revision to check by; null for the negotiated one. */
  readonly revision: string | null;
  readonly isHttp: boolean;
}

/** Which rules a unit would break if it were sent now. */
export function checkBeforeSend(bytes: Buffer, session: BeforeSend): Warning[] {
  const reading = readUnit(bytes);
  const lines = session.isHttp ? [] : lineWarnings(bytes);
  if (reading.type === 'noise') {
    const text =
      reading.reason === 'several-values' && lines.length > 0
        ? firstBadLine(bytes)
        : (errorOf(reading, 0, session.isHttp ? 'http' : 'stdin') ?? 'Not a message');
    return text === null
      ? lines
      : [...lines, { rule: null, severity: 'error', text, pointer: null, row: null }];
  }
  const value = parsed(bytes);
  const isBatch = Array.isArray(value);
  const check = new ComposedCheck(session);
  const ofMessages = reading.envelopes.flatMap((envelope, position) => {
    const own: unknown = Array.isArray(value) ? value[position] : value;
    const under = isBatch ? `/${position}` : '';
    return check.message(envelope, own, isBatch).map((warning) => ({
      ...warning,
      pointer: warning.pointer === null ? (under === '' ? null : under) : under + warning.pointer,
    }));
  });
  return [...lines, ...(isBatch ? check.batch() : []), ...ofMessages];
}

/** On stdio a line break ends the message (MCP 2025-06-18 transports, stdio). */
function lineWarnings(bytes: Buffer): Warning[] {
  if (!bytes.includes('\n')) return [];
  const count = bytes.toString('latin1').split('\n').length;
  const text = `Line breaks inside: the server reads ${count} lines, each as a message of its own`;
  return [{ rule: 'stdio/embedded-newline', severity: 'error', text, pointer: null, row: null }];
}

/** What is wrong with the first line that is no message of its own; null if every line is one. */
function firstBadLine(bytes: Buffer): string | null {
  for (const [index, line] of bytes.toString().split('\n').entries()) {
    const error = errorOf(readUnit(Buffer.from(line)), 0, 'stdin');
    if (error !== null) return `Line ${index + 1}: ${error}`;
  }
  return null;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString().replace(/^\ufeff/, ''));
  } catch {
    // The message contains something that only our own reader accepts.
    return undefined;
  }
}

/** No row yet. */
const here = { row: -1, direction: 'out' } as const;

class ComposedCheck {
  readonly #session: BeforeSend;
  readonly #revision: Revision | null;
  /** Ids of this unit so far, with their JSON type. */
  readonly #ids = new Set<string>();

  constructor(session: BeforeSend) {
    this.#session = session;
    const revision = session.revision ?? session.agreement?.revision ?? null;
    this.#revision = revision !== null && isKnownRevision(revision) ? revision : null;
  }

  batch(): Warning[] {
    const found = checkBatch(here, this.#revision);
    return found === null ? [] : [warningOf(found)];
  }

  /** @param value the message as JSON @param isBatch whether it is one of a batch */
  message(envelope: Envelope, value: unknown, isBatch: boolean): Warning[] {
    if ('defect' in envelope) return [warningOf(checkDefect(envelope.defect, here, () => value))];
    const { message, extra } = envelope;
    return [
      ...(extra === undefined ? [] : [warningOf(checkExtra(extra, here))]),
      ...this.#id(message),
      ...this.#method(message, isBatch),
      ...this.#schema(message),
      ...this.#capability(message),
      ...this.#meta(message),
    ];
  }

  #id(message: Message): Warning[] {
    const { columns } = this.#session;
    if (message.type === 'notification' || message.id === null) return [];
    if (message.type !== 'request') {
      const request = lastRow(columns, 'in', message.id);
      if (request !== null && columns.status(request) === 'pending') return [];
      const text =
        request === null
          ? 'No request of the server has this id'
          : 'The request of the server with this id has its response already';
      const rule = request === null ? 'jsonrpc/unknown-response-id' : 'jsonrpc/duplicate-response';
      return [{ rule, severity: 'error', text, pointer: '/id', row: request }];
    }
    const warnings: Warning[] = [];
    const key = `${typeof message.id} ${message.id}`;
    const earlier = lastRow(columns, 'out', message.id);
    if (earlier !== null || this.#ids.has(key)) {
      const where = earlier === null ? 'in this batch' : 'in this session';
      const text = `The id ${typeof message.id === 'string' ? JSON.stringify(message.id) : message.id} was already used ${where}`;
      warnings.push({ rule: 'jsonrpc/id-reused', severity: 'error', text, pointer: '/id', row: earlier });
    }
    this.#ids.add(key);
    if (typeof message.id !== 'string' && !Number.isSafeInteger(message.id)) {
      const text = 'The id is beyond 2^53, where many readers of JSON round';
      warnings.push({ rule: 'jsonrpc/id-too-large', severity: 'info', text, pointer: '/id', row: null });
    }
    return warnings;
  }

  #method(message: Message, isBatch: boolean): Warning[] {
    if (!('method' in message)) return [];
    const at = { pointer: '/method', row: null } as const;
    // MCP 2025-03-26 lifecycle, initialization.
    if (isBatch && message.method === 'initialize') {
      return [
        {
          rule: null,
          severity: 'error',
          text: 'initialize must not be part of a batch (MCP 2025-03-26 lifecycle)',
          ...at,
        },
      ];
    }
    if (methodFacts(message.method) === null) {
      const text = `No revision of MCP has the method ${JSON.stringify(message.method)}`;
      return [{ rule: null, severity: 'warning', text, ...at }];
    }
    const found = this.#revision === null ? null : checkMethod(message, here, this.#revision);
    return found === null ? [] : [warningOf(found)];
  }

  #schema(message: Message): Warning[] {
    const { columns } = this.#session;
    if (this.#revision === null) return [];
    if (message.type === 'result') {
      const wrong = checkResult(message.result, here);
      if (wrong !== null) return [warningOf(wrong)];
    }
    const isResponse = message.type === 'result' || message.type === 'error';
    const pair = isResponse && message.id !== null ? lastRow(columns, 'in', message.id) : null;
    return checkSchema(message, { ...here, pair, status: 'none' }, this.#revision, columns).map(warningOf);
  }

  /** What the method, or a part of its params, needs that nobody declared (MCP lifecycle, capability negotiation). */
  #capability(message: Message): Warning[] {
    const { agreement } = this.#session;
    if (!('method' in message) || agreement === null || this.#revision === null) return [];
    const available = methodIn(message.method, this.#revision);
    if (available === null || (available.from !== 'client' && available.from !== 'both')) return [];
    const { gate, parts = [] } = available;
    const gates = [
      ...(gate === undefined ? [] : [{ gate, pointer: '/method' }]),
      ...parts
        .filter((part) => hasPart(message.params, part))
        .map((part) => ({ gate: part.gate, pointer: `/params${part.pointer}` })),
    ];
    return gates.flatMap(({ gate: { path, declaredBy }, pointer }): Warning[] => {
      const declared = declaredBy === 'sender' ? agreement.clientCapabilities : agreement.serverCapabilities;
      if (declared === null || isDeclared(declared, path)) return [];
      const who = declaredBy === 'sender' ? 'This client' : 'The server';
      const text = `${who} did not declare the capability ${path.join('.')}`;
      return [{ rule: null, severity: 'warning', text, pointer, row: null }];
    });
  }

  #meta(message: Message): Warning[] {
    const [holder, under] =
      'method' in message
        ? [message.params, '/params']
        : message.type === 'result'
          ? [message.result, '/result']
          : [undefined, ''];
    if (!isObject(holder) || !Object.hasOwn(holder, '_meta') || this.#revision === null) return [];
    const revision = this.#revision;
    const { _meta: meta } = holder;
    if (!isObject(meta)) {
      const at = { pointer: `${under}/_meta`, row: null };
      return [{ rule: 'meta/not-object', severity: 'error', text: '"_meta" is not an object', ...at }];
    }
    return Object.keys(meta).flatMap((key): Warning[] => {
      const fault = metaKeyFault(key, revision);
      if (fault === null) return [];
      const severity = fault.rule === 'meta/reserved-prefix-used' ? 'warning' : 'error';
      return [{ ...fault, severity, pointer: `${under}${pointerOf(['_meta', key])}`, row: null }];
    });
  }
}

/** The last request of one side with this id; null if there is none. */
function lastRow(columns: RowColumns, direction: 'in' | 'out', id: Id): number | null {
  for (let row = columns.count - 1; row >= 0; row--) {
    if (columns.id(row) === id && columns.kind(row) === 'request' && columns.direction(row) === direction)
      return row;
  }
  return null;
}

/** Whether params have the part that needs a capability of its own. */
function hasPart(params: unknown, { pointer, equals }: PartGate): boolean {
  let value = params;
  for (const key of pointer.split('/').slice(1)) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return false;
    value = value[key];
  }
  return equals === undefined || value === equals;
}

function warningOf({ violation: { rule, severity, text, pointer } }: NewFinding): Warning {
  const own = text.replace(/^Sent by us: /, '');
  return { rule, severity, text: own, pointer, row: null };
}

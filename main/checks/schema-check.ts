import { pointerOf } from '#shared/json/pointer.ts';
import {
  type Message,
  type EnvelopeDefect,
  envelopeDefects,
  isObject,
  MAX_EXTRA,
} from '#shared/protocol/jsonrpc.ts';
import { newestLegacyRevision, newestModernRevision, type Revision } from '#shared/protocol/revisions.ts';
import { schemaErrors, schemaTypes } from '#shared/protocol/schemas/index.ts';
import { maxErrors } from '#shared/protocol/schemas/kit.ts';
import type { Found } from '#trace/findings.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { broken, type MessageRef, type Rule } from './rules.ts';

/** Checks a message against the schema of the revision in force. Unknown keys are allowed. */
export function checkSchema(
  message: Message,
  recorded: Pick<RecordedMessage, 'row' | 'direction' | 'pair' | 'status'>,
  revision: Revision,
  columns: RowColumns,
): readonly Found[] {
  if (!isChecked(message, recorded, columns)) return NOTHING;
  const method =
    'method' in message ? message.method : recorded.pair === null ? null : columns.method(recorded.pair);
  const from = recorded.direction === 'out' ? 'client' : 'server';
  const errors = schemaErrors(message, { revision, method, from });
  if (errors.length === 0) return NOTHING;
  const what = `${method ?? ''} ${nouns[message.type]}`.trim();
  const found = errors.map(({ pointer, message: words }) =>
    broken('schema/invalid', recorded, `${what}: ${sentence(words, pointer)}`, { pointer, revision }),
  );
  if (errors.length < maxErrors) return found;
  const more = `${what}: these are the first ${maxErrors} errors of this message; it may have more`;
  return [...found, broken('schema/invalid', recorded, more, { revision })];
}

/**
 * Builds the schemas that most sessions need. That takes some milliseconds, so it happens before a server's responses
 * are being timestamped.
 */
export function prepareSchemas(): void {
  for (const revision of [newestLegacyRevision, newestModernRevision]) schemaTypes(revision);
}

const NOTHING: readonly Found[] = [];

/** Names missing members. */
const sentence = (words: string, pointer: string): string =>
  words === 'missing' ? `"${pointer.slice(pointer.lastIndexOf('/') + 1)}" is missing` : words;

const nouns: Readonly<Record<Message['type'], string>> = {
  request: 'request',
  notification: '',
  result: 'result',
  error: 'error',
};

/** The schema of an unmatched response is unknown; and a server need not understand our probe. */
function isChecked(
  message: Message,
  { pair, status }: Pick<RecordedMessage, 'pair' | 'status'>,
  columns: RowColumns,
): boolean {
  if (message.type === 'request' || message.type === 'notification') return true;
  if (pair === null || status === 'late') return false;
  return message.type === 'result' || !columns.isProbe(pair);
}

interface Broken {
  readonly rule: Rule;
  readonly pointer?: string;
  /** The text of the finding; the description of the defect by default. */
  readonly text?: string;
}

const plain: Readonly<Record<EnvelopeDefect, Broken>> = {
  'not-object': { rule: 'jsonrpc/invalid-envelope' },
  'wrong-version': { rule: 'jsonrpc/version', pointer: '/jsonrpc' },
  'bad-id': { rule: 'jsonrpc/id-type', pointer: '/id' },
  'bad-method': { rule: 'jsonrpc/invalid-envelope', pointer: '/method' },
  'bad-params': { rule: 'jsonrpc/params-not-object', pointer: '/params' },
  'result-and-error': { rule: 'jsonrpc/result-and-error' },
  'bad-error': { rule: 'jsonrpc/invalid-envelope', pointer: '/error' },
  'no-method-no-answer': { rule: 'jsonrpc/neither-result-nor-error' },
  'empty-batch': { rule: 'jsonrpc/batch-empty' },
};

/** Reports an invalid JSON-RPC 2.0 message. @param read returns the value; undefined if it is too large */
export function checkDefect(defect: EnvelopeDefect, recorded: MessageRef, read: () => unknown): Found {
  const { rule, pointer, text } = particular(defect, read) ?? plain[defect];
  const words = text ?? envelopeDefects[defect];
  return broken(rule, recorded, `No message: ${words}`, pointer === undefined ? {} : { pointer });
}

/** Some defects have several causes with a rule each. */
function particular(defect: EnvelopeDefect, read: () => unknown): Broken | null {
  if (defect !== 'bad-id' && defect !== 'bad-error') return null;
  const value = read();
  if (!isObject(value)) return null;
  return defect === 'bad-id' ? badId(value) : badError(value.error);
}

function badId(value: Record<string, unknown>): Broken | null {
  if (!Object.hasOwn(value, 'id')) {
    return { rule: 'jsonrpc/id-type', text: 'an answer without the "id" of its request' };
  }
  if (value.id !== null) return null;
  return { rule: 'jsonrpc/id-null', pointer: '/id', text: '"id" is null' };
}

function badError(error: unknown): Broken | null {
  if (!isObject(error)) return null;
  if (!Object.hasOwn(error, 'code')) {
    return { rule: 'jsonrpc/error-missing-code', pointer: '/error', text: '"error" has no "code"' };
  }
  if (!Number.isInteger(error.code)) {
    const text = '"code" of the error is not an integer';
    return { rule: 'jsonrpc/error-code-not-integer', pointer: '/error/code', text };
  }
  const text = '"message" of the error is missing or not a string';
  return { rule: 'jsonrpc/error-missing-message', pointer: '/error/message', text };
}

/**
 * Reports members that JSON-RPC does not define. No schema of MCP forbids them, but the official TypeScript SDK rejects
 * the whole message.
 */
export function checkExtra(extra: readonly string[], recorded: MessageRef): Found {
  const names = extra.map((name) => JSON.stringify(name.slice(0, MAX_NAME))).join(', ');
  const all = extra.length === MAX_EXTRA ? `${names} and maybe more` : names;
  const text = `Members that JSON-RPC does not define: ${all}. Some clients refuse the whole message`;
  const [first = ''] = extra;
  return broken('jsonrpc/extra-member', recorded, text, { pointer: pointerOf([first]) });
}

/** Characters to quote from a member name. */
const MAX_NAME = 60;

/** A result must be an object (MCP 2025-06-18 basic, responses). */
export function checkResult(result: unknown, recorded: MessageRef): Found | null {
  if (isObject(result)) return null;
  return broken('jsonrpc/result-not-object', recorded, '"result" is not an object', { pointer: '/result' });
}

import type { Message } from '#shared/protocol/jsonrpc.ts';
import { newestLegacyRevision, newestModernRevision, type Revision } from '#shared/protocol/revisions.ts';
import { schemaErrors, schemaTypes } from '#shared/protocol/schemas/index.ts';
import { maxErrors } from '#shared/protocol/schemas/kit.ts';
import type { NewFinding } from '#trace/findings.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { newFinding } from './rules.ts';

/** Checks a message against the schema of the revision in force. Unknown keys are allowed. */
export function checkSchema(
  message: Message,
  recorded: Pick<RecordedMessage, 'row' | 'direction' | 'pair' | 'status'>,
  revision: Revision,
  columns: RowColumns,
): readonly NewFinding[] {
  if (!isChecked(message, recorded, columns)) return NOTHING;
  const method =
    'method' in message ? message.method : recorded.pair === null ? null : columns.method(recorded.pair);
  const from = recorded.direction === 'out' ? 'client' : 'server';
  const errors = schemaErrors(message, { revision, method, from });
  if (errors.length === 0) return NOTHING;
  const what = `${method ?? ''} ${nouns[message.type]}`.trim();
  const found = errors.map(({ pointer, message: words }) =>
    newFinding('schema/invalid', recorded, `${what}: ${sentence(words, pointer)}`, { pointer, revision }),
  );
  if (errors.length < maxErrors) return found;
  const more = `${what}: these are the first ${maxErrors} errors of this message; it may have more`;
  return [...found, newFinding('schema/invalid', recorded, more, { revision })];
}

/**
 * Builds the schemas that most sessions need. That takes some milliseconds, so it happens before a server's responses
 * are being timestamped.
 */
export function prepareSchemas(): void {
  for (const revision of [newestLegacyRevision, newestModernRevision]) schemaTypes(revision);
}

const NOTHING: readonly NewFinding[] = [];

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

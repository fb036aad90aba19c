import type { Message } from '#shared/protocol/jsonrpc.ts';
import { newestLegacyRevision, newestModernRevision, type Revision } from '#shared/protocol/revisions.ts';
import { schemaProblems, schemaTypes } from '#shared/protocol/schemas/index.ts';
import { mostProblems } from '#shared/protocol/schemas/problems.ts';
import type { Found } from '#trace/inspector.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { broken } from './rules.ts';

/** What is wrong with a message by the schema of the revision in force. Unknown keys are legal. */
export function checkSchema(
  message: Message,
  recorded: RecordedMessage,
  revision: Revision,
  columns: RowColumns,
): readonly Found[] {
  if (!isJudged(message, recorded, columns)) return NOTHING;
  const method =
    'method' in message ? message.method : recorded.pair === null ? null : columns.method(recorded.pair);
  const from = recorded.direction === 'out' ? 'client' : 'server';
  const problems = schemaProblems(message, { revision, method, from });
  if (problems.length === 0) return NOTHING;
  const what = `${method ?? ''} ${nouns[message.type]}`.trim();
  const found = problems.map(({ pointer, message: words }) =>
    broken('schema/invalid', recorded, `${what}: ${sentence(words, pointer)}`, { pointer, revision }),
  );
  if (problems.length < mostProblems) return found;
  const more = `${what}: these are the first ${mostProblems} problems of this message; it may have more`;
  return [...found, broken('schema/invalid', recorded, more, { revision })];
}

/**
 * Builds the schemas that most sessions need, which takes some milliseconds the first time: before there is a server
 * whose answers are stamped meanwhile.
 */
export function prepareSchemas(): void {
  for (const revision of [newestLegacyRevision, newestModernRevision]) schemaTypes(revision);
}

const NOTHING: readonly Found[] = [];

/** What is missing is told by its name. */
const sentence = (words: string, pointer: string): string =>
  words === 'missing' ? `"${pointer.slice(pointer.lastIndexOf('/') + 1)}" is missing` : words;

const nouns: Readonly<Record<Message['type'], string>> = {
  request: 'request',
  notification: '',
  result: 'result',
  error: 'error',
};

/** Of what answers nothing, it is not known what it should be; nor is a server blamed for not knowing our probe. */
function isJudged(message: Message, { pair, status }: RecordedMessage, columns: RowColumns): boolean {
  if (message.type === 'request' || message.type === 'notification') return true;
  if (pair === null || status === 'late') return false;
  return message.type === 'result' || !columns.isProbe(pair);
}

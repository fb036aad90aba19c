import { type InboxAnswer, type InboxEntry, inboxMethods } from '#shared/contract/inbox.ts';
import { memberText, memberTexts } from '#shared/json/members.ts';
import { errorCodes, isObject } from '#shared/protocol/jsonrpc.ts';
import { rejectionError, type Rejection } from '#shared/protocol/rejections.ts';
import { readMessageText } from '#trace/view/row-reader.ts';
import type { RecordedRequests } from './recorded-requests.ts';

/** Limit of questions, and of calls whose results are searched for questions: the newest. */
const MAX_QUESTIONS = 1000;
const MAX_CALLS = 1000;

/** Requests whose results may require input (MCP 2026-07-28 multi-round-trip requests). */
const callMethods = ['tools/call', 'resources/read', 'prompts/get'] as const;

/** Requests of the server that are never put to the user. */
const automatic: ReadonlySet<string> = new Set([
  'ping',
  'tasks/get',
  'tasks/result',
  'tasks/list',
  'tasks/cancel',
]);

interface RecordedInboxOptions {
  readonly sessionId: string;
  readonly requests: RecordedRequests;
  /** The wall-clock time of a row, in milliseconds since the Unix epoch. */
  readonly wallAt: (row: number) => number;
  /** The id of the call that a request row began. */
  readonly callIdOf: (row: number) => string;
  readonly isModern: boolean;
}

/** What the server asked of the user in a recorded session, as `inbox/list` returns it, oldest first. */
export async function recordedInbox(options: RecordedInboxOptions): Promise<InboxEntry[]> {
  const entries = options.isModern ? await inputRequests(options) : await serverRequests(options);
  return noteCompletions(entries, options);
}

const entryOf = (
  { sessionId, wallAt }: RecordedInboxOptions,
  at: Pick<InboxEntry, 'method' | 'params' | 'by' | 'key' | 'row' | 'callId'>,
): InboxEntry => ({
  ...at,
  id: `row-${at.row}${at.key === null ? '' : `/${at.key}`}`,
  sessionId,
  receivedAt: wallAt(at.row),
  state: 'lost',
  suggestion: null,
  answer: null,
  responseRow: null,
  completedRow: null,
});

/** Requests of the server, each with our response (the legacy era). */
async function serverRequests(options: RecordedInboxOptions): Promise<InboxEntry[]> {
  const { requests } = options;
  const { trace } = requests;
  const { columns } = trace.index;
  const entries: InboxEntry[] = [];
  for (const row of requests.incoming.slice(-MAX_QUESTIONS)) {
    const method = columns.method(row) ?? '';
    if (automatic.has(method)) continue;
    const responseRow = columns.pair(row);
    const isKnown = inboxMethods.some((one) => one === method);
    const response = responseRow === null ? null : await readMessageText(trace, responseRow);
    const answer = response === null ? null : answerOf(method, response);
    const isAutomatic = responseRow !== null && columns.isAutomatic(responseRow);
    // What is not supported is answered without the user, unless the settings hold it.
    if (isAutomatic && answer?.kind === 'error' && answer.code === errorCodes.methodNotFound) continue;
    if (responseRow === null && !isKnown) continue;
    const params = memberText(await readMessageText(trace, row), ['params']);
    const entry = entryOf(options, {
      method,
      params: params?.startsWith('{') === true ? params : '{}',
      by: 'request',
      key: null,
      row,
      callId: parentOf(row, options),
    });
    if (answer !== null) {
      const by = isAutomatic ? 'recorded' : 'user';
      entries.push({ ...entry, state: 'answered', answer: { content: answer, by }, responseRow });
    } else entries.push({ ...entry, state: columns.status(row) === 'cancelled' ? 'withdrawn' : 'lost' });
  }
  return entries;
}

/** The only call that was running when the server sent a request; null if there was none, or several. */
function parentOf(row: number, { requests, callIdOf }: RecordedInboxOptions): string | null {
  const { columns } = requests.trace.index;
  const running = callMethods
    .flatMap((method) => requests.rows(method))
    .filter((call) => call < row && (columns.pair(call) ?? Number.POSITIVE_INFINITY) > row);
  const exchange = columns.exchangeRow(row);
  const same = running.filter((call) => exchange !== null && columns.exchangeRow(call) === exchange);
  const [parent, ...others] = same.length > 0 ? same : running;
  return parent === undefined || others.length > 0 ? null : callIdOf(parent);
}

/** Input that results required, each with the response in a later request (the modern era). */
async function inputRequests(options: RecordedInboxOptions): Promise<InboxEntry[]> {
  const { requests, callIdOf } = options;
  const { trace } = requests;
  const { columns } = trace.index;
  const entries: InboxEntry[] = [];
  const rows = callMethods
    .flatMap((method) => requests.rows(method))
    .sort((a, b) => a - b)
    .slice(-MAX_CALLS);
  for (const row of rows) {
    const sent = await readMessageText(trace, row);
    if (sent.includes('"inputResponses"')) answerInputs(entries, row, sent);
    const resultRow = columns.pair(row);
    const text = resultRow === null ? '' : await readMessageText(trace, resultRow);
    if (resultRow === null || !text.includes('"inputRequests"')) continue;
    const asked = memberText(text, ['result', 'inputRequests']);
    if (asked === null || !asked.startsWith('{')) continue;
    for (const [key, request] of memberTexts(asked)) {
      const method = stringIn(request, 'method');
      if (!inboxMethods.some((one) => one === method)) continue;
      const params = memberText(request, ['params']) ?? '{}';
      const at = { method, params, by: 'input', key, row: resultRow, callId: callIdOf(row) } as const;
      entries.push(entryOf(options, at));
    }
  }
  return entries.slice(-MAX_QUESTIONS);
}

/** Adds the answers that a request carries to the latest open questions with their keys. */
function answerInputs(entries: InboxEntry[], row: number, sent: string): void {
  const responses = memberText(sent, ['params', 'inputResponses']);
  if (responses === null || !responses.startsWith('{')) return;
  for (const [key, json] of memberTexts(responses)) {
    const at = entries.findLastIndex((one) => one.key === key && one.answer === null && one.row < row);
    const entry = entries[at];
    if (entry === undefined) continue;
    const content = resultAnswer(entry.method, json);
    entries[at] = { ...entry, state: 'answered', answer: { content, by: 'recorded' }, responseRow: row };
  }
}

/** Notes the addresses that the server called complete (MCP 2025-11-25 elicitation, URL mode). */
async function noteCompletions(
  entries: InboxEntry[],
  { requests }: RecordedInboxOptions,
): Promise<InboxEntry[]> {
  const completed = new Map<string, number>();
  for (const row of requests.completions.slice(-MAX_QUESTIONS)) {
    const { params } = await requests.params(row);
    if (isObject(params) && typeof params.elicitationId === 'string')
      completed.set(params.elicitationId, row);
  }
  if (completed.size === 0) return entries;
  return entries.map((entry) => ({
    ...entry,
    completedRow: completed.get(stringIn(entry.params, 'elicitationId')) ?? null,
  }));
}

/** A member of a JSON object as a string; empty if it is not a string. */
function stringIn(json: string, member: string): string {
  const text = memberText(json, [member]);
  const value: unknown = text === null ? null : JSON.parse(text);
  return typeof value === 'string' ? value : '';
}

const rejections: readonly Rejection[] = ['decline', 'cancel'];

/** What a response says. @param response JSON text of the message */
function answerOf(method: string, response: string): InboxAnswer {
  const result = memberText(response, ['result']);
  if (result !== null) return resultAnswer(method, result);
  const error: unknown = JSON.parse(memberText(response, ['error']) ?? '{}');
  const code = isObject(error) && typeof error.code === 'number' ? error.code : 0;
  const message = isObject(error) && typeof error.message === 'string' ? error.message : '';
  const kind = rejections.find((one) => {
    const own = rejectionError(method, one);
    return own?.code === code && own.message === message;
  });
  return kind === undefined ? { kind: 'error', code, message } : { kind };
}

function resultAnswer(method: string, json: string): InboxAnswer {
  const action = method === 'elicitation/create' && json.startsWith('{') ? stringIn(json, 'action') : '';
  const kind = rejections.find((one) => one === action);
  return kind === undefined || memberTexts(json).size > 1 ? { kind: 'result', json } : { kind };
}

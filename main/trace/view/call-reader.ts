import { MAX_TRACED_RESPONSE, type TracedCall } from '#shared/contract/trace.ts';
import { memberText, withoutMember } from '#shared/json/members.ts';
import { listMethods } from '#shared/contract/catalog.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { readMessageTexts } from './row-reader.ts';
import { responseOf, withTaskResults } from './task-results.ts';

/** Bytes that are held at a time. */
const MAX_HELD = 32 * 1024 * 1024;

/** Requests that belong to the session as such, and lists, which are compared as such. */
const ownMethods: ReadonlySet<string> = new Set([
  'initialize',
  'server/discover',
  'ping',
  'roots/list',
  ...Object.values(listMethods),
]);

/** The member of `params` that names what a request is about. */
const targetMembers: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'resources/subscribe': 'uri',
  'resources/unsubscribe': 'uri',
};

/**
 * The requests of a trace with their responses, from a row on. `next` is the row to go on from, null at the end.
 *
 * @param count how many to return at most
 * @param which `every`: also those of the session as such, and what was sent to detect the era; a task is then a response like others
 */
export async function readCalls(
  trace: ReadableTrace,
  from: number,
  count: number,
  which: 'calls' | 'every' = 'calls',
): Promise<{ calls: TracedCall[]; next: number | null }> {
  const { columns } = trace.index;
  const requests: number[] = [];
  let row = from;
  let held = 0;
  for (; row < columns.count && requests.length < count && held < MAX_HELD; row++) {
    if (which === 'every' ? columns.kind(row) !== 'request' : !isCall(columns, row)) continue;
    requests.push(row);
    held += columns.size(row) + sizeOfResponse(columns, row);
  }
  const readable = requests.map((request) => columns.pair(request)).filter((pair) => pair !== null);
  const responses = readable.filter((pair) => columns.size(pair) <= MAX_TRACED_RESPONSE);
  const texts = await readMessageTexts(trace, [...requests, ...responses]);
  const calls = requests.map((request) => callOf(columns, request, texts));
  const next = row < columns.count ? row : null;
  return { calls: which === 'every' ? calls : await withTaskResults(trace, calls), next };
}

function isCall(columns: RowColumns, row: number): boolean {
  if (columns.kind(row) !== 'request' || columns.isPartOfProbe(row)) return false;
  const isOurs = columns.direction(row) === 'out';
  return !(isOurs && columns.isAutomatic(row)) && !ownMethods.has(columns.method(row) ?? '');
}

function sizeOfResponse(columns: RowColumns, row: number): number {
  const pair = columns.pair(row);
  return pair === null ? 0 : Math.min(MAX_TRACED_RESPONSE, columns.size(pair));
}

function callOf(columns: RowColumns, row: number, texts: ReadonlyMap<number, string>): TracedCall {
  const method = columns.method(row) ?? '';
  const responseRow = columns.pair(row);
  const message = responseRow === null ? undefined : texts.get(responseRow);
  const params = memberText(texts.get(row) ?? '', ['params']);
  return {
    row,
    responseRow,
    method,
    direction: columns.direction(row) ?? 'out',
    target: targetOf(method, params),
    // `_meta` of a request is the session's: progress tokens, and in the modern era the revision.
    params: params === null ? null : withoutMember(params, '_meta'),
    ...responseOf(message),
    isTooLarge: responseRow !== null && message === undefined,
    at: columns.at(row),
    duration: responseRow === null ? null : columns.at(responseRow) - columns.at(row),
  };
}

/** The tool, prompt or URI of a request; null if the method has none. @param params JSON text */
export function targetOf(method: string, params: string | null): string | null {
  const member = targetMembers[method];
  const target = member === undefined || params === null ? null : memberText(params, [member]);
  return target?.startsWith('"') === true ? String(JSON.parse(target)) : target;
}

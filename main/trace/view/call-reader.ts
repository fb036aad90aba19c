import { MAX_TRACED_RESPONSE, type TracedCall } from '#shared/contract/trace.ts';
import { memberText, withoutMember } from '#shared/json/members.ts';
import { listMethods } from '#shared/contract/catalog.ts';
import type { TraceHeader } from '#shared/trace/record.ts';
import type { RowKind } from '#shared/trace/row.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { readMessageTexts } from './row-reader.ts';
import { responseOf, TaskResults } from './task-results.ts';

/** Bytes of the requests, responses and results of tasks in one page; the last call may exceed it. */
const MAX_HELD = 32 * 1024 * 1024;

/** Requests that belong to the session as such, and lists, which are compared as such. */
const ownMethods: ReadonlySet<string> = new Set([
  'initialize',
  'server/discover',
  'ping',
  'roots/list',
  ...Object.values(listMethods),
]);

/** Rows of what is no message, such as a line that is not JSON. */
const unreadableKinds: ReadonlySet<RowKind> = new Set(['noise', 'sse']);

/** The member of `params` that names what a request is about. */
const targetMembers: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'resources/subscribe': 'uri',
  'resources/unsubscribe': 'uri',
};

/** Reads the requests of one trace with their responses. */
export class CallReader {
  readonly #trace: ReadableTrace;
  readonly #tasks: TaskResults;
  readonly #maxHeld: number;
  /** Requests that were sent again after an authorization, which the call ends with. */
  readonly #sentAgain = new Set<number>();
  /** Rows before this one were searched for them. */
  #scanned = 0;

  constructor(trace: ReadableTrace, { maxHeld = MAX_HELD }: { readonly maxHeld?: number } = {}) {
    this.#trace = trace;
    this.#tasks = new TaskResults(trace);
    this.#maxHeld = maxHeld;
  }

  /**
   * The requests from a row on. `next` is the row to go on from, null at the end.
   *
   * @param count how many to return at most
   * @param which `every`: also those of the session as such, and what was sent to detect the era; a task is then a response like others
   */
  async read(
    from: number,
    count: number,
    which: 'calls' | 'every' = 'calls',
  ): Promise<{ calls: TracedCall[]; next: number | null }> {
    const { columns } = this.#trace.index;
    this.#scan();
    const requests: number[] = [];
    let row = from;
    let held = 0;
    for (; row < columns.count && requests.length < count && held < this.#maxHeld; row++) {
      if (which === 'every' ? columns.kind(row) !== 'request' : !isCall(columns, row)) continue;
      if (this.#sentAgain.has(row)) continue;
      requests.push(row);
      held += sizeOf(columns, row);
    }
    const readable = requests.map((request) => columns.pair(request)).filter((pair) => pair !== null);
    const responses = readable.filter((pair) => columns.size(pair) <= MAX_TRACED_RESPONSE);
    const texts = await readMessageTexts(this.#trace, [...requests, ...responses]);
    const { clock } = this.#trace.header;
    const calls = requests.map((request) => callOf(columns, request, texts, clock));
    const next = row < columns.count ? row : null;
    if (which === 'every') return { calls, next };
    const ended = await this.#withTaskResults(calls);
    return { calls: ended, next: calls[ended.length]?.row ?? next };
  }

  /** Gives calls the results of their tasks: as many calls, from the first on, as may be held. */
  async #withTaskResults(calls: readonly TracedCall[]): Promise<TracedCall[]> {
    const { columns } = this.#trace.index;
    const rows = await this.#tasks.rowsOf(calls);
    let held = 0;
    const kept = calls.filter((call) => {
      const isKept = held < this.#maxHeld;
      const row = rows.get(call);
      held += sizeOf(columns, call.row) + (row === undefined ? 0 : columns.size(row));
      return isKept;
    });
    const results = kept.flatMap((call) => rows.get(call) ?? []);
    const texts = await readMessageTexts(this.#trace, results);
    return kept.map((call) => {
      const row = rows.get(call);
      return row === undefined ? call : this.#tasks.withResult(call, row, texts);
    });
  }

  /** Notes the requests that were sent again up to the last row. The parent of a further round of a call required input instead. */
  #scan(): void {
    const { columns } = this.#trace.index;
    for (; this.#scanned < columns.count; this.#scanned++) {
      const row = this.#scanned;
      const first = columns.parent(row);
      if (first === null || columns.kind(row) !== 'request' || columns.direction(row) !== 'out') continue;
      const isSame = columns.kind(first) === 'request' && columns.direction(first) === 'out';
      if (isSame && columns.status(first) !== 'input-required') this.#sentAgain.add(first);
    }
  }
}

function isCall(columns: RowColumns, row: number): boolean {
  if (columns.kind(row) !== 'request' || columns.isPartOfProbe(row)) return false;
  const isOurs = columns.direction(row) === 'out';
  return !(isOurs && columns.isAutomatic(row)) && !ownMethods.has(columns.method(row) ?? '');
}

/** Bytes of a request and its response. */
const sizeOf = (columns: RowColumns, row: number): number => columns.size(row) + sizeOfResponse(columns, row);

function sizeOfResponse(columns: RowColumns, row: number): number {
  const pair = columns.pair(row);
  return pair === null ? 0 : Math.min(MAX_TRACED_RESPONSE, columns.size(pair));
}

function callOf(
  columns: RowColumns,
  row: number,
  texts: ReadonlyMap<number, string>,
  clock: TraceHeader['clock'],
): TracedCall {
  const method = columns.method(row) ?? '';
  const pair = columns.pair(row);
  // What cannot be read as a message is no response to compare or to play back.
  const responseRow = pair === null || unreadableKinds.has(columns.kind(pair)) ? null : pair;
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
    // A converted file may have no time of day.
    ...(clock.wall > 0 && { startedAt: clock.wall + (columns.at(row) - clock.at) / 1000 }),
    duration: responseRow === null ? null : columns.at(responseRow) - columns.at(row),
  };
}

/** The tool, prompt or URI of a request; null if the method has none. @param params JSON text */
export function targetOf(method: string, params: string | null): string | null {
  const member = targetMembers[method];
  const target = member === undefined || params === null ? null : memberText(params, [member]);
  return target?.startsWith('"') === true ? String(JSON.parse(target)) : target;
}

import { TOOLS_CALL } from '#shared/protocol/methods.ts';
import type { CallStatistics, Statistics, ToolSize } from '#shared/contract/trace.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { ErrorGroups } from './error-groups.ts';
import type { ReadableTrace } from './readable-trace.ts';
import type { RowColumns } from './rows/row-columns.ts';
import type { ChosenRows } from './trace-feed.ts';
import { elementTexts, memberText } from '#shared/json/members.ts';
import { readMessageText } from './view/row-reader.ts';
import { nextTurn } from '#transports/async.ts';
import { DurationHistogram, SizesOverTime } from './statistics-charts.ts';

/** Rows per turn of the event loop. */
const STRETCH = 20_000;

/** The statistics of the chosen rows: calls by method and tool, bytes, sizes of tool definitions, errors by what they say. */
export async function statisticsOf(trace: ReadableTrace, rows: ChosenRows): Promise<Statistics> {
  const { columns } = trace.index;
  const calls = new Map<string, Group>();
  const toolSizes = new ToolSizes(trace);
  const errors = new ErrorGroups(trace);
  const start = rows.count === 0 ? 0 : columns.at(rows.at(0));
  const span = rows.count === 0 ? 0 : columns.at(rows.at(rows.count - 1)) - start;
  const sizes = new SizesOverTime(start, span);
  const durations = new DurationHistogram();
  let bytesIn = 0;
  let bytesOut = 0;
  let [requests, responses, notifications] = [0, 0, 0];
  for (let index = 0; index < rows.count; index++) {
    if (index > 0 && index % STRETCH === 0) await nextTurn();
    const row = rows.at(index);
    // The messages of a batch came in one unit, whose bytes count once.
    if (columns.channel(row) !== null && columns.position(row) === 0) {
      const direction = columns.direction(row) === 'in' ? 'in' : 'out';
      if (direction === 'in') bytesIn += columns.size(row);
      else bytesOut += columns.size(row);
      sizes.add(columns.at(row), direction, columns.size(row));
    }
    const kind = columns.kind(row);
    if (kind === 'request' || kind === 'notification') groupOf(calls, columns, row).add(columns, row);
    if (kind === 'request') requests++;
    else if (kind === 'notification') notifications++;
    else if (kind === 'result' || kind === 'error') responses++;
    const duration = kind === 'request' ? columns.duration(row) : null;
    if (duration !== null) durations.add(duration);
    if (kind === 'result' && columns.method(row) === TOOLS_LIST) await toolSizes.add(row);
    if (columns.isError(row)) await errors.add(row);
  }
  const { groups, ungrouped } = await errors.finish();
  return {
    rows: rows.count,
    requests,
    responses,
    notifications,
    span,
    bytesIn,
    bytesOut,
    durations: durations.toView(),
    sizes: sizes.toView(),
    calls: [...calls.values()].map((group) => group.toView(trace)).sort(byTime),
    tools: toolSizes.sorted(),
    errorGroups: groups,
    ungroupedErrors: ungrouped,
  };
}

const TOOLS_LIST = 'tools/list';

/** Sorted by total time; those without responses by count. */
const byTime = (a: CallStatistics, b: CallStatistics): number =>
  timeOf(b) - timeOf(a) || b.count - a.count || a.method.localeCompare(b.method);
const timeOf = ({ p50, longest, count }: CallStatistics): number => (p50 ?? longest ?? 0) * count;

function groupOf(groups: Map<string, Group>, columns: RowColumns, row: number): Group {
  const method = columns.method(row) ?? '';
  const tool = method === TOOLS_CALL ? columns.subject(row) : null;
  const direction = columns.direction(row) ?? 'out';
  const key = JSON.stringify([direction, method, tool]);
  const known = groups.get(key);
  if (known !== undefined) return known;
  const group = new Group(method, tool, direction);
  groups.set(key, group);
  return group;
}

/** Requests or notifications of one method and tool. */
class Group {
  readonly #method: string;
  readonly #tool: string | null;
  readonly #direction: CallStatistics['direction'];
  readonly #durations: number[] = [];
  #count = 0;
  #errors = 0;
  #pending = 0;
  #bytes = 0;
  #responseBytes = 0;

  constructor(method: string, tool: string | null, direction: CallStatistics['direction']) {
    this.#method = method;
    this.#tool = tool;
    this.#direction = direction;
  }

  add(columns: RowColumns, row: number): void {
    this.#count++;
    this.#bytes += shareOf(columns, row);
    const status = columns.status(row);
    if (columns.isError(row)) this.#errors++;
    if (status === 'pending') this.#pending++;
    const duration = columns.duration(row);
    if (duration !== null) this.#durations.push(duration);
    const answer = columns.pair(row);
    if (answer !== null) this.#responseBytes += shareOf(columns, answer);
  }

  toView(trace: ReadableTrace): CallStatistics {
    const durations = Float64Array.from(this.#durations).sort();
    return {
      method: trace.redacted(this.#method),
      tool: this.#tool === null ? null : trace.redacted(this.#tool),
      direction: this.#direction,
      count: this.#count,
      errors: this.#errors,
      pending: this.#pending,
      responses: durations.length,
      p50: percentile(durations, 0.5),
      p95: percentile(durations, 0.95),
      p99: percentile(durations, 0.99),
      longest: durations.at(-1) ?? null,
      bytes: Math.round(this.#bytes),
      responseBytes: Math.round(this.#responseBytes),
    };
  }
}

/** Bytes of a message; the messages of a batch share its bytes. */
const shareOf = (columns: RowColumns, row: number): number => columns.size(row) / columns.batch(row);

/** The percentile by nearest rank; null if that is the largest of the values, of which it says nothing more. */
export function percentile(sorted: Float64Array, part: number): number | null {
  const rank = Math.ceil(part * sorted.length);
  return rank === sorted.length ? null : (sorted[Math.max(0, rank - 1)] ?? null);
}

const CHARACTERS_A_TOKEN = 4;
/** Bytes above which a list is not parsed. */
const MAX_LIST = 32 * 1024 * 1024;

/** The sizes of listed tools; the last definition of a tool counts. */
class ToolSizes {
  readonly #trace: ReadableTrace;
  readonly #sizes = new Map<string, ToolSize>();

  constructor(trace: ReadableTrace) {
    this.#trace = trace;
  }

  /** Adds the result of a `tools/list`. Skips one that is too large. */
  async add(row: number): Promise<void> {
    if (this.#trace.index.columns.size(row) > MAX_LIST) return;
    for (const text of await readToolTexts(this.#trace, row)) {
      const tool: unknown = JSON.parse(text);
      if (!isObject(tool) || typeof tool.name !== 'string') continue;
      const { name } = tool;
      const bytes = Buffer.byteLength(text);
      this.#sizes.set(name, { name, bytes, tokens: Math.ceil(text.length / CHARACTERS_A_TOKEN), row });
    }
  }

  /** The largest first. */
  sorted(): ToolSize[] {
    return [...this.#sizes.values()].sort((a, b) => b.bytes - a.bytes);
  }
}

/** The tools of a list as written. */
async function readToolTexts(trace: ReadableTrace, row: number): Promise<string[]> {
  const tools = memberText(await readMessageText(trace, row), ['result', 'tools']);
  return tools === null ? [] : elementTexts(tools);
}

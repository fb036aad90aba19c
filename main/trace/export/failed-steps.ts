import { formatQuantity } from '#shared/format.ts';
import type { ServerEnd } from '#shared/contract/trace.ts';
import { isObject, type Message } from '#shared/protocol/jsonrpc.ts';
import { rowNumber } from '#shared/trace/row.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { readServerEnd } from '#trace/view/server-end.ts';
import { fenced, inline } from './markdown.ts';
import type { Source } from './source.ts';
import { lastStderrDuring } from './stderr-of-calls.ts';

/** Lines of standard error of one step, members of its response, and characters of one of them. */
const MAX_STDERR = 20;
const MAX_MEMBERS = 20;
const MAX_MEMBER = 1000;

/** Why a step failed, beside the text of its response. */
interface Failure {
  /** The response; null without one. */
  readonly response: number | null;
  readonly stderr: ReturnType<typeof lastStderrDuring>;
  /** How the process of the server ended, for a step without a response. */
  readonly end: ServerEnd | null;
}

/** What a report says of the failed ones of its steps, beyond their line. */
export class FailedSteps {
  readonly #failures: ReadonlyMap<number, Failure>;
  readonly #responses: ReadonlySet<number | null>;
  /** The members of each response, as lines. */
  readonly #members = new Map<number, string[]>();

  private constructor(failures: ReadonlyMap<number, Failure>) {
    this.#failures = failures;
    this.#responses = new Set([...failures.values()].map(({ response }) => response));
  }

  static async of(source: Source, steps: readonly number[]): Promise<FailedSteps> {
    const { columns } = source.trace.index;
    const failures = new Map<number, Failure>();
    for (const row of steps) {
      if (!columns.isError(row)) continue;
      await source.turns.pass();
      // Without what the server printed at its end, the step is still reported.
      const end =
        columns.status(row) === 'unanswered' ? await readServerEnd(source.trace).catch(() => null) : null;
      const stderr = lastStderrDuring(columns, row, { most: MAX_STDERR, count: source.extent.rows });
      failures.set(row, { response: columns.pair(row), stderr, end });
    }
    return new FailedSteps(failures);
  }

  /** The rows that are quoted. */
  get rows(): number[] {
    return [...this.#failures.values()].flatMap(({ response, stderr, end }) => [
      ...(response === null ? [] : [response]),
      ...stderr.rows,
      ...(end === null ? [] : [end.row]),
    ]);
  }

  /** Notes a row if it is the response of a failed step. @param read reads its message, with its secrets replaced */
  add(row: number, read: () => Message | null): void {
    if (!this.#responses.has(row)) return;
    const members = membersOf(read());
    if (members.length > 0) this.#members.set(row, members);
  }

  /** The lines about a failed step, as a list below it; none for others. @param texts of the rows that are quoted */
  linesOf(step: number, columns: RowColumns, texts: ReadonlyMap<number, string>): string[] {
    const failure = this.#failures.get(step);
    if (failure === undefined) return [];
    const { response, stderr, end } = failure;
    const lines = response === null ? [] : [...(this.#members.get(response) ?? [])];
    if (end !== null) {
      const said = columns.kind(end.row) === 'stderr' ? `: ${inline(texts.get(end.row) ?? '')}` : '';
      lines.push(`- The server ${end.what}, ${rowNumber(end.row)}${said}`);
    }
    if (stderr.rows.length > 0) {
      const more =
        stderr.more === 0
          ? ''
          : `, the last lines; ${formatQuantity(stderr.more, 'more is', 'more are')} in the trace`;
      const printed = fenced(stderr.rows.map((row) => texts.get(row) ?? ''));
      lines.push(`- Standard error during it${more}:`, '', ...printed.map((line) => `  ${line}`));
    }
    return lines;
  }
}

/** What a response says beside its first text. */
function membersOf(message: Message | null): string[] {
  if (message?.type === 'error') {
    return 'data' in message.error ? [member('data', message.error.data)] : [];
  }
  if (message?.type !== 'result' || !isObject(message.result) || !('content' in message.result)) return [];
  const { content, isError: _isError, resultType: _resultType, _meta, ...others } = message.result;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const quoted = blocks.findIndex((block) => isObject(block) && typeof block.text === 'string');
  const further = blocks.filter((_, index) => index !== quoted);
  const names = Object.keys(others);
  const meta = isObject(_meta) ? Object.entries(_meta).filter(([key]) => !isOfProtocol(key)) : [];
  return [
    // Without a text the line of the step has the whole result.
    ...(quoted === -1 || further.length === 0 ? [] : [member('content', further)]),
    ...(quoted === -1 ? [] : names.slice(0, MAX_MEMBERS).map((name) => member(name, others[name]))),
    ...(quoted === -1 || names.length <= MAX_MEMBERS
      ? []
      : [
          `- ${formatQuantity(names.length - MAX_MEMBERS, 'more member is', 'more members are')} in the trace`,
        ]),
    ...(meta.length === 0 ? [] : [member('_meta', Object.fromEntries(meta))]),
  ];
}

const member = (name: string, value: unknown): string =>
  `- ${inline(name)}: ${inline(JSON.stringify(value) ?? '', MAX_MEMBER)}`;

/** Keys of `_meta` that the protocol reserves (MCP 2025-06-18 basic, `_meta`), which say nothing about the call. */
function isOfProtocol(key: string): boolean {
  const [prefix = ''] = key.split('/', 1);
  const labels = prefix === key ? [] : prefix.toLowerCase().split('.');
  return key === 'progressToken' || labels.includes('modelcontextprotocol') || labels.includes('mcp');
}

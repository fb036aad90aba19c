import {
  type ErrorGroup,
  MAX_ERROR_GROUPS,
  MAX_GROUPED_ERRORS,
  MAX_ROWS_OF_GROUP,
} from '#shared/contract/trace.ts';
import { truncate } from '#shared/format.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { TOOLS_CALL } from '#shared/protocol/methods.ts';
import type { TraceRecord } from '#shared/trace/record.ts';
import type { ReadableTrace } from './readable-trace.ts';
import { readText } from './units/read-unit.ts';
import { parseRecord, rowFacts, slicesBy, summarize, textOf } from './view/row-reader.ts';

/** Errors that are read at one go. */
const MAX_PENDING = 2000;
/** Characters of a text that tell errors apart. */
const MAX_TEXT = 300;

/** Groups the errors of a trace by what they say. */
export class ErrorGroups {
  readonly #trace: ReadableTrace;
  readonly #groups = new Map<string, Group>();
  #pending: number[] = [];
  #added = 0;
  #ungrouped = 0;

  constructor(trace: ReadableTrace) {
    this.#trace = trace;
  }

  /** Adds a row that counts as an error, in the order of the rows. @throws FaultError if the file cannot be read */
  async add(row: number): Promise<void> {
    if (this.#added === MAX_GROUPED_ERRORS) {
      this.#ungrouped++;
      return;
    }
    this.#added++;
    this.#pending.push(row);
    if (this.#pending.length === MAX_PENDING) await this.#readPending();
  }

  /** The most frequent first, and how many errors are in none of them. */
  async finish(): Promise<{ readonly groups: ErrorGroup[]; readonly ungrouped: number }> {
    await this.#readPending();
    const groups = [...this.#groups.values()].sort(
      (a, b) => b.count - a.count || (a.rows[0] ?? 0) - (b.rows[0] ?? 0),
    );
    return { groups: groups.map(toView), ungrouped: this.#ungrouped };
  }

  async #readPending(): Promise<void> {
    const rows = this.#pending;
    this.#pending = [];
    const { columns } = this.#trace.index;
    const said = rows.map((row) => ({ row, from: this.#rowThatSays(row) }));
    for (const slice of slicesBy(said, ({ from }) => (from === null ? 0 : columns.length(from)))) {
      const places = slice.flatMap(({ from }) =>
        from === null ? [] : [{ offset: columns.offset(from), length: columns.length(from) }],
      );
      const lines = await this.#trace.file.read(places);
      let next = 0;
      for (const { row, from } of slice) {
        this.#count(row, from === null ? null : this.#textIn(parseRecord(lines[next++] ?? ''), from));
      }
    }
  }

  /** The row with the text of an error: of a failed call its response; null if there was none. */
  #rowThatSays(row: number): number | null {
    const { columns } = this.#trace.index;
    return columns.kind(row) === 'request' ? columns.pair(row) : row;
  }

  #textIn(record: TraceRecord, row: number): string | null {
    const { columns } = this.#trace.index;
    const isToolError = columns.status(row) === 'tool-error';
    return this.#trace.redacted(
      isToolError ? toolErrorIn(record, columns.position(row)) : summarize(record, rowFacts(columns, row)),
    );
  }

  #count(row: number, text: string | null): void {
    const { columns } = this.#trace.index;
    const facts = {
      kind: columns.kind(row),
      method: columns.method(row),
      tool: columns.method(row) === TOOLS_CALL ? columns.subject(row) : null,
      status: columns.status(row),
      code: columns.code(row),
    };
    const pattern = text === null ? null : withoutDetails(text);
    const key = JSON.stringify([facts, pattern]);
    const known = this.#groups.get(key);
    if (known !== undefined) {
      known.count++;
      known.last = row;
      if (known.rows.length < MAX_ROWS_OF_GROUP) known.rows.push(row);
    } else if (this.#groups.size < MAX_ERROR_GROUPS) {
      const { method, tool } = facts;
      const redacted = { method: this.#trace.redacted(method), tool: this.#trace.redacted(tool) };
      this.#groups.set(key, { ...facts, ...redacted, text, pattern, count: 1, rows: [row], last: row });
    } else {
      this.#ungrouped++;
    }
  }
}

interface Group extends Omit<ErrorGroup, 'rows'> {
  readonly pattern: string | null;
  count: number;
  readonly rows: number[];
  last: number;
}

/** One error is shown as it was written, several by what they have in common. */
const toView = ({ pattern, text, ...group }: Group): ErrorGroup => ({
  ...group,
  text: group.count === 1 && text !== null ? truncate(oneLine(text), MAX_TEXT) : pattern,
});

/** The text of a tool error (MCP 2025-06-18, tools, error handling); null if it has none that can be read. */
function toolErrorIn(record: TraceRecord, position: number): string | null {
  if (record.kind !== 'unit') return null;
  const text = textOf(record);
  if (text.length > MAX_PARSED) return null;
  const reading = readText(text);
  const envelope = reading.type === 'noise' ? undefined : reading.envelopes[position];
  if (envelope === undefined || 'defect' in envelope || envelope.message.type !== 'result') return null;
  const { result } = envelope.message;
  if (!isObject(result) || !Array.isArray(result.content)) return null;
  const block: unknown = result.content.find((one: unknown) => isObject(one) && one.type === 'text');
  return isObject(block) && typeof block.text === 'string' ? block.text : null;
}

/** Longer results are grouped without their text. */
const MAX_PARSED = 64 * 1024;

/** What an error says, with quoted strings, ids and numbers left out. */
export const withoutDetails = (text: string): string =>
  truncate(oneLine(text), MAX_TEXT)
    .replaceAll(/"(?:\\.|[^"\\])*(?:"|\\?$)/gs, '"…"')
    .replaceAll(/`[^`]*(?:`|$)/g, '`…`')
    .replaceAll(/“[^”]*(?:”|$)/g, '“…”')
    .replaceAll(/(?<!\w)'[^']*'(?!\w)/g, "'…'")
    .replaceAll(/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi, '…')
    .replaceAll(/\b(?=[a-z]*\d)(?:0x[\da-f]+|[\da-f]{8,}|[\w-]{20,})\b/gi, '…')
    .replaceAll(/\d+(?:[.,:]\d+)*/g, '…');

const oneLine = (text: string): string =>
  text
    .slice(0, 4 * MAX_TEXT)
    .replaceAll(/\s+/g, ' ')
    .trim();

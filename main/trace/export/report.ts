import { formatClock, formatCount, formatDuration, formatQuantity } from '#shared/format.ts';
import { isObject, type Message, subjectOf } from '#shared/protocol/jsonrpc.ts';
import type { ProcessChange, TraceHeader, TraceRecord } from '#shared/trace/record.ts';
import { channelKinds, rowNumber } from '#shared/trace/row.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { readText } from '#trace/units/read-unit.ts';
import { rowFacts, summarize, textOf } from '#trace/view/row-reader.ts';
import { FailedSteps } from './failed-steps.ts';
import { fenced, inline, section } from './markdown.ts';
import type { Counts, Output } from './output.ts';
import { eachOf, type Source } from './source.ts';

/** Limits of what a person reads in an issue. */
const MAX_STEPS = 200;
const MAX_ERRORS = 50;
const MAX_FINDINGS = 50;
const MAX_STDERR = 40;
/** Longer messages are not parsed. */
const MAX_PARSED = 64 * 1024;

/**
 * Writes a report of the chosen rows in Markdown: the environment, how the server was run, what the user did, what went
 * wrong, and the last lines of standard error.
 */
export async function writeReport(source: Source, output: Output): Promise<Counts> {
  const { columns } = source.trace.index;
  const chosen = choose(columns, eachOf(source.rows));
  const context = contextRows(columns);
  const failed = await FailedSteps.of(source, chosen.steps.shown);
  const responses = chosen.steps.shown.flatMap((row) => columns.pair(row) ?? []);
  const wanted = [
    ...failed.rows,
    ...chosen.steps.shown,
    ...chosen.errors.shown,
    ...chosen.stderr.shown,
    ...context,
    ...responses,
  ];
  const facts = new Facts();
  const texts = new Map<number, string>();
  const rows = [...new Set(wanted)].sort((a, b) => a - b);
  for await (const { rows: own, record } of source.records(rows)) {
    for (const row of own) {
      facts.add(record, columns, row);
      texts.set(row, describe(record, columns, row));
      failed.add(row, () => messageIn(record, columns.position(row)));
    }
  }
  const time = clockOf(source.trace.header, columns);
  const lineOf = (row: number): string => {
    const outcome = outcomeOf(columns, row, texts);
    return `${time(row)} ${rowNumber(row)} ${texts.get(row) ?? ''}${outcome === '' ? '' : `: ${outcome}`}`;
  };
  const { header } = source;
  await output.write(`# ${inline(header.server.name)}, ${header.createdAt}\n`);
  await output.write(section('Environment', [...environmentLines(header), ...facts.lines(header)]));
  await output.write(
    section(
      'Steps',
      listed(chosen.steps, lineOf, (line, index, row) => {
        const number = `${index + 1}. `;
        const more = failed.linesOf(row, columns, texts);
        const indent = ' '.repeat(number.length);
        return [`${number}${line}`, ...more.map((one) => (one === '' ? '' : `${indent}${one}`))].join('\n');
      }),
    ),
  );
  await output.write(section('Other errors', listed(chosen.errors, lineOf)));
  await output.write(section('Findings', findingLines(source)));
  const stderr = chosen.stderr.shown.map((row) => texts.get(row) ?? '');
  await output.write(
    section(`Standard error${chosen.stderr.more > 0 ? ', the last lines' : ''}`, fenced(stderr)),
  );
  const reported = [...chosen.steps.shown, ...chosen.errors.shown];
  const quoted = new Set([...reported.flatMap((row) => quotedResponse(columns, row) ?? []), ...failed.rows]);
  return {
    entries: chosen.steps.shown.length + chosen.steps.more,
    leftOut: 0,
    additions: await source.additions((row) => quoted.has(row)),
  };
}

/** Rows of a list, up to its limit, and how many more there are. */
interface Rows {
  readonly shown: number[];
  more: number;
}

/** What the user did, the errors of nothing of that, and the last of standard error. */
function choose(columns: RowColumns, rows: Iterable<number>): Record<'steps' | 'errors' | 'stderr', Rows> {
  const steps: Rows = { shown: [], more: 0 };
  const errors: Rows = { shown: [], more: 0 };
  const stderr: Rows = { shown: [], more: 0 };
  const add = (list: Rows, row: number, most: number): void => {
    if (list.shown.length < most) list.shown.push(row);
    else list.more++;
  };
  for (const row of rows) {
    const kind = columns.kind(row);
    const isOurs = columns.direction(row) === 'out' && channelKinds.has(kind);
    if (isOurs && !columns.isAutomatic(row)) add(steps, row, MAX_STEPS);
    else if (columns.isError(row)) add(errors, row, MAX_ERRORS);
    if (kind === 'stderr') stderr.shown.push(row);
    if (stderr.shown.length > MAX_STDERR) {
      stderr.shown.shift();
      stderr.more++;
    }
  }
  return { steps, errors, stderr };
}

const handshakes: ReadonlySet<string | null> = new Set(['initialize', 'server/discover']);

/** The rows that say what was connected, chosen or not: the start and the end of the process, the first handshakes. */
function contextRows(columns: RowColumns): number[] {
  const rows: number[] = [];
  for (let row = 0; row < columns.count && rows.length < MAX_CONTEXT; row++) {
    const kind = columns.kind(row);
    if (kind === 'process') rows.push(row);
    if (kind === 'result' && handshakes.has(columns.method(row))) rows.push(row);
  }
  return rows;
}

const MAX_CONTEXT = 20;

/** How the server was run, and what it said about itself. */
class Facts {
  readonly #lines = new Map<string, string>();

  add(record: TraceRecord, columns: RowColumns, row: number): void {
    if (record.kind === 'process') this.#addChange(record.change);
    if (columns.kind(row) !== 'result' || !handshakes.has(columns.method(row))) return;
    const message = messageIn(record, columns.position(row));
    if (message?.type !== 'result' || !isObject(message.result)) return;
    const { serverInfo, protocolVersion, supportedVersions } = message.result;
    if (isObject(serverInfo)) this.#set('Server', serverInfo.name, serverInfo.version);
    if (protocolVersion !== undefined) this.#set('Protocol revision', protocolVersion);
    if (Array.isArray(supportedVersions)) this.#set('Supported revisions', ...supportedVersions);
  }

  #addChange(change: ProcessChange): void {
    if (change.what === 'spawn' || change.what === 'spawn-failed') {
      this.#set('Command', [change.command, ...change.args].join(' '));
      this.#set('Folder', change.cwd);
    }
    if (change.what === 'spawn') {
      this.#set('File', change.file);
      if (change.env.length > 0) this.#set('Variables, without values', change.env.join(' '));
    }
  }

  #set(name: string, ...values: readonly unknown[]): void {
    const texts = values.filter((value) => typeof value === 'string');
    if (texts.length > 0)
      this.#lines.set(name, `- ${name}: ${texts.map((text) => inline(text, MAX_LINE)).join(' ')}`);
  }

  lines({ server }: TraceHeader): string[] {
    const transport =
      server.transport === 'stdio' ? '- Transport: stdio' : `- Transport: HTTP, ${inline(server.url)}`;
    return [transport, ...this.#lines.values()];
  }
}

/** Characters of a command line, or of the names of variables. */
const MAX_LINE = 4000;

function environmentLines({ app, environment }: TraceHeader): string[] {
  const lines = [`- App: ${inline(`${app.name} ${app.version}`)}`];
  if (environment === undefined) return lines;
  const { platform, release, arch, runtime } = environment;
  return [...lines, `- System: ${inline(`${platform} ${release} ${arch}`)}`, `- Runtime: ${inline(runtime)}`];
}

/** A row without its outcome; from its redacted record alone, because the index has names as they were received. */
function describe(record: TraceRecord, columns: RowColumns, row: number): string {
  if (record.kind === 'stderr') return textOf(record);
  if (record.kind === 'http-request') return inline(`${record.method} ${record.url}`);
  const message = messageIn(record, columns.position(row));
  switch (message?.type) {
    case 'request':
    case 'notification': {
      const { method, params } = message;
      const subject = subjectOf(method, params);
      const name = `${inline(method)}${subject === null ? '' : ` ${inline(subject)}`}`;
      return hasMore(params) ? `${name} ${inline(JSON.stringify(withoutMeta(params)))}` : name;
    }
    case 'error':
      return inline(message.error.message);
    case 'result':
      return inline(textOfResult(message.result));
    case undefined:
      return inline(
        `${columns.kind(row)}: ${summarize(record, { ...rowFacts(columns, row), subject: null })}`,
      );
  }
}

const hasMore = (params: unknown): params is Record<string, unknown> =>
  isObject(params) && Object.keys(params).some((key) => key !== '_meta' && key !== 'name' && key !== 'uri');

const withoutMeta = ({ _meta, ...params }: Record<string, unknown>): unknown =>
  isObject(params.arguments) && typeof params.name === 'string' ? params.arguments : params;

/** The text of a tool's result (MCP 2025-06-18, tools, tool result); else the result as JSON. */
function textOfResult(result: unknown): string {
  const content: readonly unknown[] = isObject(result) && Array.isArray(result.content) ? result.content : [];
  const block = content.find((one) => isObject(one) && typeof one.text === 'string');
  return isObject(block) && typeof block.text === 'string' ? block.text : JSON.stringify(result);
}

function messageIn(record: TraceRecord, position: number): Message | null {
  if (record.kind !== 'unit' || record.more === true) return null;
  const text = textOf(record);
  if (text.length > MAX_PARSED) return null;
  const reading = readText(text);
  const envelope = reading.type === 'noise' ? undefined : reading.envelopes[position];
  return envelope === undefined || 'defect' in envelope ? null : envelope.message;
}

/** The response whose text a step quotes; null if it did not fail. */
const quotedResponse = (columns: RowColumns, row: number): number | null =>
  columns.isError(row) ? columns.pair(row) : null;

/** The status of a row, its code and duration, and of an error what the response says. */
function outcomeOf(columns: RowColumns, row: number, texts: ReadonlyMap<number, string>): string {
  const [status, code, duration] = [columns.status(row), columns.code(row), columns.duration(row)];
  if (status === 'none' || columns.kind(row) === 'result') return '';
  // As the trace calls it.
  const word = status === 'unanswered' ? (code === null ? 'no response' : 'no end') : status;
  const words = [
    code === null ? word : `${word} ${code}`,
    ...(duration === null ? [] : [formatDuration(duration)]),
  ];
  const said = texts.get(quotedResponse(columns, row) ?? -1);
  return `${words.join(', ')}${said === undefined ? '' : `, ${said}`}`;
}

function clockOf({ clock }: TraceHeader, columns: RowColumns): (row: number) => string {
  return (row) => formatClock(clock.wall + (columns.at(row) - clock.at) / 1000);
}

function listed(
  { shown, more }: Rows,
  lineOf: (row: number) => string,
  item: (line: string, index: number, row: number) => string = (line) => `- ${line}`,
): string[] {
  const lines = shown.map((row, index) => item(lineOf(row), index, row));
  return more === 0 ? lines : [...lines, '', `${formatCount(more)} more are in the trace.`];
}

function findingLines(source: Source): string[] {
  const { findings, findingCount } = source.findings();
  const lines = findings
    .slice(0, MAX_FINDINGS)
    .map(
      ({ severity, rule, rows, pointer, text }) =>
        `- ${severity} ${inline(rule)} ${rows.map(rowNumber).join(' ')}${pointer ? ` ${inline(pointer)}` : ''}: ${inline(text)}`,
    );
  const more = findingCount - lines.length;
  return more === 0
    ? lines
    : [...lines, '', `${formatQuantity(more, 'more finding is', 'more findings are')} in the trace.`];
}

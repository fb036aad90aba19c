import { type Finding, MAX_FINDINGS_PER_PAGE } from '#shared/contract/checks.ts';
import { MAX_ROWS_PER_PAGE } from '#shared/contract/trace.ts';
import { formatClock, formatDuration } from '#shared/format.ts';
import { messageKinds, type TraceRow } from '#shared/trace/row.ts';
import { findingJson, findingText } from './findings.ts';
import type { HeadlessSession } from './headless-session.ts';
import { print, printJson, visibleText } from './output.ts';

/** Rows printed after the recording has ended: who records for 2 s does not want to see a flood of minutes. */
const MAX_ROWS_AFTER_END = 10_000;

/** Milliseconds that what comes after a line waits for the line to end. */
const MAX_WAIT = 1000;

interface RowFollower {
  /** Prints the rows that came since the last time, up to one that has just begun to arrive, or until it is over. */
  showNew(over: AbortSignal): Promise<void>;
  /**
   * Prints what is left, of a flood only the beginning. Returns how many rows were not printed; they are in the trace.
   */
  showRest(): Promise<number>;
  /** Whether a message of the server was among the rows. */
  hasAnswered(): boolean;
}

/**
 * Prints each row of a session with its findings, in order. HTTP exchanges and lines that were incomplete when first
 * printed are printed again when they end: a stream may be open as long as the session, and later rows must not wait.
 */
export async function rowFollower(session: HeadlessSession, json: boolean): Promise<RowFollower> {
  const { clock } = await session.request('trace/summary', {});
  const open = new Set<number>();
  let next = 0;
  let nextFinding = 0;
  /** Findings whose row was not printed yet. */
  let waiting: Finding[] = [];
  let hasAnswered = false;
  /** The row that is still arriving, and since when it is waited for. */
  let arriving = { row: -1, since: 0 };

  function isWorthWaiting({ row, kind, status }: TraceRow): boolean {
    if (kind === 'http' || status !== 'receiving') return false;
    if (arriving.row !== row) arriving = { row, since: performance.now() };
    const left = arriving.since + MAX_WAIT - performance.now();
    // The server may send nothing more, but what it sent after the line must still be printed.
    if (left > 0) session.checkAgainIn(left);
    return left > 0;
  }

  const page = (from: number, count: number) =>
    session.request('trace/rows', { filterId: null, from, count });

  /** Returns how many rows are left. */
  async function show(isWanted: (row: TraceRow) => boolean, isOver: () => boolean): Promise<number> {
    for (;;) {
      const { rows: all, total } = await page(next, MAX_ROWS_PER_PAGE);
      const stop = all.findIndex((row) => !isWanted(row));
      const rows = stop === -1 ? all : all.slice(0, stop);
      next += rows.length;
      for (const { kind, row, status } of rows) if (kind === 'http' || status === 'receiving') open.add(row);
      hasAnswered ||= rows.some(isMessageOfServer);
      const found = await takeFindings();
      const ofRow = byRow(found);
      const lines: Line[] = rows.map((row) => {
        const findings = ofRow.get(row.row) ?? [];
        ofRow.delete(row.row);
        return { ...beginOf(row), findings };
      });
      // Findings on rows that were printed before the findings were known.
      const late = [...ofRow.values()].flat();
      for (const end of await takeEnded()) {
        const later = lines.findIndex(({ at }) => at > end.at);
        lines.splice(later === -1 ? lines.length : later, 0, { ...end, findings: [] });
      }
      if (json) {
        for (const { row, findings } of lines) {
          await printJson(JSON.stringify({ ...row, findings: findings.map(findingJson) }));
        }
      } else {
        const texts = lines.flatMap(({ row, text, findings }) => [
          text,
          ...findings.map((finding) => findingLine(finding, row.at, clock)),
        ]);
        texts.push(...late.map((finding) => findingLine(finding, null, clock)));
        if (texts.length > 0) await print(texts.join('\n'));
      }
      if (stop !== -1 || next >= total || isOver()) return total - next;
    }
  }

  const endLine = (row: TraceRow) =>
    row.kind === 'http' ? exchangeEndLine(row, clock) : rowLine(row, clock);
  const beginOf = (row: TraceRow) => ({ row, at: row.at, text: rowLine(row, clock) });

  /** What was found in rows that are or were printed. Of a flood no more is fetched than is needed for these. */
  async function takeFindings(): Promise<Finding[]> {
    const isLater = ({ rows: [first = 0] }: Finding) => first >= next;
    while (!waiting.some(isLater)) {
      const more = { from: nextFinding, count: MAX_FINDINGS_PER_PAGE };
      const { findings } = await session.request('checks/findings', more);
      if (findings.length === 0) break;
      nextFinding += findings.length;
      waiting.push(...findings);
    }
    const taken = waiting.filter((finding) => !isLater(finding));
    waiting = waiting.filter(isLater);
    return taken;
  }

  /** The exchanges that have ended since the last time. */
  async function takeEnded(): Promise<ReturnType<typeof beginOf>[]> {
    const ended = [];
    for (const place of open) {
      const [row] = (await page(place, 1)).rows;
      if (row === undefined || isOpen(row)) continue;
      open.delete(place);
      ended.push({ row, at: row.at + (row.duration ?? 0), text: endLine(row) });
    }
    return ended;
  }

  return {
    async showNew(over) {
      await show(
        (row) => !isWorthWaiting(row),
        () => over.aborted,
      );
    },
    showRest() {
      const end = next + MAX_ROWS_AFTER_END;
      return show(
        () => true,
        () => next >= end,
      );
    },
    hasAnswered: () => hasAnswered,
  };
}

interface Line {
  readonly row: TraceRow;
  readonly at: number;
  readonly text: string;
  readonly findings: readonly Finding[];
}

function byRow(findings: readonly Finding[]): Map<number, Finding[]> {
  const ofRow = new Map<number, Finding[]>();
  for (const finding of findings) {
    const [row = 0] = finding.rows;
    const others = ofRow.get(row);
    if (others === undefined) ofRow.set(row, [finding]);
    else others.push(finding);
  }
  return ofRow;
}

/** Output on a message channel that is not a message, such as noise, is not a response. */
const isMessageOfServer = ({ direction, kind }: TraceRow): boolean =>
  direction === 'in' && messageKinds.has(kind);

const isOpen = ({ status }: TraceRow): boolean => status === 'pending' || status === 'receiving';

/** What ties the microseconds of a trace to the wall clock. */
export interface Clock {
  readonly at: number;
  readonly wall: number;
}

/** A row of the trace as one line: time, direction, method, what it is about, status, duration. */
function rowLine(row: TraceRow, clock: Clock): string {
  const { kind } = row;
  // The row of a request or an exchange also shows the end once it is over; their order depends on timing.
  if (kind === 'request' || kind === 'http') return line(row, clock, row.at, arrowOf(row), []);
  return line(row, clock, row.at, arrowOf(row), outcomeOf(row));
}

/** The end of an HTTP exchange as one line. */
function exchangeEndLine(row: TraceRow, clock: Clock): string {
  return line(row, clock, row.at + (row.duration ?? 0), '←', outcomeOf(row));
}

/**
 * A finding as one line below its row.
 *
 * @param at when the row was printed; null if that was long before
 */
function findingLine(finding: Finding, at: number | null, clock: Clock): string {
  const time = at === null ? '' : formatClock(clock.wall + (at - clock.at) / 1000);
  return `${time.padEnd(TIME_WIDTH)} ! ${findingText(finding)}`;
}

function line(
  { kind, method, summary }: TraceRow,
  clock: Clock,
  at: number,
  arrow: string,
  facts: readonly string[],
): string {
  const time = formatClock(clock.wall + (at - clock.at) / 1000);
  const parts = [(method ?? kind).padEnd(METHOD_WIDTH), summary.padEnd(SUMMARY_WIDTH), ...facts];
  return `${time} ${arrow} ${visibleText(parts.join('  ').trimEnd())}`;
}

/** As in `14:02:11.123`. */
const TIME_WIDTH = 12;
const METHOD_WIDTH = 26;
const SUMMARY_WIDTH = 30;

const arrowOf = ({ direction, kind }: TraceRow): string => {
  if (direction === null || kind === 'stderr') return '·';
  return direction === 'out' ? '→' : '←';
};

function outcomeOf({ status, code, duration }: TraceRow): string[] {
  const word = status === 'none' ? '' : code === null ? status : `${status} ${code}`;
  return [word, duration === null ? '' : formatDuration(duration)];
}

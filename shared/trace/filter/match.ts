import { severityOf } from '#shared/protocol/log-levels.ts';
import { TOOLS_CALL } from '#shared/protocol/methods.ts';
import type { TraceRow } from '../row.ts';
import type {
  Filter,
  FindingValue,
  RowProperty,
  MarkValue,
  Pattern,
  Range,
  StatusValue,
  Term,
} from './filter.ts';
import { fold } from './fold.ts';
import { instantIn, type TraceClock } from './instants.ts';
import { isWithin } from './numbers.ts';
import { matchesPattern } from './pattern.ts';

/** The properties of a row that a filter uses. */
export interface FilterFacts {
  readonly row: TraceRow;
  /** Its target: a tool, a prompt, a URI, a path. */
  readonly subject: string | null;
  /** Its texts on the wire, each searched separately. */
  readonly texts: readonly string[];
  /** The rules of its findings. */
  readonly rules: readonly string[];
  readonly clock: TraceClock;
  /** The names of the trace: its server, its session. */
  readonly sessions: readonly string[];
}

/** Whether a row matches a filter. */
export function matchesRow(filter: Filter, facts: FilterFacts): boolean {
  switch (filter.type) {
    case 'and':
      return filter.parts.every((part) => matchesRow(part, facts));
    case 'or':
      return filter.parts.some((part) => matchesRow(part, facts));
    case 'not':
      return !matchesRow(filter.part, facts);
    case 'term':
      return matchesTerm(filter.term, facts);
  }
}

function matchesTerm(term: Term, facts: FilterFacts): boolean {
  const { row, subject, texts } = facts;
  switch (term.field) {
    case 'word':
      return [row.method ?? '', subject ?? '', row.kind, ...texts].some((text) => contains(text, term.text));
    case 'text':
      return term.values.some((value) => texts.some((text) => contains(text, value)));
    case 'method':
      return isOneOf(term.values, row.method);
    case 'name':
      return isOneOf(term.values, subject);
    case 'tool':
      return row.method === TOOLS_CALL && isOneOf(term.values, subject);
    case 'id':
      return isOneOf(term.values, row.id === null ? null : plainId(row.id));
    case 'logger':
      return isOneOf(term.values, row.logger);
    case 'session':
      return facts.sessions.some((session) => isOneOf(term.values, session));
    case 'dir':
      return term.values.some((value) => value === row.direction);
    case 'kind':
      return term.values.includes(row.kind);
    case 'status':
      return term.values.some((value) => hasStatus(value, row));
    case 'dur':
      return isInOne(term.values, row.duration);
    case 'size':
      return isInOne(term.values, row.size);
    case 'level':
      return isInOne(term.values, severityOf(row.level));
    case 'row':
      return isInOne(term.values, row.row + 1);
    case 'exchange':
      return isInOne(term.values, row.exchange === null ? null : row.exchange + 1);
    case 'since':
      return row.at >= instantIn(term.instant, facts.clock);
    case 'until':
      return row.at <= instantIn(term.instant, facts.clock);
    case 'finding':
      return term.values.some((value) => isFound(value, facts));
    case 'mark':
      return term.values.some((value) => isMarked(value, row.mark));
    case 'is':
      return term.values.some((word) => hasProperty(word, row));
  }
}

const contains = (text: string, part: string): boolean => fold(text).includes(fold(part));

const isOneOf = (patterns: readonly Pattern[], text: string | null): boolean =>
  text !== null && patterns.some((pattern) => matchesPattern(pattern, text));

const isInOne = (ranges: readonly Range[], value: number | null): boolean =>
  value !== null && ranges.some((range) => isWithin(value, range));

/** An id without its JSON type: `"7"` and `7` are equal in a search. */
function plainId(id: string): string {
  if (!id.startsWith('"')) return id;
  try {
    return String(JSON.parse(id));
  } catch {
    // A placeholder may have replaced a quote, too.
    return id;
  }
}

/** Whether a status or code matches. */
export function hasStatus(value: StatusValue, { status, code }: Pick<TraceRow, 'status' | 'code'>): boolean {
  if ('status' in value) return status === value.status;
  if (code === null) return false;
  return 'code' in value ? code === value.code : Math.floor(code / 100) === value.hundred;
}

function isFound(value: FindingValue, { row, rules }: FilterFacts): boolean {
  if ('any' in value) return row.finding !== null;
  if ('severity' in value) return row.finding === value.severity;
  return rules.some((rule) => matchesPattern(value.rule, rule));
}

/** Whether a note matches. */
export const isMarked = (value: MarkValue, note: string | null): boolean =>
  note !== null && ('any' in value || contains(note, value.text));

/** The tests for the values of `is:`. */
export type IsFacts = Pick<
  TraceRow,
  'kind' | 'direction' | 'error' | 'automatic' | 'probe' | 'replayed' | 'composed' | 'finding' | 'mark'
>;

export function hasProperty(word: RowProperty, row: IsFacts): boolean {
  switch (word) {
    case 'error':
      return row.error;
    case 'call':
      return row.kind === 'request';
    case 'ask':
      return row.kind === 'request' && row.direction === 'in';
    case 'automatic':
      return row.automatic;
    case 'probe':
      return row.probe;
    case 'replayed':
      return row.replayed;
    case 'composed':
      return row.composed !== null;
    case 'marked':
      return row.mark !== null;
    case 'found':
      return row.finding !== null;
  }
}

import type { LogLevel } from '#shared/protocol/log-levels.ts';
import type { FindingSeverity, RowKind, RowStatus } from '../row.ts';
import type { RowProperty, Term } from './filter.ts';

export type FieldName = Exclude<Term['field'], 'word'>;

/** How the values of a field are written, for its hints and errors; `values.ts` has the parser of each field. */
export type ValueForm =
  | 'pattern'
  | 'text'
  | 'choice'
  | 'status'
  | 'duration'
  | 'size'
  | 'level'
  | 'number'
  | 'instant'
  | 'finding'
  | 'mark';

/** A suggested value, and its meaning. */
export interface Choice {
  readonly value: string;
  readonly hint: string;
}

export interface Field {
  readonly name: FieldName;
  /** Other words for it. */
  readonly aliases: readonly string[];
  readonly form: ValueForm;
  /** A description of its values. */
  readonly values: string;
  /** What it filters by, in one line. */
  readonly hint: string;
  /** Suggested values: all values of a choice, or examples. */
  readonly choices: readonly Choice[];
  /** The list of a trace's vocabulary that its values are from. */
  readonly vocabulary?: 'methods' | 'tools' | 'names' | 'loggers' | 'rules';
}

const kindHints = {
  request: 'asks for an answer',
  notification: 'asks for none',
  result: 'answer of a request',
  error: 'answer that says what went wrong',
  invalid: 'JSON that is no JSON-RPC message',
  noise: 'not even JSON',
  http: 'HTTP exchange',
  body: 'body that is no MCP message',
  sse: 'what an event stream carried beside messages',
  stderr: 'line of standard error',
  process: 'what happened to the process',
  phase: 'where the session is',
  switches: 'client switches turned on or off',
  authorization: 'step of an authorization flow',
  definitions: 'what the server defines differently from its last connection',
  'held-back': 'rest of a batch too large to be listed',
} satisfies Record<RowKind, string>;

const statusHints = {
  none: 'has no outcome',
  pending: 'waits for its answer',
  ok: 'answered',
  error: 'JSON-RPC error, or HTTP status of 400 and above',
  'tool-error': 'result with isError',
  cancelled: 'given up by who asked',
  unanswered: 'no response until the session ended',
  late: 'answered too late',
  orphan: 'answers nothing that was asked',
  invalid: 'cannot be read as what it should be',
  receiving: 'still arriving',
  failed: 'process, exchange or session that failed',
  'input-required': 'the call waits for input',
} satisfies Record<RowStatus, string>;

const severityHints = {
  error: 'the worst finding is an error',
  warning: 'the worst finding is a warning',
  info: 'the worst finding is information',
} satisfies Record<FindingSeverity, string>;

const levelHints = {
  debug: 'details for debugging',
  info: 'normal operation',
  notice: 'normal, but significant',
  warning: 'warning conditions',
  error: 'error conditions',
  critical: 'critical conditions',
  alert: 'action is needed at once',
  emergency: 'the system is unusable',
} satisfies Record<LogLevel, string>;

const isHints = {
  error: 'what went wrong, a row for each error',
  call: 'requests of either side',
  ask: 'requests of the server',
  automatic: 'sent by the session itself',
  probe: 'finding out the era',
  replayed: 'came on a resumed stream',
  composed: 'sent from the composer',
  marked: 'with a bookmark or note',
  found: 'with a finding',
} satisfies Record<RowProperty, string>;

const choices = (hints: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(hints).map(([value, hint]) => ({ value, hint }));

/** The fields of the filter language, in the order of its help. */
export const fields: readonly Field[] = [
  {
    name: 'method',
    aliases: [],
    form: 'pattern',
    values: 'method, * for anything',
    hint: 'method of a message, or of the request it answers',
    choices: [],
    vocabulary: 'methods',
  },
  {
    name: 'tool',
    aliases: [],
    form: 'pattern',
    values: 'tool, * for anything',
    hint: 'tool that is called',
    choices: [],
    vocabulary: 'tools',
  },
  {
    name: 'name',
    aliases: ['subject'],
    form: 'pattern',
    values: 'name or URI, * for anything',
    hint: 'what it is about: tool, prompt, resource, path',
    choices: [],
    vocabulary: 'names',
  },
  {
    name: 'kind',
    aliases: ['type'],
    form: 'choice',
    values: 'kind of row',
    hint: 'what sort of row it is',
    choices: choices(kindHints),
  },
  {
    name: 'dir',
    aliases: ['direction'],
    form: 'choice',
    values: 'in or out',
    hint: 'which way it went',
    choices: [
      { value: 'in', hint: 'from the server' },
      { value: 'out', hint: 'to the server' },
    ],
  },
  {
    name: 'is',
    aliases: [],
    form: 'choice',
    values: 'a word for many rows',
    hint: 'the usual questions in one word',
    choices: choices(isHints),
  },
  {
    name: 'status',
    aliases: ['code'],
    form: 'status',
    values: 'status, JSON-RPC error code or HTTP status',
    hint: 'what came of it',
    choices: [
      ...choices(statusHints),
      { value: '4xx', hint: 'HTTP status from 400 to 499' },
      { value: '5xx', hint: 'HTTP status from 500 to 599' },
      { value: '-32602', hint: 'JSON-RPC error code: invalid params' },
    ],
  },
  {
    name: 'id',
    aliases: [],
    form: 'pattern',
    values: 'JSON-RPC id, * for anything',
    hint: 'id of a request and its answer, as number or string',
    choices: [],
  },
  {
    name: 'dur',
    aliases: ['duration'],
    form: 'duration',
    values: '>200ms, <=1.5s, 1ms..5ms',
    hint: 'time from request to answer',
    choices: [
      { value: '>200ms', hint: 'longer than this (us, ms, s, m)' },
      { value: '<1ms', hint: 'shorter than this' },
      { value: '1ms..5ms', hint: 'from one to the other' },
    ],
  },
  {
    name: 'size',
    aliases: ['bytes'],
    form: 'size',
    values: '>10kB, <=1MB, 1kB..2kB',
    hint: 'bytes on the wire',
    choices: [
      { value: '>10kB', hint: 'larger than this (B, kB, MB, GB)' },
      { value: '<100B', hint: 'smaller than this' },
      { value: '1kB..2kB', hint: 'from one to the other' },
    ],
  },
  {
    name: 'level',
    aliases: ['severity'],
    form: 'level',
    values: '>=warning, error, debug..notice',
    hint: 'level of a log message, as severe or more with >=',
    choices: [
      { value: '>=warning', hint: 'warnings and what is more severe' },
      ...choices(levelHints),
      { value: 'debug..info', hint: 'from one to the other' },
    ],
  },
  {
    name: 'logger',
    aliases: [],
    form: 'pattern',
    values: 'logger, * for anything',
    hint: 'logger of a log message',
    choices: [],
    vocabulary: 'loggers',
  },
  {
    name: 'since',
    aliases: ['after'],
    form: 'instant',
    values: '10:42, 10:42:03.5, 2026-11-21T10:42, -5m',
    hint: 'from this time on',
    choices: [
      { value: '-5m', hint: 'the last five minutes of the trace (ms, s, m, h)' },
      { value: '10:42', hint: 'time of day' },
      { value: '2026-11-21T10:42', hint: 'day and time' },
    ],
  },
  {
    name: 'until',
    aliases: ['before'],
    form: 'instant',
    values: '10:42, 10:42:03.5, 2026-11-21T10:42, -5m',
    hint: 'up to this time',
    choices: [
      { value: '-5m', hint: 'until five minutes before the last row (ms, s, m, h)' },
      { value: '10:42', hint: 'time of day' },
      { value: '2026-11-21T10:42', hint: 'day and time' },
    ],
  },
  {
    name: 'finding',
    aliases: ['rule'],
    form: 'finding',
    values: 'any, error, warning, info or a rule',
    hint: 'what the checks found',
    choices: [{ value: 'any', hint: 'with a finding' }, ...choices(severityHints)],
    vocabulary: 'rules',
  },
  {
    name: 'text',
    aliases: [],
    form: 'text',
    values: 'text, in quotes when it has spaces',
    hint: 'text on the wire, in either case',
    choices: [],
  },
  {
    name: 'row',
    aliases: [],
    form: 'number',
    values: '100, >=100, 100..200',
    hint: 'number of the row',
    choices: [
      { value: '100..200', hint: 'from one to the other' },
      { value: '>100', hint: 'rows after this one' },
    ],
  },
  {
    name: 'exchange',
    aliases: [],
    form: 'number',
    values: 'number of a row',
    hint: 'what this HTTP exchange carried, by the number of its row',
    choices: [],
  },
  {
    name: 'mark',
    aliases: ['note'],
    form: 'mark',
    values: 'any, or a text in the note',
    hint: 'bookmarks and notes',
    choices: [{ value: 'any', hint: 'with a bookmark or note' }],
  },
  {
    name: 'session',
    aliases: ['server'],
    form: 'pattern',
    values: 'server or session, * for anything',
    hint: 'server or session that the trace is of',
    choices: [],
  },
];

/** The field of this name or alias, whatever its case. */
export function fieldOf(name: string): Field | undefined {
  const wanted = name.toLowerCase();
  return fields.find((field) => field.name === wanted || field.aliases.includes(wanted));
}

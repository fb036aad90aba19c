import {
  type InboxAnswer,
  type InboxMethod,
  type InboxRule,
  MAX_ANSWER_DELAY,
} from '#shared/contract/inbox.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** A rule being edited, with the fields of every kind of answer, so that switching the kind loses nothing. */
export interface RuleRow {
  readonly key: number;
  readonly method: InboxMethod;
  /** Empty for any request of the method. */
  readonly contains: string;
  readonly kind: InboxAnswer['kind'];
  /** JSON text of a result. */
  readonly json: string;
  readonly code: string;
  readonly message: string;
  /** Milliseconds. */
  readonly delay: string;
}

let lastKey = 0;

export const ruleRow = (part: Partial<Omit<RuleRow, 'key'>> = {}): RuleRow => ({
  method: 'elicitation/create',
  contains: '',
  kind: 'defaults',
  json: '',
  code: '-1',
  message: 'User rejected the request',
  delay: '0',
  ...part,
  key: ++lastKey,
});

export const ruleRowOf = ({ method, contains = '', answer, delay }: InboxRule): RuleRow =>
  ruleRow({
    method,
    contains,
    kind: answer.kind,
    delay: String(delay),
    ...(answer.kind === 'result' && { json: answer.json }),
    ...(answer.kind === 'error' && { code: String(answer.code), message: answer.message }),
  });

/** The rule of a row without errors. */
export const ruleOf = (row: RuleRow): InboxRule => ({
  method: row.method,
  ...(row.contains !== '' && { contains: row.contains }),
  answer: answerOf(row),
  delay: Number(row.delay),
});

function answerOf({ kind, json, code, message }: RuleRow): InboxAnswer {
  switch (kind) {
    case 'result':
      return { kind, json };
    case 'error':
      return { kind, code: Number(code), message };
    case 'defaults':
    case 'decline':
    case 'cancel':
      return { kind };
  }
}

/** Where the errors of a rule are, in those of all fields: `client.rules.0.json`, `.code` or `.delay`. */
export const ruleField = (index: number, member: 'json' | 'code' | 'delay'): string =>
  `client.rules.${index}.${member}`;

export function ruleErrors(rows: readonly RuleRow[]): Readonly<Record<string, string>> {
  const errors: Record<string, string> = {};
  for (const [index, row] of rows.entries()) {
    if (row.kind === 'result' && objectIn(row.json) === undefined)
      errors[ruleField(index, 'json')] = 'This must be a JSON object.';
    if (row.kind === 'error' && !/^-?\d{1,15}$/.test(row.code.trim()))
      errors[ruleField(index, 'code')] = 'An error code must be a whole number.';
    if (!/^\d+$/.test(row.delay.trim()) || Number(row.delay) > MAX_ANSWER_DELAY)
      errors[ruleField(index, 'delay')] = 'Milliseconds, at most 600000.';
  }
  return errors;
}

/** Parses JSON text; undefined if it is not an object. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Reported at the field.
    return undefined;
  }
}

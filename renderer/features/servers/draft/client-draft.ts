import { isObject } from '#shared/protocol/jsonrpc.ts';
import { type InboxAnswer, type InboxMethod, MAX_ANSWER_DELAY } from '#shared/contract/inbox.ts';
import { type ClientProfile, defaultClientProfile } from '#shared/contract/servers.ts';
import type { DraftErrors } from './draft-part.ts';

/** The client profile being edited: what we declare to a server and how we answer it. */
export interface ClientDraft {
  readonly declares: 'all' | 'custom';
  /** JSON text; kept while `all` is selected. */
  readonly capabilities: string;
  readonly roots: readonly RootRow[];
  readonly rules: readonly RuleRow[];
}

export interface RootRow {
  readonly key: number;
  readonly uri: string;
  readonly name: string;
}

/** A rule with the fields of every kind of answer, so that switching the kind loses nothing. */
export interface RuleRow {
  readonly key: number;
  readonly method: InboxMethod;
  readonly kind: InboxAnswer['kind'];
  /** JSON text of a result. */
  readonly json: string;
  readonly code: string;
  readonly message: string;
  /** Milliseconds. */
  readonly delay: string;
}

let lastKey = 0;

export const rootRow = (uri = '', name = ''): RootRow => ({ key: ++lastKey, uri, name });

export const ruleRow = (part: Partial<Omit<RuleRow, 'key'>> = {}): RuleRow => ({
  method: 'elicitation/create',
  kind: 'defaults',
  json: '',
  code: '-1',
  message: 'User rejected the request',
  delay: '0',
  ...part,
  key: ++lastKey,
});

export const clientDraftOf = ({ capabilities, roots, rules }: ClientProfile): ClientDraft => ({
  declares: capabilities === null ? 'all' : 'custom',
  capabilities: capabilities === null ? '' : JSON.stringify(capabilities, null, 2),
  roots: roots.map(({ uri, name }) => rootRow(uri, name ?? '')),
  rules: rules.map(({ method, answer, delay }) =>
    ruleRow({
      method,
      kind: answer.kind,
      delay: String(delay),
      ...(answer.kind === 'result' && { json: answer.json }),
      ...(answer.kind === 'error' && { code: String(answer.code), message: answer.message }),
    }),
  ),
});

export const emptyClientDraft = (): ClientDraft => clientDraftOf(defaultClientProfile);

export interface ParsedClient {
  /** In the shape of the contract; may be invalid. */
  readonly profile: unknown;
  /** By field: `client.capabilities`, `client.roots.0`, `client.rules.0.json`, … */
  readonly errors: DraftErrors;
  /** The field of the form for an issue of the schema, by its path inside the profile. */
  readonly fieldOf: (path: readonly PropertyKey[]) => string;
}

/** Parses a draft. Empty roots are left out. */
export function parseClientDraft({ declares, capabilities, roots, rules }: ClientDraft): ParsedClient {
  const errors: Record<string, string> = {};
  const declared = declares === 'all' ? null : objectIn(capabilities);
  if (declared === undefined) errors['client.capabilities'] = 'This must be a JSON object.';
  const filled = roots.flatMap((row, index) => (row.uri.trim() + row.name.trim() === '' ? [] : [index]));
  for (const index of filled) {
    if (roots[index]?.uri.trim() === '') errors[`client.roots.${index}`] = 'The root needs a URI.';
  }
  for (const [index, rule] of rules.entries()) {
    const at = `client.rules.${index}`;
    if (rule.kind === 'result' && objectIn(rule.json) === undefined)
      errors[`${at}.json`] = 'This must be a JSON object.';
    if (rule.kind === 'error' && !/^-?\d{1,15}$/.test(rule.code.trim()))
      errors[`${at}.code`] = 'An error code must be a whole number.';
    if (!/^\d+$/.test(rule.delay.trim()) || Number(rule.delay) > MAX_ANSWER_DELAY)
      errors[`${at}.delay`] = 'Milliseconds, at most 600000.';
  }
  return {
    profile: {
      capabilities: declared,
      roots: filled.map((index) => ({
        uri: roots[index]?.uri.trim(),
        name: roots[index]?.name.trim() || null,
      })),
      rules: rules.map((rule) => ({
        method: rule.method,
        answer: answerOf(rule),
        delay: Number(rule.delay),
      })),
    },
    errors,
    fieldOf: ([head, entry]) => {
      if (head === 'roots') return `client.roots.${filled[Number(entry)] ?? 0}`;
      return head === 'rules' ? `client.rules.${String(entry)}.delay` : 'client.capabilities';
    },
  };
}

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

/** Parses JSON text; undefined if it is not an object. */
function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Reported at the field.
    return undefined;
  }
}

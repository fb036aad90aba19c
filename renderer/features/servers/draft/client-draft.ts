import type { InboxAnswer, InboxMethod } from '#shared/contract/inbox.ts';
import { type ClientProfile, defaultClientProfile } from '#shared/contract/servers.ts';
import type { DraftErrors } from './draft-part.ts';

/** What we are to a server, as it is being edited. */
export interface ClientDraft {
  readonly announces: 'all' | 'these';
  /** JSON text; kept while all is announced. */
  readonly capabilities: string;
  readonly roots: readonly RootRow[];
  readonly rules: readonly RuleRow[];
}

export interface RootRow {
  readonly key: number;
  readonly uri: string;
  readonly name: string;
}

/** A rule with the parts of every kind of answer: those of the others are kept while one is tried. */
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
  announces: capabilities === null ? 'all' : 'these',
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

export interface ReadClient {
  /** As the contract wants it, valid or not. */
  readonly profile: unknown;
  /** By place: `client.capabilities`, `client.roots.0`, `client.rules.0.json`, … */
  readonly errors: DraftErrors;
  /** Where on the form an issue of the contract belongs, by its path inside the profile. */
  readonly placeOf: (path: readonly PropertyKey[]) => string;
}

/** What a draft amounts to. Roots left empty are left out. */
export function readClientDraft({ announces, capabilities, roots, rules }: ClientDraft): ReadClient {
  const errors: Record<string, string> = {};
  const announced = announces === 'all' ? null : objectIn(capabilities);
  if (announced === undefined) errors['client.capabilities'] = 'A JSON object is needed.';
  const filled = roots.flatMap((row, place) => (row.uri.trim() + row.name.trim() === '' ? [] : [place]));
  for (const place of filled) {
    if (roots[place]?.uri.trim() === '') errors[`client.roots.${place}`] = 'The root needs a URI.';
  }
  for (const [place, rule] of rules.entries()) {
    const at = `client.rules.${place}`;
    if (rule.kind === 'result' && objectIn(rule.json) === undefined)
      errors[`${at}.json`] = 'A JSON object is needed.';
    if (rule.kind === 'error' && !/^-?\d{1,15}$/.test(rule.code.trim()))
      errors[`${at}.code`] = 'The code of an error is a whole number.';
    if (!/^\d+$/.test(rule.delay.trim()) || Number(rule.delay) > MOST_DELAY)
      errors[`${at}.delay`] = 'Milliseconds, at most 600000.';
  }
  return {
    profile: {
      capabilities: announced,
      roots: filled.map((place) => ({
        uri: roots[place]?.uri.trim(),
        name: roots[place]?.name.trim() || null,
      })),
      rules: rules.map((rule) => ({
        method: rule.method,
        answer: answerOf(rule),
        delay: Number(rule.delay),
      })),
    },
    errors,
    placeOf: ([head, entry]) => {
      if (head === 'roots') return `client.roots.${filled[Number(entry)] ?? 0}`;
      return head === 'rules' ? `client.rules.${String(entry)}.delay` : 'client.capabilities';
    },
  };
}

const MOST_DELAY = 600_000;

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

/** The object that a JSON text is; undefined when it is none. */
function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    // Said at the field.
    return undefined;
  }
}

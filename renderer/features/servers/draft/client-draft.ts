import { type ClientProfile, defaultClientProfile } from '#shared/contract/servers.ts';
import { objectIn, ruleErrors, ruleOf, type RuleRow, ruleRowOf } from '#ui/rules/rule-row.ts';
import type { DraftErrors } from './draft-part.ts';

/** The client profile being edited: what we declare to a server and how we answer it. */
export interface ClientDraft {
  /** All empty for Sightglass itself. */
  readonly info: { readonly name: string; readonly version: string; readonly title: string };
  readonly declares: 'all' | 'custom';
  /** JSON text; kept while `all` is selected. */
  readonly capabilities: string;
  readonly roots: readonly RootRow[];
  readonly rules: readonly RuleRow[];
  /** Empty for no limit. */
  readonly requestsPerMinute: string;
  readonly holdsUnknown: boolean;
}

export interface RootRow {
  readonly key: number;
  readonly uri: string;
  readonly name: string;
}

let lastKey = 0;

export const rootRow = (uri = '', name = ''): RootRow => ({ key: ++lastKey, uri, name });

export const clientDraftOf = ({
  info,
  capabilities,
  roots,
  rules,
  requestsPerMinute,
  holdsUnknown,
}: ClientProfile): ClientDraft => ({
  info: { name: info?.name ?? '', version: info?.version ?? '', title: info?.title ?? '' },
  declares: capabilities === null ? 'all' : 'custom',
  capabilities: capabilities === null ? '' : JSON.stringify(capabilities, null, 2),
  roots: roots.map(({ uri, name }) => rootRow(uri, name ?? '')),
  rules: rules.map(ruleRowOf),
  requestsPerMinute: requestsPerMinute === undefined ? '' : String(requestsPerMinute),
  holdsUnknown: holdsUnknown === true,
});

export const emptyClientDraft = (): ClientDraft => clientDraftOf(defaultClientProfile);

export interface ParsedClient {
  /** The draft in the shape of the contract. It may be invalid. */
  readonly profile: unknown;
  /** The errors by field: `client.info.name`, `client.capabilities`, `client.roots.0`, `client.rules.0.json`, … */
  readonly errors: DraftErrors;
  /** The field of the form for an issue of the schema, by its path inside the profile. */
  readonly fieldOf: (path: readonly PropertyKey[]) => string;
}

/** Parses a draft. Empty roots are left out. */
export function parseClientDraft(draft: ClientDraft): ParsedClient {
  const { info, declares, capabilities, roots, rules, holdsUnknown } = draft;
  const errors: Record<string, string> = { ...ruleErrors(rules) };
  const limit = draft.requestsPerMinute.trim();
  if (limit !== '' && !/^[1-9]\d{0,4}$/.test(limit))
    errors['client.requestsPerMinute'] = 'A whole number from 1 to 99999, or nothing for no limit.';
  const isOwn = info.name + info.version + info.title === '';
  if (!isOwn && info.name === '') errors['client.info.name'] = 'A client has a name.';
  if (!isOwn && info.version === '') errors['client.info.version'] = 'A client has a version.';
  const declared = declares === 'all' ? null : objectIn(capabilities);
  if (declared === undefined) errors['client.capabilities'] = 'This must be a JSON object.';
  const filled = roots.flatMap((row, index) => (row.uri.trim() + row.name.trim() === '' ? [] : [index]));
  for (const index of filled) {
    if (roots[index]?.uri.trim() === '') errors[`client.roots.${index}`] = 'The root needs a URI.';
  }
  return {
    profile: {
      info: isOwn ? null : { ...info, title: info.title || null },
      capabilities: declared,
      roots: filled.map((index) => ({
        uri: roots[index]?.uri.trim(),
        name: roots[index]?.name.trim() || null,
      })),
      rules: rules.map(ruleOf),
      ...(limit !== '' && { requestsPerMinute: Number(limit) }),
      ...(holdsUnknown && { holdsUnknown }),
    },
    errors,
    fieldOf: ([head, entry]) => {
      if (head === 'info') return `client.info.${String(entry)}`;
      if (head === 'roots') return `client.roots.${filled[Number(entry)] ?? 0}`;
      if (head === 'requestsPerMinute') return 'client.requestsPerMinute';
      return head === 'rules' ? `client.rules.${String(entry)}.delay` : 'client.capabilities';
    },
  };
}

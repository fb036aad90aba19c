import type { z } from 'zod';
import {
  defaultTimeouts,
  type EraChoice,
  type KeepAlive,
  noKeepAlive,
  type Server,
  type ServerSettings,
  serverSettingsSchema,
  type Timeouts,
  type TransportSettings,
  type Variable,
} from '#shared/contract/servers.ts';
import {
  type ClientDraft,
  clientDraftOf,
  emptyClientDraft,
  parseClientDraft,
  type ParsedClient,
} from './client-draft.ts';
import {
  emptyHttpDraft,
  type HttpDraft,
  httpDraftOf,
  parseHttpDraft,
  emptyStdioDraft,
  parseStdioDraft,
  type StdioDraft,
  stdioDraftOf,
} from './transport-draft.ts';
import { type DraftErrors, type DraftOptions, type ParsedTransport, textOrNull } from './draft-part.ts';

/** A server's settings being edited, as text that may be invalid. */
export interface Draft {
  readonly name: string;
  /** Selects `stdio` or `http`; the other one keeps what was typed. */
  readonly kind: TransportSettings['kind'];
  readonly stdio: StdioDraft;
  readonly http: HttpDraft;
  readonly era: EraChoice;
  /** Empty means the newest of the era. */
  readonly revision: string;
  /** Seconds. */
  readonly timeouts: Readonly<Record<keyof Timeouts, string>>;
  /** `every`: seconds between two pings, empty for no pings. */
  readonly keepAlive: { readonly every: string; readonly onSilence: KeepAlive['onSilence'] };
  readonly client: ClientDraft;
  readonly notes: string;
  readonly connectsAtStart: boolean;
  /** The variables that were saved or edited; placeholders may have more. See `variableRows`. */
  readonly variables: readonly VariableRow[];
}

/** A variable being edited. A null value keeps the stored one. */
export interface VariableRow extends Variable {
  /** Whether it was saved before, so that its value may be stored. */
  readonly isStored: boolean;
}

/** A variable for each placeholder that needs a value, in the order of the placeholders. */
export function variableRows({ kind, stdio, http, variables }: Draft): VariableRow[] {
  const texts =
    kind === 'stdio'
      ? [stdio.commandLine, stdio.cwd, ...stdio.env.map(({ value }) => value)]
      : [http.url, ...http.headers.map(({ value }) => value)];
  const names = texts.flatMap((text) =>
    [...(text ?? '').matchAll(placeholder)].flatMap(({ groups }) =>
      groups?.end === '}' ? (groups.name ?? []) : [],
    ),
  );
  // A placeholder may be in a secret, which the page does not know.
  const all = new Set([...names, ...variables.filter(({ isStored }) => isStored).map(({ name }) => name)]);
  return [...all].map(
    (name) =>
      variables.find((one) => one.name === name) ?? {
        name,
        value: null,
        secret: name !== 'workspaceFolder',
        description: null,
        isStored: false,
      },
  );
}

/** Placeholders whose value the user gives; others are known by the environment. */
const placeholder = /\$\{(?<name>input:[^}]+|workspaceFolder)(?<end>\}|$)/g;

export const emptyDraft = (): Draft => ({
  name: '',
  kind: 'stdio',
  stdio: emptyStdioDraft(),
  http: emptyHttpDraft(),
  era: 'auto',
  revision: '',
  timeouts: inSeconds(defaultTimeouts),
  keepAlive: keepAliveDraftOf(noKeepAlive),
  client: emptyClientDraft(),
  notes: '',
  connectsAtStart: false,
  variables: [],
});

export const draftOf = (
  {
    name,
    transport,
    era,
    revision,
    timeouts,
    keepAlive,
    client,
    notes,
    variables = [],
    connectsAtStart = false,
  }: Server,
  options: DraftOptions,
): Draft => ({
  name,
  kind: transport.kind,
  stdio: transport.kind === 'stdio' ? stdioDraftOf(transport, options) : emptyStdioDraft(),
  http: transport.kind === 'http' ? httpDraftOf(transport) : emptyHttpDraft(),
  era,
  revision: revision ?? '',
  timeouts: inSeconds(timeouts),
  keepAlive: keepAliveDraftOf(keepAlive),
  client: clientDraftOf(client),
  notes,
  connectsAtStart,
  variables: variables.map((variable) => ({ ...variable, isStored: true })),
});

const inSeconds = (timeouts: Timeouts): Draft['timeouts'] => ({
  initialize: String(timeouts.initialize / 1000),
  request: String(timeouts.request / 1000),
  requestMax: String(timeouts.requestMax / 1000),
});

const keepAliveDraftOf = ({ every, onSilence }: KeepAlive): Draft['keepAlive'] => ({
  every: every === null ? '' : String(every / 1000),
  onSilence,
});

/** Parses a draft into settings, or returns what is wrong by field. */
export function parseDraft(
  draft: Draft,
  options: DraftOptions,
): { readonly settings: ServerSettings } | { readonly errors: DraftErrors } {
  const part = readPart(draft, options);
  const client = parseClientDraft(draft.client);
  const parsed = serverSettingsSchema.safeParse({
    name: draft.name.trim() === '' ? part.name || 'unnamed' : draft.name,
    transport: part.transport,
    era: draft.era,
    revision: textOrNull(draft.revision),
    timeouts: {
      initialize: milliseconds(draft.timeouts.initialize),
      request: milliseconds(draft.timeouts.request),
      requestMax: milliseconds(draft.timeouts.requestMax),
    },
    keepAlive: {
      every: draft.keepAlive.every.trim() === '' ? null : milliseconds(draft.keepAlive.every),
      onSilence: draft.keepAlive.onSilence,
    },
    client: client.profile,
    notes: draft.notes,
    connectsAtStart: draft.connectsAtStart,
    ...variablesOf(draft),
  });
  const errors: Record<string, string> = { ...part.errors, ...client.errors };
  for (const issue of parsed.error?.issues ?? []) {
    const field = fieldOf(issue, part, client);
    errors[field] ??= messageOf(field, issue);
  }
  if (parsed.success && Object.keys(errors).length === 0) return { settings: parsed.data };
  return { errors };
}

/** The name of a server for which the user gives none. */
export const suggestedName = (draft: Draft, options: DraftOptions): string => readPart(draft, options).name;

/** Left out without any: the stored ones stay. */
function variablesOf(draft: Draft): Pick<ServerSettings, 'variables'> {
  const rows = variableRows(draft);
  return rows.length === 0 ? {} : { variables: rows.map(({ isStored: _, ...variable }) => variable) };
}

const readPart = (draft: Draft, options: DraftOptions): ParsedTransport =>
  draft.kind === 'stdio' ? parseStdioDraft(draft.stdio, options) : parseHttpDraft(draft.http);

const milliseconds = (seconds: string): number =>
  seconds.trim() === '' ? Number.NaN : Math.round(Number(seconds) * 1000);

/** The field of the form that an issue of the schema belongs to. */
function fieldOf(
  { path: [head, ...rest] }: z.core.$ZodIssue,
  part: ParsedTransport,
  client: Pick<ParsedClient, 'fieldOf'>,
): string {
  if (head === 'transport') return part.fieldOf(rest);
  if (head === 'client') return client.fieldOf(rest);
  return head === 'timeouts' || head === 'keepAlive' ? `${head}.${String(rest[0])}` : String(head);
}

function messageOf(field: string, { message }: z.core.$ZodIssue): string {
  if (field.startsWith('timeouts.')) return 'A number of seconds, more than 0 and at most a day.';
  if (field === 'keepAlive.every')
    return 'A number of seconds, more than 0 and at most a day, or empty for never.';
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
}

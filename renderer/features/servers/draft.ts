import type { z } from 'zod';
import {
  defaultTimeouts,
  type Server,
  type ServerSettings,
  serverSettingsSchema,
  type StdioSettings,
  type Timeouts,
} from '#shared/contract/servers.ts';
import { isKnownRevision } from '#shared/protocol/revisions.ts';
import { joinCommandLine, splitCommandLine } from '#model/command-line.ts';

/** One variable as it is being edited. A null value is a secret that the engine holds. */
export interface EnvDraft {
  readonly key: number;
  readonly name: string;
  readonly value: string | null;
  readonly secret: boolean;
}

/** A server's settings as they are being edited: texts, valid or not. */
export interface Draft {
  readonly name: string;
  readonly commandLine: string;
  readonly cwd: string;
  readonly env: readonly EnvDraft[];
  readonly inherit: StdioSettings['inherit'];
  /** `newest`, a known revision, or `other`. */
  readonly revisionChoice: string;
  readonly otherRevision: string;
  /** Seconds. */
  readonly timeouts: Readonly<Record<keyof Timeouts, string>>;
  readonly notes: string;
}

/** What is wrong, by the field it is about: `name`, `commandLine`, `cwd`, `env.0`, `timeouts.request`, … */
export type DraftErrors = Readonly<Record<string, string>>;

export interface DraftOptions {
  readonly isWindows: boolean;
}

let lastKey = 0;
export const envDraft = (name = '', value: string | null = '', secret = false): EnvDraft => ({
  key: ++lastKey,
  name,
  value,
  secret,
});

const inSeconds = (timeouts: Timeouts): Draft['timeouts'] => ({
  initialize: String(timeouts.initialize / 1000),
  request: String(timeouts.request / 1000),
  requestMax: String(timeouts.requestMax / 1000),
});

export const emptyDraft = (): Draft => ({
  name: '',
  commandLine: '',
  cwd: '',
  env: [],
  inherit: 'safe',
  revisionChoice: 'newest',
  otherRevision: '',
  timeouts: inSeconds(defaultTimeouts),
  notes: '',
});

export function draftOf(server: Server, options: DraftOptions): Draft {
  const { command, args, cwd, env, inherit } = server.transport;
  const { revision } = server;
  const isListed = revision === null || isKnownRevision(revision);
  return {
    name: server.name,
    commandLine: joinCommandLine([command, ...args], options),
    cwd: cwd ?? '',
    env: env.map(({ name, value, secret }) => envDraft(name, value, secret)),
    inherit,
    revisionChoice: isListed ? (revision ?? 'newest') : 'other',
    otherRevision: isListed ? '' : revision,
    timeouts: inSeconds(server.timeouts),
    notes: server.notes,
  };
}

/** The settings a draft amounts to, or what is wrong with it. */
export function readDraft(
  draft: Draft,
  options: DraftOptions,
): { readonly settings: ServerSettings } | { readonly errors: DraftErrors } {
  const line = splitCommandLine(draft.commandLine, options);
  const [command = '', ...args] = line.words;
  const env = draft.env.filter(({ name, value }) => name !== '' || value !== '');
  const parsed = serverSettingsSchema.safeParse({
    name: draft.name.trim() === '' ? nameFrom(command, args) || 'unnamed' : draft.name,
    transport: {
      kind: 'stdio',
      command,
      args,
      cwd: draft.cwd.trim() === '' ? null : draft.cwd.trim(),
      env: env.map(({ name, value, secret }) => ({ name, value, secret })),
      inherit: draft.inherit,
    },
    revision: revisionOf(draft),
    timeouts: {
      initialize: milliseconds(draft.timeouts.initialize),
      request: milliseconds(draft.timeouts.request),
      requestMax: milliseconds(draft.timeouts.requestMax),
    },
    notes: draft.notes,
  });
  const errors: Record<string, string> = {};
  for (const issue of parsed.error?.issues ?? []) {
    const place = fieldOf(issue, env, draft);
    errors[place] ??= messageOf(place, issue);
  }
  for (const [place, why] of envTwice(draft.env)) errors[place] ??= why;
  if (line.error !== null) errors.commandLine = line.error;
  if (parsed.success && Object.keys(errors).length === 0) return { settings: parsed.data };
  return { errors };
}

function revisionOf({ revisionChoice, otherRevision }: Draft): string | null {
  if (revisionChoice === 'newest') return null;
  return revisionChoice === 'other' ? otherRevision.trim() : revisionChoice;
}

const milliseconds = (seconds: string): number =>
  seconds.trim() === '' ? Number.NaN : Math.round(Number(seconds) * 1000);

/** Where on the form an issue belongs. */
function fieldOf(issue: z.core.$ZodIssue, env: readonly EnvDraft[], draft: Draft): string {
  const [head, ...rest] = issue.path;
  if (head === 'revision') return 'otherRevision';
  if (head === 'timeouts') return `timeouts.${String(rest[0])}`;
  if (head !== 'transport') return String(head);
  if (rest[0] === 'cwd') return 'cwd';
  if (rest[0] !== 'env') return 'commandLine';
  const entry = env[Number(rest[1])];
  return `env.${entry === undefined ? 0 : draft.env.indexOf(entry)}`;
}

function messageOf(place: string, issue: z.core.$ZodIssue): string {
  if (place.startsWith('timeouts.')) return 'A number of seconds, more than 0 and at most a day.';
  if (place === 'otherRevision') return 'Write the revision to ask for, such as 2025-06-18.';
  if (place === 'commandLine') return 'Write the command that starts the server.';
  return sentence(issue.message);
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

function* envTwice(env: readonly EnvDraft[]): Generator<[string, string]> {
  const seen = new Set<string>();
  for (const [place, { name }] of env.entries()) {
    if (name !== '' && seen.has(name)) yield [`env.${place}`, `${name} is set twice.`];
    seen.add(name);
  }
}

const runners: ReadonlySet<string> = new Set([
  'npx',
  'bunx',
  'uvx',
  'pipx',
  'uv',
  'docker',
  'node',
  'python',
  'python3',
  'deno',
  'bun',
]);

/** A name made of the command line, for who does not want to think of one: `npx -y @a/b` is `@a/b`. */
export function nameFrom(command: string, args: readonly string[]): string {
  const base = (path: string) => path.split(/[\\/]/).at(-1) ?? path;
  const program = base(command).replace(/\.(exe|cmd|bat)$/i, '');
  if (!runners.has(program)) return program;
  const target = args.find((word) => !word.startsWith('-') && word !== 'run' && word !== 'exec');
  if (target === undefined) return program;
  if (target.startsWith('@')) return target;
  return target.split(/[\\/]/).findLast((part) => !saysNothing.test(part)) ?? base(target);
}

/** Files and folders that are called the same everywhere, such as `dist/index.js`. */
const saysNothing = /^(?:\.*|dist|build|out|src|lib|bin|(?:index|main|server|__main__)\.\w+)$/;

/** Lines such as `NAME=value` or `export NAME="value"`, as pasted from a file; null when they are not. */
export function parseEnvLines(text: string): { name: string; value: string }[] | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  const entries = lines.map((line) => /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line));
  if (entries.length === 0 || entries.some((entry) => entry === null)) return null;
  return entries.flatMap((entry) =>
    entry?.[1] === undefined ? [] : [{ name: entry[1], value: unquoted((entry[2] ?? '').trim()) }],
  );
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;

/** Whether a variable's name says that its value should not be shown. */
export const looksSecret = (name: string): boolean =>
  /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PWD|CREDENTIALS?|AUTH)(?:_|$)/i.test(name);

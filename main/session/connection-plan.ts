import { homedir } from 'node:os';
import type { HttpSettings, Server, StdioSettings } from '#shared/contract/servers.ts';
import type { Launch, RunningCommand, SentVariables } from '#shared/contract/sessions.ts';
import { findCommand } from '#transports/command-file.ts';
import { loginShellPath } from '#transports/login-shell.ts';
import { inheritedVariables, serverEnvironment } from '#transports/spawn.ts';
import { HttpTransport } from '#transports/http-transport.ts';
import { StdioTransport, type StdioTarget } from '#transports/stdio.ts';
import type { MakeTransport } from './connection.ts';

/** The source of the secret values that a server's settings only name. */
export interface ServerValues {
  /** The command line with the values of its placeholders; `shown` has no secret values. @throws FaultError */
  commandOf(server: Server, settings: StdioSettings): Promise<GivenCommand>;
  /** Variables set by the user; `secrets` by kind, such as `env:API_KEY`. */
  environmentOf(server: Server): Promise<{ values: Record<string, string>; secrets: Map<string, string> }>;
  /** Header lines set by the user; `secrets` by kind, such as `header:Authorization`. */
  headersOf(
    server: Server,
  ): Promise<{ lines: readonly (readonly [string, string])[]; secrets: Map<string, string> }>;
  /** The whole URL; `secrets` by kind, such as `url:token`. @throws FaultError if a secret part is not stored */
  addressOf(
    server: Server,
    settings: HttpSettings,
  ): Promise<{ url: string; shown: string; secrets: Map<string, string> }>;
  /** The variables whose values the server gets; null if its settings use none. @throws FaultError */
  sentVariables(server: Server, settings: HttpSettings): Promise<SentVariables | null>;
}

type CommandLine = Pick<StdioSettings, 'command' | 'args' | 'cwd'>;
type GivenCommand = CommandLine & { readonly shown: CommandLine; readonly secrets: Map<string, string> };

/** How to connect to one server. */
export interface ConnectionPlan {
  readonly makeTransport: MakeTransport;
  /** Values that must never be written to a file or shown, by kind, such as `env:API_KEY`. */
  readonly secrets: ReadonlyMap<string, string>;
  /** The command that would run on this machine; null if none does. */
  readonly launch: PreparedLaunch | null;
  /** The variables that would be sent; null if none are. */
  readonly sent: SentVariables | null;
  /** The command with the whole environment of its process, without secrets; null if no command runs. */
  readonly command: RunningCommand | null;
  /** The whole URL, with its secrets, to authorize requests for by OAuth; null on stdio, and if the settings hold credentials. */
  readonly urlToAuthorize: string | null;
  /** The target, for the header of the trace. */
  readonly described:
    | { transport: 'stdio'; command: string; args: string[] }
    | { transport: 'http'; url: string };
}

/** Collects everything needed to connect to a server. @param startDemo starts the demo server instead of its command */
export function planConnection(
  server: Server,
  source: ServerValues,
  startDemo?: StdioTarget['start'],
): Promise<ConnectionPlan> {
  const { transport } = server;
  return transport.kind === 'stdio'
    ? planStdio(server, transport, source, server.source === 'demo' ? startDemo : undefined)
    : planHttp(server, transport, source);
}

async function planStdio(
  server: Server,
  settings: StdioSettings,
  source: ServerValues,
  start: StdioTarget['start'],
): Promise<ConnectionPlan> {
  const given = await source.commandOf(server, settings);
  const { values, secrets } = await source.environmentOf(server);
  const { target: prepared, launch, ...rest } = await prepareLaunch(settings, given, values, secrets);
  const target = { ...prepared, ...(start !== undefined && { start }) };
  return {
    makeTransport: ({ sink }) => ({ kind: 'stdio', transport: new StdioTransport(target, sink), target }),
    secrets: new Map([...secrets, ...given.secrets]),
    launch: { launch, ...rest },
    sent: null,
    command: { ...launch, inherited: inheritedVariables(target.environment, values) },
    urlToAuthorize: null,
    described: { transport: 'stdio', command: given.shown.command, args: given.shown.args },
  };
}

async function planHttp(
  server: Server,
  settings: HttpSettings,
  source: ServerValues,
): Promise<ConnectionPlan> {
  const { lines, secrets } = await source.headersOf(server);
  const address = await source.addressOf(server, settings);
  const whole = { ...settings, url: address.url };
  const endpointTimeout = server.timeouts.initialize;
  return {
    makeTransport: ({ sink, ...link }) => ({
      kind: 'http',
      transport: new HttpTransport({ settings: whole, endpointTimeout, ...link }, sink),
      // Labels and faults show the URL without its secrets.
      settings: { ...settings, url: address.shown },
      headers: lines,
    }),
    secrets: new Map([...secrets, ...address.secrets]),
    launch: null,
    sent: await source.sentVariables(server, settings),
    command: null,
    urlToAuthorize: hasOwnCredentials(lines, whole.url) ? null : whole.url,
    // The trace replaces the secrets in the URL, and from then on wherever they occur.
    described: { transport: 'http', url: whole.url },
  };
}

/** Whether the user's settings authorize the requests already. */
function hasOwnCredentials(lines: readonly (readonly [string, string])[], url: string): boolean {
  const { username, password } = URL.canParse(url) ? new URL(url) : { username: '', password: '' };
  return username !== '' || password !== '' || lines.some(([name]) => name.toLowerCase() === 'authorization');
}

/** The command line of a server, ready for approval. */
export interface PreparedLaunch {
  /** The command as it is shown to the user before it runs. */
  readonly launch: Launch;
  /** The variables set by the user, including secret values. */
  readonly environment: Readonly<Record<string, string>>;
  /** The secret values in the command line, by their placeholders, such as `input:token`. */
  readonly hidden: Readonly<Record<string, string>>;
}

/** Resolves the command of a server once, so that the file that runs is the file that was approved. */
async function prepareLaunch(
  { env: entries, inherit }: StdioSettings,
  given: GivenCommand,
  environment: Readonly<Record<string, string>>,
  secrets: ReadonlyMap<string, string>,
): Promise<PreparedLaunch & { target: StdioTarget }> {
  const { command, args, shown } = given;
  const secret = new Set(entries.flatMap((entry) => (entry.secret ? [entry.name] : [])));
  // By default, the working folder would be the one this app was started from.
  const cwd = given.cwd ?? homedir();
  const { resolved, whole } = await resolveCommand(command, cwd, inherit, environment);
  const env = Object.entries(environment).map(([name, value]) => ({
    name,
    value: secret.has(name) || secrets.has(`env:${name}`) ? null : value,
  }));
  return {
    target: { command, args, cwd, environment: whole, file: resolved },
    launch: { command: shown.command, args: [...shown.args], cwd: shown.cwd ?? cwd, env, inherit, resolved },
    environment,
    hidden: Object.fromEntries(given.secrets),
  };
}

/**
 * The file of a command, and the environment to run it in. A command that is not on the PATH of this app is searched for
 * on the PATH of the user's login shell, because an app started from a desktop has a shorter one. A PATH that the user
 * set for the server is kept.
 */
async function resolveCommand(
  command: string,
  cwd: string,
  inherit: StdioSettings['inherit'],
  set: Readonly<Record<string, string>>,
): Promise<{ resolved: string | null; whole: Record<string, string> }> {
  const environment = serverEnvironment(inherit, set);
  const resolved = await findCommand(command, cwd, environment);
  const mayLookFurther = !/[/\\]/.test(command) && command !== '' && set.PATH === undefined;
  if (resolved !== null || !mayLookFurther) return { resolved, whole: environment };
  const path = await loginShellPath();
  const whole = path === null ? environment : { ...environment, PATH: path };
  const found = await findCommand(command, cwd, whole);
  return found === null ? { resolved: null, whole: environment } : { resolved: found, whole };
}

import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import {
  type ClientProfile,
  defaultClientProfile,
  defaultTimeouts,
  type EnvEntry,
  type EraChoice,
  type HttpSettings,
  plainHttpSettings,
  type Server,
  type StdioSettings,
  type Timeouts,
  type TransportSettings,
  noKeepAlive,
} from '#shared/contract/servers.ts';
import { holdsSecret, isSecretHeader } from '#shared/secret-names.ts';
import { nameOfCommand, nameOfUrl } from '#shared/server-names.ts';

export interface DemoServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A server named on the command line, by a command or by its URL; or a mock. */
export type ServerOfThisRun = (StdioOfThisRun | HttpOfThisRun) & {
  /** The name of a mock; others are named after their command or URL. */
  readonly mockName?: string | undefined;
  /** `auto` unless said otherwise. */
  readonly era?: EraChoice | undefined;
  /** The revision to ask for instead of the newest. */
  readonly revision?: string | undefined;
  /** The timeout of every request in milliseconds, instead of the defaults. */
  readonly timeout?: number | undefined;
  /** Its client profile, where it differs from the default. */
  readonly client?: Partial<ClientProfile> | undefined;
};

interface StdioOfThisRun {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Variables that are secret, regardless of their names. */
  readonly secretNames?: readonly string[] | undefined;
}

interface HttpOfThisRun {
  readonly kind: 'http';
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Headers that are secret, regardless of their names. */
  readonly secretNames?: readonly string[] | undefined;
  readonly transport: HttpSettings['transport'];
  readonly authorization?: AuthorizationSettings | undefined;
}

export const DEMO_ID = 'demo';

export const demoServer = ({ command, args, env }: DemoServer): Server =>
  plainServer(DEMO_ID, 'demo', 'Demo server', stdioSettings(command, args, null, env));

/** A server of this run, its secret values still in it. */
export function serverOfThisRun(id: string, named: ServerOfThisRun): Server {
  const { era = 'auto', revision = null, timeout, client, mockName } = named;
  const source = mockName === undefined ? 'command-line' : 'mock';
  return {
    ...plainServer(id, source, mockName ?? nameOf(named), transportOf(named)),
    era,
    revision,
    client: { ...defaultClientProfile, ...client },
    ...(timeout !== undefined && { timeouts: timeoutsOf(timeout) }),
  };
}

const nameOf = (named: ServerOfThisRun): string =>
  named.kind === 'stdio' ? nameOfCommand(named.command, named.args) : nameOfUrl(new URL(named.url));

function transportOf(named: ServerOfThisRun): TransportSettings {
  if (named.kind === 'stdio') {
    const { command, args, cwd, env, secretNames = [] } = named;
    const settings = stdioSettings(command, args, cwd, env);
    const isSecret = ({ name, value }: EnvEntry) =>
      secretNames.includes(name) || holdsSecret(name, value ?? '');
    return { ...settings, env: settings.env.map((entry) => ({ ...entry, secret: isSecret(entry) })) };
  }
  const { url, transport, authorization, secretNames = [] } = named;
  const marked = new Set(secretNames.map((name) => name.toLowerCase()));
  const headers = named.headers.map(([name, value]) => ({
    name,
    value,
    secret: marked.has(name.toLowerCase()) || isSecretHeader(name),
  }));
  return {
    ...plainHttpSettings(url),
    transport,
    headers,
    ...(authorization !== undefined && { authorization }),
  };
}

const stdioSettings = (
  command: string,
  args: readonly string[],
  cwd: string | null,
  env: Readonly<Record<string, string>>,
): StdioSettings => ({
  kind: 'stdio',
  command,
  args: [...args],
  cwd,
  env: Object.entries(env).map(([name, value]): EnvEntry => ({ name, value, secret: false })),
  inherit: 'safe',
});

const plainServer = (
  id: string,
  source: Server['source'],
  name: string,
  transport: TransportSettings,
): Server => ({
  id,
  source,
  name,
  transport,
  era: 'auto',
  revision: null,
  timeouts: defaultTimeouts,
  keepAlive: noKeepAlive,
  client: defaultClientProfile,
  notes: '',
});

/** The timeouts of a server that has one for every request, in milliseconds. */
export const timeoutsOf = (timeout: number): Timeouts => ({
  initialize: timeout,
  request: timeout,
  requestMax: Math.max(timeout, defaultTimeouts.requestMax),
});

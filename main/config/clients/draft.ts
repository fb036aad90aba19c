import {
  type ClientFormat,
  type ConfigurationProblem,
  type ClientProfile,
  importedClientProfile,
  defaultTimeouts,
  type LeftOut,
  noKeepAlive,
  type ServerSettings,
  type TransportSettings,
  type Variable,
} from '#shared/contract/servers.ts';

/** A server of a configuration, with its secret values in it. */
export interface Draft {
  /** Its place in the text, as a JSON Pointer. */
  readonly key: string;
  readonly line: number;
  readonly settings: ServerSettings;
  readonly leftOut: readonly LeftOut[];
}

export interface Configuration {
  /** Null if the text is of another kind. */
  readonly format: ClientFormat | null;
  readonly servers: readonly Draft[];
  readonly problems: readonly ConfigurationProblem[];
}

/** The folder of the project that a file belongs to, where its client starts the servers. */
export const WORKSPACE = '${workspaceFolder}';

/** Settings as an imported server has them; one that the user wrote as a command line has another client profile. */
export const plainSettings = (
  name: string,
  transport: TransportSettings,
  variables: Variable[],
  client: ClientProfile = importedClientProfile,
): ServerSettings => ({
  name,
  transport,
  era: 'auto',
  revision: null,
  timeouts: defaultTimeouts,
  keepAlive: noKeepAlive,
  client,
  notes: '',
  ...(variables.length > 0 && { variables }),
});

/** All texts of a server that may have placeholders. */
export const textsOf = (transport: TransportSettings): string[] =>
  transport.kind === 'stdio'
    ? [
        transport.command,
        ...transport.args,
        ...(transport.cwd === null ? [] : [transport.cwd]),
        ...transport.env.flatMap(({ value }) => value ?? []),
      ]
    : [transport.url, ...transport.headers.flatMap(({ value }) => value ?? [])];

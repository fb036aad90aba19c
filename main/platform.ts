import type { ChildProcess } from 'node:child_process';
import { z } from 'zod';
import { authorizationOverridesSchema, authorizationSettingsSchema } from '#shared/contract/authorization.ts';
import type { AppInfo } from '#shared/contract/app.ts';
import type { CommandOutcome, EventFrame } from '#shared/contract/index.ts';
import { clientProfileSchema, eraChoices, httpTransports } from '#shared/contract/servers.ts';
import type { Launch, SentVariables } from '#shared/contract/sessions.ts';

/** What the engine gets from its host: everything that depends on the platform. */
export interface Platform {
  readonly host: AppInfo['host'];
  readonly appVersion: string;
  /** Where traces and settings are kept; created with mode 0700 when missing. */
  readonly dataFolder: string;
  readonly secrets: SecretStore;
  /** Where the credentials of authorization are kept; with the other secrets by default. */
  readonly credentials?: SecretStore;
  /** How to start the built-in demo server with the runtime at hand. */
  readonly demoServer: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    /** Starts it where the runtime at hand does not run scripts by their command line. */
    readonly start?: StartProcess;
  };
  /** The server the app was opened on, if any: naming a command there is the user's approval to run it. */
  readonly namedServer?: NamedServer;
  /**
   * Asks for approval of a new command line where the page cannot reach, such as in the terminal. Without it
   * the engine hands the page a one-time approval to confirm.
   */
  readonly confirmLaunch?: (launch: Launch) => Promise<boolean>;
  /** The same for the variables that the settings of a saved server send to it. */
  readonly confirmVariables?: (sent: SentVariables, serverName: string) => Promise<boolean>;
  /**
   * Opens an http or https URL in the user's browser, without a shell; the engine calls it for authorization only. Without it the
   * page shows the URL, or a flow that needs the browser stops.
   */
  readonly openInBrowser?: (url: string) => Promise<void>;
  /** Whether the host answers the questions of authorization flows, such as on a terminal; the page always does. */
  readonly answersFlows?: boolean;
  /** Waits before a request that is sent late on purpose, by default so many milliseconds. Tests move the clock of the server. */
  readonly waitToBeLate?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Takes errors that nobody waits for: faults of ours. `where` says where they happened. */
  readonly reportError: (where: string, error: unknown) => void;
}

/** A process of ours with pipes for its standard streams. */
interface PipedProcess
  extends Pick<ChildProcess, 'pid' | 'stdin' | 'stdout' | 'stderr' | 'exitCode' | 'signalCode' | 'kill'> {
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'spawn' | 'error' | 'close', listener: () => void): unknown;
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
}

/** Starts a process by other means than a command line. */
export type StartProcess = (settings: {
  readonly cwd: string;
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
}) => PipedProcess;

const { capabilities, roots, rules } = clientProfileSchema.shape;

const anyServer = {
  /** Which era to speak; detected by default. */
  era: z.enum(eraChoices).exactOptional(),
  /** The revision to request instead of the newest of the era. */
  revision: z.string().exactOptional(),
  /** Hosts, with or without a port, on this machine or its network that the server may lead to, though it is elsewhere. */
  allowAddresses: z.array(z.string()).exactOptional(),
  /** Milliseconds it may take to answer a request, instead of the default timeouts. */
  timeout: z.number().exactOptional(),
  /** Our capabilities and responses to its requests, where they differ from the default. */
  client: z
    .object({
      capabilities: capabilities.exactOptional(),
      roots: roots.exactOptional(),
      rules: rules.exactOptional(),
    })
    .exactOptional(),
  /** The user did not write the command line: `confirmLaunch` must allow it. */
  confirm: z.boolean().exactOptional(),
  /** Only to authorize at it, or to manage its tokens: nothing is sent to the server itself. */
  onlyAuthorizes: z.boolean().exactOptional(),
  /** Issuers that may get the credentials of the settings, and no others; without it, those that got them before. */
  allowIssuers: z.array(z.string()).exactOptional(),
  /** Whether the query of its URL may be a part of `resource`. */
  allowResourceQuery: z.boolean().exactOptional(),
  /** Milliseconds that an authorization waits for the browser, instead of the default. */
  browserLimit: z.number().exactOptional(),
  /** Where to write the trace of this session; by default a file of its own in the data folder. */
  tracePath: z.string().exactOptional(),
};

const namedServerSchema = z.discriminatedUnion('kind', [
  z.object({
    ...anyServer,
    kind: z.literal('stdio'),
    command: z.string(),
    args: z.array(z.string()).readonly(),
    /** Variables to set for it. */
    env: z.record(z.string(), z.string()).exactOptional(),
    /** Variables that are secret, regardless of their names. */
    secretNames: z.array(z.string()).readonly().exactOptional(),
    /** Its working folder; by default where the app was started. */
    cwd: z.string().exactOptional(),
  }),
  z.object({
    ...anyServer,
    kind: z.literal('http'),
    url: z.string(),
    /** Header lines for every request. */
    headers: z
      .array(z.tuple([z.string(), z.string()]))
      .readonly()
      .exactOptional(),
    /** Headers that are secret, regardless of their names: their values are never written anywhere. */
    secretNames: z.array(z.string()).readonly().exactOptional(),
    /** Which of the two HTTP transports to use; detected by default. */
    httpTransport: z.enum(httpTransports).exactOptional(),
    /** How to authorize; as `defaultAuthorization` says if left out. */
    authorization: authorizationSettingsSchema.exactOptional(),
  }),
  /** A saved server. Its command line needs the same approval as in the window. */
  z.object({
    ...anyServer,
    kind: z.literal('saved'),
    /** Its name in the list of servers. */
    name: z.string(),
    /** How to authorize in this run, where it differs from its settings. */
    authorization: authorizationOverridesSchema.exactOptional(),
    /** Values of its secret variables and headers, and of its inputs as `input:ID`: for this run only. */
    values: z.record(z.string(), z.string()).exactOptional(),
    /** Whether the variables in its settings are sent without a question, this time. */
    allowVariables: z.boolean().exactOptional(),
  }),
]);

/** A server that the user named outside the page, by its command line, its address or its name. */
export type NamedServer = z.infer<typeof namedServerSchema>;

const namedFileSchema = z.object({ kind: z.literal('file'), path: z.string() });

/** A trace file that the user named outside the page. */
export type NamedFile = z.infer<typeof namedFileSchema>;

/** What to open when the app starts; one process of ours hands it to another. */
export const startupTargetSchema = z.union([namedServerSchema, namedFileSchema]);
export type StartupTarget = z.infer<typeof startupTargetSchema>;

/** Keeps secret values between runs, or only until the app quits when there is no key store. */
export interface SecretStore {
  /** Whether values survive a restart. */
  readonly isPersistent: boolean;
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
  remove(key: string): Promise<void>;
  /** Runs the work while no other process does any under this name; absent if no other process has the store. */
  exclusively?<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
}

/** The engine as every host sees it: the contract, and nothing else. */
export interface Engine {
  /** Runs one command of the contract. Never rejects: what goes wrong is a fault in the outcome. */
  handle(command: string, params: unknown): Promise<CommandOutcome>;
  /** Calls the listener with every event of the contract until the returned function is called. */
  onEvent(listener: (frame: EventFrame) => void): () => void;
  /**
   * Opens a session with a further server, as when the app is started a second time with one.
   * @throws FaultError when it cannot be opened
   */
  openServer(server: NamedServer): Promise<void>;
  /**
   * Opens a trace file that was named outside the page, and has the page show it.
   * @throws FaultError when it cannot be opened
   */
  openFile(path: string): Promise<void>;
  /** Ends every session in order, waits for their processes, flushes every trace. Idempotent. */
  close(): Promise<void>;
}

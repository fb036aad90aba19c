/*
 * What a client's configuration file looks like, as data: one descriptor a client. The reader and the writer of entries, the
 * detector, the lists of the import and the export, the terminal and docs/connecting.md follow from it.
 */

/** An HTTP transport as the settings of a server have it. */
type HttpTransport = 'auto' | 'streamable-http' | 'http-sse';

/** A file or folder of the user. */
export interface UserPath {
  /** `settings`: the platform's folder of settings of apps; `local-settings`: that of Windows that is not shared with other machines. */
  readonly in: 'home' | 'settings' | 'local-settings';
  /** With `/`. */
  readonly path: string;
  /** The systems that have it; all if left out. */
  readonly on?: readonly ('mac' | 'windows' | 'linux')[];
}

/** How variables are written in a file; their patterns are in `main/config/clients/variables.ts`. */
export type VariableStyle =
  /** `${env:NAME}` */
  | 'env-colon'
  /** `${env:NAME}` and `${input:ID}` */
  | 'vscode'
  /** `${NAME}` and `${NAME:-default}` */
  | 'braced'
  /** `${NAME:default}` */
  | 'braced-default'
  /** `$NAME` */
  | 'dollar'
  /** `%NAME%` */
  | 'percent'
  /** `{env:NAME}` */
  | 'env-in-braces'
  /** `${{ secrets.NAME }}` */
  | 'secrets'
  /** `{{NAME}}` */
  | 'double-braces';

/** The keys of an entry. What a client does not have is null, and is only read. */
export interface EntryKeys {
  readonly type: string;
  readonly command: string;
  /** Null: the arguments follow the command in its list. */
  readonly args: string | null;
  readonly env: string;
  readonly cwd: string | null;
  /** Keys of a URL, and which transport each means; the first is the usual one. */
  readonly urls: readonly { readonly key: string; readonly transport: HttpTransport }[];
  readonly headers: readonly string[];
  /** A list of variables that the client passes on to the server; `from`: from its own environment, or from a store of secrets. */
  readonly envNames: { readonly key: string; readonly from: 'environment' | 'store' } | null;
  /** Headers with the names of variables in place of values. */
  readonly headerVariables: string | null;
  /** The name of a variable that has the token of the `Authorization` header. */
  readonly bearerVariable: string | null;
  /** The token of the `Authorization` header itself. */
  readonly bearer: string | null;
}

/** The `type` of an entry, by transport; null if the client needs none. */
export interface TypeNames extends Readonly<Record<HttpTransport, string | null>> {
  readonly stdio: string | null;
}

/** An entry that no server can be made of: it has this key, with one of these values if there are any. */
export interface NoServer {
  readonly key: string;
  readonly values?: readonly string[];
  readonly what: string;
  readonly next: string;
}

/** What only files of one client have, where several share a container. */
export interface Signs {
  /** Keys at the root of the file. */
  readonly root?: readonly string[];
  /** Keys of an entry. */
  readonly entry?: readonly string[];
  /** Keys of an entry with one of these values. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  readonly text?: RegExp;
}

/** A configuration file with the servers of a client. */
export interface FileFormat<Id extends string = string> {
  readonly id: Id;
  readonly label: string;
  readonly syntax: 'json' | 'toml' | 'yaml';
  /** The usual name of a new file. */
  readonly fileName: string;
  /** The files of the user, which are found by themselves. */
  readonly userFiles: readonly UserPath[];
  /** Ends of paths in a project, which starts its servers there; `*` is any name. */
  readonly projectFiles: readonly string[];
  /** Other ends of paths by which a file is known. */
  readonly otherFiles: readonly string[];
  /** The folders of logs about MCP servers. */
  readonly logFolders: readonly UserPath[];
  /** Where the servers are: the first is the one that new servers go to. `*` is any key. */
  readonly containers: readonly (readonly string[])[];
  /** Whether a new container is a list of entries with names. */
  readonly isList: boolean;
  /** Whether an entry has its name in it. */
  readonly isNamed: boolean;
  /** Where people put servers by mistake: the client does not read them there. */
  readonly misplaced: readonly (readonly string[])[];
  readonly signs: Signs;
  /** Signs that other clients have too, which count after those of all clients. */
  readonly hints: Signs;
  readonly keys: EntryKeys;
  readonly types: TypeNames;
  /** What the `type` `http` means. */
  readonly http: HttpTransport;
  /** How it writes variables; the first is written. Empty: the client replaces none. */
  readonly variables: readonly VariableStyle[];
  /** Whether the client connects to HTTP servers. */
  readonly takesHttp: boolean;
  /** What it needs in each entry beside how the server is started or reached. */
  readonly fixed: Readonly<Record<'stdio' | 'http', Readonly<Record<string, unknown>>>>;
  readonly noServers: readonly NoServer[];
  /** Why keys that only this client uses have no effect here. */
  readonly reasons: Readonly<Record<string, string>>;
}

/** A kind of text that is no file of a client. */
export interface TextFormat<Id extends string = string> {
  readonly id: Id;
  readonly label: string;
  /** The usual name of a new file. */
  readonly fileName: string;
  readonly isWritten: boolean;
}

/** The keys that most clients have. */
export const usualKeys: EntryKeys = {
  type: 'type',
  command: 'command',
  args: 'args',
  env: 'env',
  cwd: 'cwd',
  urls: [{ key: 'url', transport: 'auto' }],
  headers: ['headers'],
  envNames: null,
  headerVariables: null,
  bearerVariable: null,
  bearer: null,
};

export const noTypes: TypeNames = { stdio: null, 'streamable-http': null, 'http-sse': null, auto: null };
/** Of clients that call Streamable HTTP `http`. */
export const httpTypes: TypeNames = {
  ...noTypes,
  'streamable-http': 'http',
  'http-sse': 'sse',
  auto: 'http',
};

/** What most clients have in common; a descriptor says what differs. */
const usual = {
  syntax: 'json',
  projectFiles: [],
  otherFiles: [],
  logFolders: [],
  containers: [['mcpServers']],
  isList: false,
  isNamed: false,
  misplaced: [],
  signs: {},
  hints: {},
  keys: usualKeys,
  types: noTypes,
  http: 'streamable-http',
  variables: [],
  takesHttp: true,
  fixed: { stdio: {}, http: {} },
  noServers: [],
  reasons: {},
} as const satisfies Partial<FileFormat>;

type Own<Id extends string> = Pick<FileFormat<Id>, 'id' | 'label' | 'fileName' | 'userFiles'> &
  Partial<FileFormat>;

/** A descriptor with what it does not say. */
export const fileFormat = <const Id extends string>(own: Own<Id>): FileFormat<Id> => ({ ...usual, ...own });

import { posix, win32 } from 'node:path';
import type { ClientFormat } from '#shared/contract/servers.ts';
import { environmentName, replacePlaceholders } from '#config/placeholders.ts';
import type { Surroundings } from '#config/data-folder.ts';

/** Which placeholders a client replaces in its configuration. */
type Expansion = 'vscode' | 'env-colon' | 'posix' | 'none';

/** How a client names the HTTP transports in `type`. */
interface TransportNames {
  readonly 'streamable-http': string | null;
  readonly 'http-sse': string | null;
  readonly auto: string | null;
}

/** The format of a client's configuration file. */
export interface FileFormat {
  readonly id: ClientFormat;
  readonly label: string;
  /** Where the object of servers is: the first is the one that new servers go to. `*` is any key. */
  readonly containers: readonly (readonly string[])[];
  readonly expansion: Expansion;
  /** The key of a URL. */
  readonly urlKey: 'url' | 'serverUrl';
  /** The `type` of a stdio server; null if the client needs none. */
  readonly stdioType: string | null;
  /** The `type` of HTTP servers; null if the client needs none. */
  readonly httpTypes: TransportNames;
  /** Whether the client reads `cwd`. */
  readonly takesCwd: boolean;
  /** Whether the client connects to HTTP servers. */
  readonly takesHttp: boolean;
  /** The user's file of this client, by platform. */
  readonly paths: (around: Surroundings) => string[];
  /** The folders of its logs about MCP servers; null if it writes none that are documented. */
  readonly logFolders: ((around: Surroundings) => string[]) | null;
}

const untyped: TransportNames = { 'streamable-http': null, 'http-sse': null, auto: null };

/** The configuration files of clients that can be read and written. */
export const fileFormats: readonly FileFormat[] = [
  {
    id: 'claude-desktop',
    label: 'Claude Desktop',
    containers: [['mcpServers']],
    expansion: 'none',
    urlKey: 'url',
    stdioType: null,
    httpTypes: untyped,
    takesCwd: false,
    takesHttp: false,
    paths: (around) => [inAppData(around, 'Claude', 'claude_desktop_config.json')],
    logFolders: claudeLogFolders,
  },
  {
    id: 'claude-code',
    label: 'Claude Code',
    containers: [['mcpServers'], ['projects', '*', 'mcpServers']],
    expansion: 'posix',
    urlKey: 'url',
    stdioType: null,
    httpTypes: { 'streamable-http': 'http', 'http-sse': 'sse', auto: 'http' },
    takesCwd: false,
    takesHttp: true,
    paths: (around) => [inHome(around, '.claude.json')],
    logFolders: null,
  },
  {
    id: 'vscode',
    label: 'VS Code',
    containers: [['servers'], ['mcp', 'servers']],
    expansion: 'vscode',
    urlKey: 'url',
    stdioType: 'stdio',
    // VS Code tries Streamable HTTP first, and then HTTP with SSE.
    httpTypes: { 'streamable-http': 'http', 'http-sse': 'sse', auto: 'http' },
    takesCwd: true,
    takesHttp: true,
    paths: (around) => [
      inAppData(around, 'Code', 'User', 'mcp.json'),
      inAppData(around, 'Code - Insiders', 'User', 'mcp.json'),
    ],
    logFolders: null,
  },
  {
    id: 'cursor',
    label: 'Cursor',
    containers: [['mcpServers']],
    expansion: 'env-colon',
    urlKey: 'url',
    stdioType: null,
    httpTypes: untyped,
    takesCwd: true,
    takesHttp: true,
    paths: (around) => [inHome(around, '.cursor', 'mcp.json')],
    logFolders: null,
  },
  {
    id: 'windsurf',
    label: 'Windsurf',
    containers: [['mcpServers']],
    expansion: 'env-colon',
    urlKey: 'serverUrl',
    stdioType: null,
    httpTypes: untyped,
    takesCwd: false,
    takesHttp: true,
    paths: (around) => [inHome(around, '.codeium', 'windsurf', 'mcp_config.json')],
    logFolders: null,
  },
  {
    id: 'lm-studio',
    label: 'LM Studio',
    containers: [['mcpServers']],
    expansion: 'none',
    urlKey: 'url',
    stdioType: null,
    httpTypes: untyped,
    takesCwd: false,
    takesHttp: true,
    paths: (around) => [inHome(around, '.lmstudio', 'mcp.json')],
    logFolders: null,
  },
  {
    id: 'zed',
    label: 'Zed',
    containers: [['context_servers']],
    expansion: 'none',
    urlKey: 'url',
    stdioType: null,
    httpTypes: untyped,
    takesCwd: false,
    takesHttp: true,
    paths: (around) => [
      around.platform === 'win32'
        ? inAppData(around, 'Zed', 'settings.json')
        : inHome(around, '.config', 'zed', 'settings.json'),
    ],
    logFolders: null,
  },
];

/** The format of this name. @throws RangeError for the names of other kinds of source */
export function fileFormat(id: ClientFormat): FileFormat {
  const format = fileFormats.find((one) => one.id === id);
  if (format === undefined) throw new RangeError(`${id} is no format of configuration files`);
  return format;
}

/** Where Claude Desktop writes its logs (MCP documentation, Debugging); recent versions on Windows write to the local folder. */
function claudeLogFolders(around: Surroundings): string[] {
  const { platform, env, home } = around;
  if (platform === 'darwin') return [inHome(around, 'Library', 'Logs', 'Claude')];
  const folder = inAppData(around, 'Claude', 'logs');
  if (platform !== 'win32') return [folder];
  return [folder, win32.join(env.LOCALAPPDATA ?? win32.join(home, 'AppData', 'Local'), 'Claude', 'Logs')];
}

const inHome = ({ platform, home }: Surroundings, ...parts: string[]): string =>
  (platform === 'win32' ? win32 : posix).join(home, ...parts);

/** The platform's folder of settings of apps, as Electron's `appData` has it. */
function inAppData({ platform, env, home }: Surroundings, ...parts: string[]): string {
  switch (platform) {
    case 'darwin':
      return posix.join(home, 'Library', 'Application Support', ...parts);
    case 'win32':
      return win32.join(env.APPDATA ?? win32.join(home, 'AppData', 'Roaming'), ...parts);
    default: {
      const own = env.XDG_CONFIG_HOME;
      // A relative XDG_CONFIG_HOME must be ignored (XDG Base Directory, "Basics").
      return posix.join(own && posix.isAbsolute(own) ? own : posix.join(home, '.config'), ...parts);
    }
  }
}

/** A text of the client's file with its placeholders as our settings have them. */
export const fromClient = ({ expansion }: Pick<FileFormat, 'expansion'>, text: string): string =>
  expansion === 'posix'
    ? text.replaceAll(
        // Ends with the text if it is not closed, so that it is not looked for again behind each of many.
        /\$\{([A-Za-z_]\w*)((?::-[^}]*)?)(\}|$)/g,
        (written: string, name: string, fallback: string, end: string) =>
          end === '' ? written : `\${env:${name}${fallback}}`,
      )
    : text;

/** A text of our settings with its placeholders as the client replaces them. */
export const toClient = ({ expansion }: Pick<FileFormat, 'expansion'>, text: string): string =>
  replacePlaceholders(text, (placeholder) => {
    const { written, kind, name } = placeholder;
    if (kind === 'place') return written;
    if (kind === 'input') {
      if (expansion === 'vscode') return written;
      const variable = environmentName(name);
      return expansion === 'posix' ? `\${${variable}}` : `\${env:${variable}}`;
    }
    const fallback = placeholder.fallback === null ? '' : `:-${placeholder.fallback}`;
    if (expansion === 'posix') return `\${${name}${fallback}}`;
    // Only Claude Code knows defaults.
    return `\${env:${name}}`;
  });

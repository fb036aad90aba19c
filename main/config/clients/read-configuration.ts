import type { ClientFormat, ConfigurationProblem } from '#shared/contract/servers.ts';
import { fileFormat } from '#shared/client-formats/table.ts';
import { isBundle, readBundle } from './bundle.ts';
import { detectFormat } from './detect-format.ts';
import type { Configuration } from './draft.ts';
import type { JsonSource } from './json-source.ts';
import { readCommandLine } from './read-command-line.ts';
import { readFile } from './read-file.ts';
import { isRegistryEntry, readRegistryEntry } from './registry.ts';
import { readSource, type Syntax, syntaxOf } from './syntaxes.ts';

export interface ReadOptions {
  /** Where the text is from, if known: it tells the format and the workspace folder. */
  readonly path?: string | null | undefined;
  /** The format; by default it is detected. */
  readonly format?: ClientFormat | null | undefined;
  /** Whether command lines are those of Windows, where a backslash escapes nothing. */
  readonly isWindows?: boolean | undefined;
}

/**
 * Reads the servers of a configuration file, a command line, a URL or a `server.json` of the registry. Never fails: what
 * cannot be read is among the problems.
 */
export function readConfiguration(text: string, options: ReadOptions = {}): Configuration {
  const content = text.replace(/^\ufeff/, '').trimStart();
  const path = options.path ?? null;
  const syntax = options.format == null ? syntaxOfFile(path) : syntaxOf(options.format);
  const isFile =
    options.format == null
      ? syntax !== 'json' || /^[{[]|^\/[/*]/.test(content)
      : options.format !== 'command-line';
  if (!isFile) return readCommandLine(text, options.isWindows === true);
  const source = readSource(text, syntax);
  const { root } = source;
  if (root?.type !== 'object') {
    return { format: options.format ?? 'claude-desktop', servers: [], problems: noObject(source) };
  }
  if (options.format === 'registry' || (options.format == null && isRegistryEntry(root))) {
    const { servers, problems } = readRegistryEntry(source, root);
    return { format: 'registry', servers, problems: [...source.problems, ...problems] };
  }
  if (options.format === 'bundle' || (options.format == null && isBundle(root))) {
    const { servers, problems } = readBundle(source, root, path, options.isWindows === true);
    return { format: 'bundle', servers, problems: [...source.problems, ...problems] };
  }
  return readFile(source, root, fileFormat(options.format ?? detectFormat(text, root, path, syntax)), path);
}

const syntaxOfFile = (path: string | null): Syntax =>
  /\.toml$/i.test(path ?? '') ? 'toml' : /\.ya?ml$/i.test(path ?? '') ? 'yaml' : 'json';

const noObject = (source: JsonSource): ConfigurationProblem[] => [
  ...source.problems,
  {
    line: 1,
    column: 1,
    server: null,
    what: 'The text is no JSON object.',
    next: 'Paste the whole configuration file, from its first "{" to its last "}".',
  },
];

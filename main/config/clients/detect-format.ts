import { posix, win32 } from 'node:path';
import type { FileFormat, Signs } from '#shared/client-formats/format.ts';
import { type ClientFormat, fileFormats } from '#shared/client-formats/table.ts';
import type { JsonNode } from './jsonc.ts';
import { containersIn, entriesOf, isEntry, misplacedIn } from './entries.ts';
import { membersOf, textOf } from './json-source.ts';

type Format = FileFormat<ClientFormat>;

/**
 * The client of a file, by where its servers are; several clients share `mcpServers`, so then by the path of the file, and by
 * what only one of them has.
 */
export function detectFormat(
  text: string,
  root: JsonNode,
  path: string | null,
  syntax: FileFormat['syntax'] = 'json',
): ClientFormat {
  const ofSyntax = fileFormats.filter((format) => format.syntax === syntax);
  const pools = [
    (format: Format) =>
      containersIn(root, format).some(({ node }) => isListOf(node) === format.isList && holdsEntries(node)),
    (format: Format) => containersIn(root, format).some(({ node }) => holdsEntries(node)),
    (format: Format) => containersIn(root, format).length > 0,
    (format: Format) => misplacedIn(root, format).length > 0,
    () => true,
  ].map((test) => ofSyntax.filter(test));
  const pool = pools.find((formats) => formats.length > 0) ?? [];
  return (
    formatByPath(path, pool) ??
    pool.find((format) => hasSign(format, format.signs, root, text)) ??
    pool.find(({ hints }) => hints.text?.test(text) === true) ??
    pool.find((format) => hasSign(format, format.hints, root, text)) ??
    usualOf(pool, text)
  ).id;
}

const isListOf = (node: JsonNode): boolean => node.type === 'array';

const holdsEntries = (node: JsonNode): boolean =>
  node.type === 'array' ? node.elements.some(isEntry) : [...membersOf(node).values()].some(isEntry);

/** Claude Desktop connects to no address. */
function usualOf(pool: readonly Format[], text: string): Format {
  const wanted = /"(?:url|uri)"\s*:/.test(text) ? 'cursor' : 'claude-desktop';
  const found = pool.find(({ id }) => id === wanted) ?? pool[0] ?? fileFormats[0];
  if (found === undefined) throw new RangeError('there are no formats of files');
  return found;
}

function hasSign(format: Format, signs: Signs, root: JsonNode, text: string): boolean {
  if (signs.text?.test(text) === true) return true;
  if (signs.root?.some((key) => membersOf(root).has(key)) === true) return true;
  const { entry: keys = [], values = {} } = signs;
  if (keys.length === 0 && Object.keys(values).length === 0) return false;
  return entriesOf(root, format).some(({ node }) => {
    const members = membersOf(node);
    return (
      keys.some((key) => members.has(key)) ||
      Object.entries(values).some(([key, possible]) => possible.includes(textOf(members.get(key)) ?? ''))
    );
  });
}

/** The format whose end of paths fits, of several the longest. */
function formatByPath(path: string | null, pool: readonly Format[]): Format | null {
  if (path === null) return null;
  const parts = partsOf(path);
  const fits = pool.flatMap((format) =>
    [...format.userFiles.map((file) => file.path), ...format.projectFiles, ...format.otherFiles]
      .filter((end) => endsWith(parts, end))
      .map((end) => ({ format, length: partsOf(end).length })),
  );
  return fits.sort((one, other) => other.length - one.length)[0]?.format ?? null;
}

/** The folder of the project that a file belongs to; null for files of a user, and if only the name of the file is known. */
export function workspaceOf(path: string | null): string | null {
  // A page learns the name of a dropped file, but not its folder.
  if (path === null || !(posix.isAbsolute(path) || win32.isAbsolute(path))) return null;
  const { dirname } = path.includes('\\') ? win32 : posix;
  const parts = partsOf(path);
  const [end] = fileFormats
    .flatMap(({ projectFiles }) => projectFiles)
    .filter((one) => endsWith(parts, one))
    .map((one) => partsOf(one).length)
    .sort((one, other) => other - one);
  return end === undefined
    ? null
    : Array.from({ length: end }).reduce((folder: string) => dirname(folder), path);
}

const partsOf = (path: string): string[] => path.split(/[\\/]/);

/** Whether a path ends in these parts, of which `*` is any name. Names differ in case on two of three systems. */
function endsWith(parts: readonly string[], end: string): boolean {
  const wanted = partsOf(end);
  const last = parts.slice(-wanted.length);
  return (
    last.length === wanted.length &&
    wanted.every((one, index) => one === '*' || one.toLowerCase() === last[index]?.toLowerCase())
  );
}

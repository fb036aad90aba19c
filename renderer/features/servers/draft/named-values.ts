import { isSecretVariable } from '#shared/secret-names.ts';
import type { Suggestion } from '#ui/combobox.tsx';

/** One variable or header as it is being edited. A null value is a secret that the engine holds. */
export interface NamedValue {
  readonly key: number;
  readonly name: string;
  readonly value: string | null;
  readonly secret: boolean;
}

let lastKey = 0;

export const namedValue = (name = '', value: string | null = '', secret = false): NamedValue => ({
  key: ++lastKey,
  name,
  value,
  secret,
});

/** What the contract calls an entry: the same without its place on the screen. */
type Entry = Omit<NamedValue, 'key'>;

/** Rows as they were saved, ready to be edited. */
export const namedValues = (entries: readonly Entry[]): NamedValue[] =>
  entries.map(({ name, value, secret }) => namedValue(name, value, secret));

/** What rows amount to: those left empty are left out. */
interface ReadRows {
  readonly entries: readonly Entry[];
  /** The place among the rows of what became this entry. */
  readonly rowOf: (entry: number) => number;
}

export function readRows(rows: readonly NamedValue[]): ReadRows {
  const filled = rows.flatMap((row, place) => (row.name !== '' || row.value !== '' ? [place] : []));
  return {
    entries: filled.flatMap((place) => {
      const row = rows[place];
      return row === undefined ? [] : [{ name: row.name, value: row.value, secret: row.secret }];
    }),
    rowOf: (entry) => filled[entry] ?? 0,
  };
}

/** The rows whose name is there already, by their place. */
export function* rowsSetTwice(
  rows: readonly NamedValue[],
  comparable: (name: string) => string = (name) => name,
): Generator<[place: number, why: string]> {
  const seen = new Set<string>();
  for (const [place, { name }] of rows.entries()) {
    if (name !== '' && seen.has(comparable(name))) yield [place, `${name} is set twice.`];
    seen.add(comparable(name));
  }
}

/** A name and its value, found in pasted text. */
interface PastedLine {
  readonly name: string;
  readonly value: string;
}

/** Lines such as `NAME=value` or `export NAME="value"`, as pasted from a file; null when they are not. */
export const parseEnvLines = (text: string): PastedLine[] | null =>
  parseLines(text, /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/);

/** Lines such as `Name: value`, as pasted from a request, or as options of curl; null when they are not. */
export const parseHeaderLines = (text: string): PastedLine[] | null =>
  parseLines(text.replaceAll(/\s*\\$/gm, ''), /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+):(?!\/\/)\s*(.*)$/, (line) =>
    line.replace(/^\s*(?:-H|--header)[\s=]+(["'])(.*)\1\s*$/, '$2'),
  );

/** What tells variables and headers apart where they are edited. */
export interface ValueKind {
  /** Where their errors belong: `env.0`, `headers.0`, and `headers.0.value` for that of a value. */
  readonly place: 'env' | 'headers';
  readonly one: string;
  readonly namePlaceholder: string;
  readonly pasteHint: string;
  /** Names to choose from; empty where anything goes. */
  readonly suggestions: readonly Suggestion[];
  readonly parse: (pasted: string) => PastedLine[] | null;
  /** Whether values are secret unless the user says otherwise. */
  readonly startsSecret: boolean;
  /** Whether the name tells of a secret, whatever was said before. */
  readonly tellsOfSecret: (name: string) => boolean;
  /** What one should know of a row, in a sentence; null for most. */
  readonly noteOn: (row: NamedValue) => string | null;
  /** What a value becomes with this pasted over it; null for the usual. */
  readonly pasteValue: (row: NamedValue, pasted: string) => string | null;
}

/** A row for each pasted line. */
export const rowsOf = (kind: ValueKind, lines: readonly PastedLine[]): NamedValue[] =>
  lines.map(({ name, value }) => namedValue(name, value, kind.startsSecret || kind.tellsOfSecret(name)));

/** A row to be filled in. */
export const emptyRow = (kind: ValueKind): NamedValue => namedValue('', '', kind.startsSecret);

export const variables: ValueKind = {
  place: 'env',
  one: 'variable',
  namePlaceholder: 'NAME',
  pasteHint: 'Lines of NAME=value can be pasted into a name.',
  suggestions: [],
  parse: parseEnvLines,
  startsSecret: false,
  tellsOfSecret: isSecretVariable,
  noteOn: () => null,
  pasteValue: () => null,
};

/** How the value of the commonest header begins (RFC 6750 section 2.1). */
const BEARER = 'Bearer ';

export const bearerHeader = (): NamedValue => namedValue('Authorization', BEARER, true);

/** Lines that belong to the protocol or to HTTP itself; the user's stand in place of them. */
const ourHeaders: ReadonlySet<string> = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'host',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'transfer-encoding',
  'user-agent',
]);

export const headers: ValueKind = {
  place: 'headers',
  one: 'header',
  namePlaceholder: 'Name',
  pasteHint: 'Lines of Name: value can be pasted into a name.',
  suggestions: [
    { value: 'Authorization', note: 'Bearer …, Basic …' },
    { value: 'X-API-Key' },
    { value: 'Cookie' },
    { value: 'Origin' },
    { value: 'User-Agent' },
    { value: 'Accept-Language' },
    { value: 'MCP-Protocol-Version' },
  ],
  parse: parseHeaderLines,
  startsSecret: true,
  tellsOfSecret: () => false,
  noteOn({ name, value }) {
    const isAuthorization = name.toLowerCase() === 'authorization';
    if (isAuthorization && value === BEARER) return 'The token goes after “Bearer ”.';
    if (isAuthorization && value !== null && /^\S+$/.test(value))
      return 'Servers expect a scheme before the token, such as “Bearer ”.';
    return ourHeaders.has(name.toLowerCase()) ? 'Stands in place of the line Sightglass would send.' : null;
  },
  pasteValue({ name, value }, pasted) {
    if (name.toLowerCase() !== 'authorization' || value !== BEARER) return null;
    const token = pasted.trim().replace(/^(?:authorization:\s*)?bearer\s+/i, '');
    return BEARER + token;
  },
};

function parseLines(
  text: string,
  pattern: RegExp,
  clean = (line: string): string => line,
): PastedLine[] | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  const found = lines.map((line) => pattern.exec(clean(line)));
  if (found.length === 0 || found.includes(null)) return null;
  return found.flatMap((match) =>
    match?.[1] === undefined ? [] : [{ name: match[1], value: unquoted((match[2] ?? '').trim()) }],
  );
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;

import { isSecretHeader, isSecretVariable } from '#shared/secret-names.ts';
import type { Suggestion } from '#ui/combobox.tsx';

/** A variable or header being edited. A null value is a secret that only the engine has. */
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

/** An entry of the contract. */
type Entry = Omit<NamedValue, 'key'>;

/** Makes rows to edit from saved entries. */
export const namedValues = (entries: readonly Entry[]): NamedValue[] =>
  entries.map(({ name, value, secret }) => namedValue(name, value, secret));

/** Parsed rows, without the empty ones. */
interface ParsedRows {
  readonly entries: readonly Entry[];
  /** The index of the row that an entry was made from. */
  readonly rowOf: (entry: number) => number;
}

export function parseRows(rows: readonly NamedValue[]): ParsedRows {
  const filled = rows.flatMap((row, index) => (row.name !== '' || row.value !== '' ? [index] : []));
  return {
    entries: filled.flatMap((index) => {
      const row = rows[index];
      return row === undefined ? [] : [{ name: row.name, value: row.value, secret: row.secret }];
    }),
    rowOf: (entry) => filled[entry] ?? 0,
  };
}

/** An error for each row whose name was already used, by row index. */
export function* duplicateNames(
  rows: readonly NamedValue[],
  comparable: (name: string) => string = (name) => name,
): Generator<[index: number, error: string]> {
  const seen = new Set<string>();
  for (const [index, { name }] of rows.entries()) {
    if (name !== '' && seen.has(comparable(name))) yield [index, `${name} is set twice.`];
    seen.add(comparable(name));
  }
}

/** A name and value found in pasted text. */
interface PastedLine {
  readonly name: string;
  readonly value: string;
}

/** Parses pasted lines such as `NAME=value` or `export NAME="value"`; null for any other text. */
export const parseEnvLines = (text: string): PastedLine[] | null =>
  parseLines(text, /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/);

/** Parses pasted lines such as `Name: value`, also as options of curl; null for any other text. */
export const parseHeaderLines = (text: string): PastedLine[] | null =>
  parseLines(withoutContinuation(text), /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+):(?!\/\/)\s*(.*)$/s, (line) =>
    line.replace(/^\s*(?:-H|--header)[\s=]+(["'])(.*)\1\s*$/, '$2'),
  );

/** Lines without the backslash that continues a command. */
const withoutContinuation = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line.endsWith('\\') ? line.slice(0, -1).trimEnd() : line))
    .join('\n');

/** What differs between variables and headers in the editor. */
export interface ValueKind {
  /** Prefix of their error fields: `env.0`, `headers.0`, `headers.0.value`. */
  readonly field: 'env' | 'headers';
  readonly one: string;
  readonly namePlaceholder: string;
  readonly pasteHint: string;
  /** Suggested names; empty for none. */
  readonly suggestions: readonly Suggestion[];
  readonly parse: (pasted: string) => PastedLine[] | null;
  /** Whether new values are secret by default. */
  readonly startsSecret: boolean;
  /** Whether the name suggests a secret. */
  readonly suggestsSecret: (name: string) => boolean;
  /** A note about a row; null for most. */
  readonly noteFor: (row: NamedValue) => string | null;
  /** The value after pasting this text; null for normal pasting. */
  readonly pasteValue: (row: NamedValue, pasted: string) => string | null;
}

/** Makes a row from each pasted line. */
export const rowsOf = (kind: ValueKind, lines: readonly PastedLine[]): NamedValue[] =>
  lines.map(({ name, value }) => namedValue(name, value, kind.startsSecret || kind.suggestsSecret(name)));

export const emptyRow = (kind: ValueKind): NamedValue => namedValue('', '', kind.startsSecret);

export const variables: ValueKind = {
  field: 'env',
  one: 'variable',
  namePlaceholder: 'NAME',
  pasteHint: 'Paste NAME=value lines into a name field.',
  suggestions: [],
  parse: parseEnvLines,
  startsSecret: false,
  suggestsSecret: isSecretVariable,
  noteFor: () => null,
  pasteValue: () => null,
};

/** Start of a bearer token's header value (RFC 6750 section 2.1). */
const BEARER = 'Bearer ';

export const bearerHeader = (): NamedValue => namedValue('Authorization', BEARER, true);

/** Headers that Sightglass sends; the user's own replace them. */
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
  field: 'headers',
  one: 'header',
  namePlaceholder: 'Name',
  pasteHint: 'Paste Name: value lines into a name field.',
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
  suggestsSecret: isSecretHeader,
  noteFor({ name, value }) {
    const isAuthorization = name.toLowerCase() === 'authorization';
    if (isAuthorization && value === BEARER) return 'The token goes after “Bearer ”.';
    if (isAuthorization && value !== null && /^\S+$/.test(value))
      return 'Servers expect a scheme before the token, such as “Bearer ”.';
    return ourHeaders.has(name.toLowerCase()) ? 'Replaces the header Sightglass would send.' : null;
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

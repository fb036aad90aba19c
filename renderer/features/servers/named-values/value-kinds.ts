import { isSecretVariable } from '#shared/secret-names.ts';
import type { Suggestion } from '#ui/combobox.tsx';
import { type NamedValue, namedValue } from './named-value.ts';
import { type PastedLine, parseEnvLines, parseHeaderLines } from './paste-lines.ts';

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

/** A row for each pasted line. */
export const rowsOf = (kind: ValueKind, lines: readonly PastedLine[]): NamedValue[] =>
  lines.map(({ name, value }) => namedValue(name, value, kind.startsSecret || kind.tellsOfSecret(name)));

/** A row to be filled in. */
export const emptyRow = (kind: ValueKind): NamedValue => namedValue('', '', kind.startsSecret);

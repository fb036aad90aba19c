import { tokensOf, unquoted } from '#shared/json/tokens.ts';
import { isSecretHeader, isSecretVariable } from '#shared/secret-names.ts';
import { withoutEnd } from '#shared/trim.ts';
import { secretsInUrl, USER_INFO, withUrlSecrets } from '#shared/url-secrets.ts';
import { isOnlyPlaceholders, replacePlaceholders } from '#config/placeholders.ts';

/** Gives the placeholder for a secret, by a name such as `api-key`. */
export type PlaceholderFor = (name: string, value: string) => string;

/**
 * Arguments whose names say that they are secret, with a placeholder for their values: `--api-key VALUE`,
 * `--token=VALUE`, `API_KEY=VALUE`, `Authorization: VALUE`, the password and the parameters of a URL, members of JSON, parts of
 * a connection string, and all of these in a command line that is one argument.
 */
export function withoutSecretArguments(args: readonly string[], placeholderFor: PlaceholderFor): string[] {
  return args.map((arg, index) => {
    const previous = args[index - 1] ?? '';
    if (takesLine.test(previous) && /\s/.test(arg)) return withoutSecretParts(arg, placeholderFor);
    for (const pattern of namedValues) {
      const [, before = '', name = '', value = ''] = pattern.exec(arg) ?? [];
      if (isSecretName(name) && isValue(value)) return before + placeholderFor(name, value);
    }
    const flag = /^--?([A-Za-z][\w-]*)$/.exec(previous)?.[1] ?? '';
    if (isSecretName(flag) && !arg.startsWith('-') && isValue(arg)) return placeholderFor(flag, arg);
    return withoutSecretParts(arg, placeholderFor);
  });
}

/** Whether a text has a part that is secret by its name. */
export const hasSecretPart = (text: string): boolean =>
  withoutSecretArguments([text], () => '').some((one) => one !== text);

/** The name of a server without the secrets in it: a URL or an assignment may have become its name. */
export const withoutSecretsInName = (name: string): string =>
  withoutSecretArguments([name], () => '…')[0] ?? name;

/** Options of shells and programs that take a whole command line as one argument. */
const takesLine = /^(?:-[a-z]{0,3}c|\/[ck]|-command|--call)$/i;

/** `--token=VALUE`, `API_KEY=VALUE`. */
const assignment = /^((?:-{1,2})?([A-Za-z][\w.-]*)=)(.+)$/s;
/** `--env=API_KEY=VALUE` */
const assignmentOfOption = /^([\w-]+=([A-Za-z][\w.-]*)=)(.+)$/s;
/** An argument that sets a header, as `curl` and `mcp-remote` take it; Windows programs write `/password:VALUE`. */
const header = /^((?:[\w-]+=|-{1,2}|\/)?([A-Za-z][\w-]*): *(?:(?:Bearer|Basic|Token) +)?)(?!\/\/)(.+)$/is;
const namedValues = [assignment, assignmentOfOption, header];

const isSecretName = (name: string): boolean => isSecretVariable(name) || isSecretHeader(name);

/** Whether it may be a secret: not a placeholder, a number, a switch, or the version in `mcp-auth:1.0`. */
const isValue = (value: string): boolean =>
  !isOnlyPlaceholders(value) &&
  !value.startsWith('$') &&
  !/^(?:\d{0,6}|v?\d{1,4}(?:\.\d{1,4}){1,3}|true|false|yes|no|on|off|none|null|latest)$/i.test(value);

/** Without the secrets inside a text: of JSON, of a connection string, of its words, of a URL. */
function withoutSecretParts(text: string, placeholderFor: PlaceholderFor): string {
  const withoutMembers =
    text.includes('{') && text.includes('"') ? withoutSecretMembers(text, placeholderFor, 0) : text;
  if (withoutMembers !== text) return withoutMembers;
  if (/\s/.test(text)) {
    const list = text.includes(';') ? withoutSecretSettings(text, placeholderFor) : text;
    return list === text ? withoutSecretWords(text, placeholderFor) : list;
  }
  const withoutSettings = text.includes(';') ? withoutSecretSettings(text, placeholderFor) : text;
  return withoutSecretDefaults(withoutSecretUrl(withoutSettings, placeholderFor), placeholderFor);
}

/** The words of a command line, and the headers in it. */
function withoutSecretWords(line: string, placeholderFor: PlaceholderFor): string {
  // Words and the spaces between them.
  const parts = line.split(/(\s+)/);
  const words = parts.filter((_, index) => index % 2 === 0);
  const ends = words.map((word) => word.slice(withoutEnd(word, '"\'`;&|)').length));
  const bare = words.map((word, index) => word.slice(0, word.length - (ends[index] ?? '').length));
  const result = withoutSecretArguments(bare, placeholderFor).map((word, index) => {
    const written = bare[index] ?? '';
    if (word !== written || !isValue(written)) return word;
    const [before = '', previous = ''] = [words[index - 2], words[index - 1]];
    const isScheme = /^(?:Bearer|Basic|Token)$/i.test(previous);
    const name = nameBeforeColon(isScheme ? before : previous);
    if (isSecretName(name)) return isSchemeWord(written) ? word : placeholderFor(name, written);
    return /^["'(]*Bearer$/i.test(previous) ? placeholderFor('Authorization', written) : word;
  });
  return parts
    .map((part, index) => (index % 2 === 0 ? `${result[index / 2] ?? ''}${ends[index / 2] ?? ''}` : part))
    .join('');
}

const isSchemeWord = (word: string): boolean => /^(?:Bearer|Basic|Token)$/i.test(word);

/** The name of a header that ends a word: `"X-API-Key:`. */
const nameBeforeColon = (word: string): string =>
  word.endsWith(':') ? word.slice(0, -1).replace(/^.*["'=]/s, '') : '';

/** Settings with semicolons between them, as in a connection string: `Server=db;Password=VALUE`. */
const withoutSecretSettings = (text: string, placeholderFor: PlaceholderFor): string =>
  text
    .split(';')
    .map((part) => {
      const [, before = '', name = '', value = ''] = /^( *([A-Za-z][\w .-]*)=)(.+)$/s.exec(part) ?? [];
      return isSecretName(name) && isValue(value) ? before + placeholderFor(name, value) : part;
    })
    .join(';');

function withoutSecretUrl(text: string, placeholderFor: PlaceholderFor): string {
  const scheme = /[a-z][a-z0-9+.-]{0,30}:\/\//i.exec(text);
  if (scheme === null) return text;
  const url = text.slice(scheme.index);
  if (secretsInUrl(url).length === 0) return text;
  const hidden = withUrlSecrets(url, ({ name, key, value }) => {
    // A user name alone is not a secret: git@example.com.
    const isPublic = key === USER_INFO && !/:./.test(value);
    return isPublic || !isValue(value) ? null : placeholderFor(name, value);
  });
  return text.slice(0, scheme.index) + hidden;
}

/** JSON within a string of JSON, and so on; nobody writes more. */
const MAX_QUOTED = 3;

function withoutSecretMembers(text: string, placeholderFor: PlaceholderFor, depth: number): string {
  let result = '';
  let from = 0;
  let name: string | null = null;
  let isAfterColon = false;
  const replace = (start: number, end: number, by: string) => {
    result += text.slice(from, start) + by;
    from = end;
  };
  for (const { kind, start, end } of tokensOf(text)) {
    if (kind === ':') {
      isAfterColon = true;
      continue;
    }
    const written = kind === 'string' ? text.slice(start, end) : '';
    if (isAfterColon && name !== null && isSecretName(name)) {
      const value = written.slice(1, -1);
      if (written !== '' && isValue(value)) replace(start, end, `"${placeholderFor(name, value)}"`);
    } else if (written.includes('{') && written.includes('\\"') && depth < MAX_QUOTED) {
      const inner = unquoted(written);
      const hidden = withoutSecretMembers(
        inner,
        // The value is put where it is quoted once more.
        (one, value) => placeholderFor(one, JSON.stringify(value).slice(1, -1)),
        depth + 1,
      );
      if (hidden !== inner) replace(start, end, JSON.stringify(hidden));
    }
    name = isAfterColon || written === '' ? null : unquoted(written);
    isAfterColon = false;
  }
  return result + text.slice(from);
}

/** The default of a variable that is secret by its name, in the spelling of any client: `${API_KEY:VALUE}`. */
function withoutSecretDefaults(text: string, placeholderFor: PlaceholderFor): string {
  if (!text.includes('${')) return text;
  return replacePlaceholders(text, (placeholder) =>
    placeholder.kind === 'env' && placeholder.fallback && isSecretVariable(placeholder.name)
      ? placeholderFor(placeholder.name, placeholder.fallback)
      : placeholder.written,
  ).replaceAll(UNKNOWN_DEFAULT, (written: string, name: string, value: string, end: string) =>
    end === '}' && name !== 'input' && name !== 'env' && isSecretVariable(name) && isValue(value)
      ? placeholderFor(name, written)
      : written,
  );
}

/** One that is not closed matches to the end of the text, so that the end is searched for once. */
const UNKNOWN_DEFAULT = /\$\{([A-Za-z_][\w.]*)[:|=?]-?([^{}]*)(\}|$)/g;

import type { ServerSettings, Variable } from '#shared/contract/servers.ts';
import { tokensOf, unquoted } from '#shared/json/tokens.ts';
import { isSecretHeader, isSecretVariable } from '#shared/secret-names.ts';
import { secretsInUrl, USER_INFO, withUrlSecrets } from '#shared/url-secrets.ts';
import { isOnlyPlaceholders, placeholdersIn, replacePlaceholders } from '#config/placeholders.ts';

/** Gives the placeholder for a secret, by a name such as `api-key`. */
type PlaceholderFor = (name: string, value: string) => string;

/**
 * Arguments whose names say that they are secret, with a placeholder for their values: `--api-key VALUE`,
 * `--token=VALUE`, `API_KEY=VALUE`, `Authorization: VALUE`, the password and the parameters of a URL, members of JSON.
 */
export function withoutSecretArguments(args: readonly string[], placeholderFor: PlaceholderFor): string[] {
  return args.map((arg, index) => {
    const [, before = '', name = '', value = ''] = assignment.exec(arg) ?? header.exec(arg) ?? [];
    if (isSecretName(name) && isValue(value)) return before + placeholderFor(name, value);
    const flag = /^--?([A-Za-z][\w-]*)$/.exec(args[index - 1] ?? '')?.[1] ?? '';
    if (isSecretName(flag) && !arg.startsWith('-') && isValue(arg)) return placeholderFor(flag, arg);
    return withoutSecretDefaults(withoutSecretParts(arg, placeholderFor), placeholderFor);
  });
}

/**
 * The settings with variables for the secrets in their command line: those are kept in the store, and the command line, which
 * is kept in the settings file, names them.
 */
export function withSecretVariables(settings: ServerSettings): ServerSettings {
  const { transport } = settings;
  if (transport.kind === 'http') return settings;
  const variables: Variable[] = [...(settings.variables ?? [])];
  const placeholderFor: PlaceholderFor = (name, value) => {
    const description = `"${name}" of the command line`;
    const stem = name.replaceAll(/[{}]/g, '').replaceAll(' ', '-');
    const nameOf = (count: number) => `input:${stem}${count === 1 ? '' : `-${count}`}`;
    let count = 1;
    const taken = () => variables.find((one) => one.name === nameOf(count));
    for (let other = taken(); other !== undefined && other.value !== value; other = taken()) count++;
    if (taken() === undefined) variables.push({ name: nameOf(count), value, secret: true, description });
    return `\${${nameOf(count)}}`;
  };
  // A command with spaces is a whole command line.
  const words = withoutSecretArguments(transport.command.split(' '), placeholderFor);
  const args = withoutSecretArguments(transport.args, placeholderFor);
  return {
    ...settings,
    transport: { ...transport, command: words.join(' '), args },
    ...(variables.length > 0 && { variables }),
  };
}

const assignment = /^((?:-{1,2})?([A-Za-z][\w.-]*)=)(.+)$/s;
/** An argument that sets a header, as `curl` and `mcp-remote` take it. */
const header = /^((?:[\w-]+=)?([A-Za-z][A-Za-z-]*): *(?:(?:Bearer|Basic|Token) +)?)(.+)$/is;

const isSecretName = (name: string): boolean => isSecretVariable(name) || isSecretHeader(name);

/** Whether it may be a secret: not a placeholder, a number or a switch. */
const isValue = (value: string): boolean =>
  !isOnlyPlaceholders(value) &&
  !value.startsWith('$') &&
  !/^(?:\d{0,6}|true|false|yes|no|on|off)$/i.test(value);

/** The secrets of a URL, and the members of JSON, in an argument. */
function withoutSecretParts(arg: string, placeholderFor: PlaceholderFor): string {
  const scheme = /[a-z][a-z0-9+.-]{0,30}:\/\//i.exec(arg);
  if (arg.includes('{') && arg.includes('"')) return withoutSecretMembers(arg, placeholderFor);
  if (scheme === null) return arg;
  const url = arg.slice(scheme.index);
  if (secretsInUrl(url).length === 0) return arg;
  const hidden = withUrlSecrets(url, ({ name, key, value }) => {
    // A user name alone is none: git@example.com.
    const isPublic = key === USER_INFO && !/:./.test(value);
    return isPublic || !isValue(value) ? null : placeholderFor(name, value);
  });
  return arg.slice(0, scheme.index) + hidden;
}

function withoutSecretMembers(arg: string, placeholderFor: PlaceholderFor): string {
  let result = '';
  let from = 0;
  let name: string | null = null;
  let isAfterColon = false;
  for (const { kind, start, end } of tokensOf(arg)) {
    if (kind === ':') isAfterColon = true;
    else if (kind === 'string' && isAfterColon && name !== null && isSecretName(name)) {
      const value = arg.slice(start + 1, end - 1);
      if (isValue(value)) {
        result += `${arg.slice(from, start)}"${placeholderFor(name, value)}"`;
        from = end;
      }
      [name, isAfterColon] = [null, false];
    } else [name, isAfterColon] = [kind === 'string' ? unquoted(arg.slice(start, end)) : null, false];
  }
  return result + arg.slice(from);
}

/** The default of a variable that is secret by its name. */
function withoutSecretDefaults(arg: string, placeholderFor: PlaceholderFor): string {
  if (placeholdersIn(arg).length === 0) return arg;
  return replacePlaceholders(arg, (placeholder) =>
    placeholder.kind === 'env' && placeholder.fallback && isSecretVariable(placeholder.name)
      ? placeholderFor(placeholder.name, placeholder.fallback)
      : placeholder.written,
  );
}

import { isSecretHeader, isSecretVariable } from '#shared/secret-names.ts';
import { isOnlyPlaceholders } from '#config/placeholders.ts';

/**
 * Arguments whose names say that they are secret, with a placeholder for their values: `--api-key VALUE`,
 * `--token=VALUE`, `API_KEY=VALUE`, `Authorization: VALUE`.
 *
 * @param placeholderFor by a name such as `api-key`, and the value that it stands for
 */
export function withoutSecretArguments(
  args: readonly string[],
  placeholderFor: (name: string, value: string) => string,
): string[] {
  return args.map((arg, index) => {
    const [, before = '', name = '', value = ''] = assignment.exec(arg) ?? header.exec(arg) ?? [];
    if (isSecretName(name) && isValue(value)) return before + placeholderFor(name, value);
    const flag = /^--?([A-Za-z][\w-]*)$/.exec(args[index - 1] ?? '')?.[1] ?? '';
    return isSecretName(flag) && !arg.startsWith('-') && isValue(arg) ? placeholderFor(flag, arg) : arg;
  });
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

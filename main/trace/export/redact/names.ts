import { secretMember } from '#shared/secret-names.ts';

const known = new Map<string, string | null>();
const MAX_KNOWN = 4096;

/**
 * The kind of secret in a member, header, parameter or variable with this name, in any style
 * (`access_token`, `accessToken`, `Access-Token`); null when none.
 *
 * @returns a label that contains only harmless parts of the name
 */
export function secretLabel(name: string): string | null {
  if (name.length < 3) return null;
  const before = known.get(name);
  if (before !== undefined) return before;
  const label = labelOf(name);
  // A server may send any number of names.
  if (known.size < MAX_KNOWN) known.set(name, label);
  return label;
}

/** The label of values of `-u` and similar options. */
export const USER_OPTION = 'user and password';

/** The kind of secret in the value of a command line option; null if there is none. */
export function optionLabel(option: string): string | null {
  if (USER_OPTIONS.has(option)) return USER_OPTION;
  const name = /^--?([\w.-]{2,80})$/.exec(option)?.[1];
  return name === undefined ? null : secretLabel(name);
}

/** Options of curl that take `user:password`. Other programs take `user:group` there, in numbers or words. */
const USER_OPTIONS: ReadonlySet<string> = new Set(['-u', '--user', '-U', '--proxy-user']);

/** Whether the value of such an option contains a password, not a user and a group. */
export const isUserAndPassword = (value: string): boolean => /^[^:\s]{0,200}:(?!\d*$)\S/.test(value);

function labelOf(name: string): string | null {
  const ending = secretMember(name);
  // `pat` alone in small letters is the name of somebody.
  if (ending === 'pat') return name === 'pat' ? null : 'personal access token';
  if (ending === null) return null;
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const before = plain.slice(0, plain.lastIndexOf(ending));
  return before === '' || beginnings.has(before) ? written(name) : `…${ending}`;
}

/** Common prefixes of an ending; names with them can be shown. */
const beginnings: ReadonlySet<string> = new Set(
  (
    'access refresh id auth session mcp bearer client api x xapi xauth xaccess proxy set csrf xcsrf github openai ' +
    'anthropic aws awssecret awssession slack npm db database user admin private bot app oauth secret service ' +
    'xamzsecurity xgoog xgoogapi'
  ).split(' '),
);

const written = (name: string): string => name.replaceAll(/[^\w.-]/g, '_');

import { isCredentialParameter } from './secret-names.ts';

/** Stands in a URL for a secret that is kept elsewhere. */
const HELD = '••••';

/** The key of the user name and password of a URL; no parameter has it. */
export const USER_INFO = 'user-info';

/** A part of a URL that is secret because of where it is. */
export interface UrlSecret {
  /** `user info`, or the name of a parameter. */
  readonly name: string;
  /** Its name in any spelling, and which one it is when the name comes more than once, such as `token/2`. */
  readonly key: string;
  /** The value as it is written, percent-encoded. */
  readonly value: string;
}

/** A URL in its order: its user info and its credential parameters, and the text around them. */
export function partsOfUrl(url: string): (string | UrlSecret)[] {
  const [, before = '', userInfo] = /^((?:[a-z][a-z0-9+.-]*:)?\/\/)(?:([^/?#]*)@)?/i.exec(url) ?? [];
  const parts: (string | UrlSecret)[] = [];
  const counts = new Map<string, number>();
  let from = 0;
  if (userInfo !== undefined && userInfo !== '' && !isPlaceholder(userInfo)) {
    parts.push(before, { name: 'user info', key: USER_INFO, value: userInfo });
    from = before.length + userInfo.length;
  }
  // Credentials stand in the fragment too: OAuth's implicit flow returned them there.
  const parameter = /[?&#]([^=&#?]*)=([^&#]+)/g;
  parameter.lastIndex = from;
  for (let match = parameter.exec(url); match !== null; match = parameter.exec(url)) {
    const [, written = '', value = ''] = match;
    const name = decodedUrlPart(written);
    if (!isCredentialParameter(name) || isPlaceholder(value)) continue;
    const spelling = name.toLowerCase();
    const count = (counts.get(spelling) ?? 0) + 1;
    counts.set(spelling, count);
    const key = count === 1 ? spelling : `${spelling}/${count}`;
    parts.push(url.slice(from, parameter.lastIndex - value.length), { name, key, value });
    from = parameter.lastIndex;
  }
  parts.push(url.slice(from));
  return parts;
}

/** Whether a part only names variables, whose values are kept apart. One with a default may have a secret. */
const isPlaceholder = (value: string): boolean =>
  /^(?:\$\{(?:env:[^}:]+|input:[^}]+)\}:?)+$/.test(decodedUrlPart(value));

/** The secrets in a URL, with those that are only held. */
export const secretsInUrl = (url: string): UrlSecret[] =>
  partsOfUrl(url).filter((part) => typeof part !== 'string');

/** Whether the value is held elsewhere: the URL has only its placeholder. */
export const isHeld = ({ value }: UrlSecret): boolean => decodedUrlPart(value) === HELD;

/** The URL with a placeholder for each of its secrets. */
export const withoutUrlSecrets = (url: string): string => withUrlSecrets(url, () => HELD);

/** The URL with other values for its secrets; null keeps one as it is written. */
export const withUrlSecrets = (url: string, valueOf: (secret: UrlSecret) => string | null): string =>
  partsOfUrl(url)
    .map((part) => (typeof part === 'string' ? part : (valueOf(part) ?? part.value)))
    .join('');

/** A part of a URL as it is meant; as it is written when it is not well-formed. */
export function decodedUrlPart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

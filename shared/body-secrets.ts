import { tokensOf } from './json/tokens.ts';
import { isCredentialParameter } from './secret-names.ts';

/** A part of the body of a request or response that is secret because of its name. */
export interface BodySecret {
  readonly name: string;
  /** The value as it is written: percent-encoded in a form, with escapes in a JSON string. */
  readonly written: string;
  /** The value that is meant. */
  readonly value: string;
  /** Whether the value is a JSON number, so that its replacement needs quotes. */
  readonly needsQuotes: boolean;
}

/** Members of the JSON responses of an authorization server, in small letters only. Those of other APIs are not read as secrets. */
const secretMembers: ReadonlySet<string> = new Set(
  (
    'accesstoken refreshtoken idtoken clientsecret registrationaccesstoken devicecode codeverifier ' +
    'assertion clientassertion subjecttoken actortoken'
  ).split(' '),
);

const isSecretMember = (name: string): boolean =>
  secretMembers.has(name.toLowerCase().replaceAll(/[^a-z]/g, ''));

/**
 * The body of an exchange with an authorization server in its order: its secrets, and the text around them. A body that is neither a
 * form nor JSON has none.
 *
 * @param isOurs a request: its JSON has the same parameters as a form
 */
export function partsOfBody(text: string, isOurs: boolean): (string | BodySecret)[] {
  if (FORM.test(text)) return partsOfForm(text);
  return /^\s*[[{]/.test(text) ? partsOfJson(text, isOurs ? isCredentialParameter : isSecretMember) : [text];
}

/** Text without spaces and quotes, which a form would have encoded. */
const FORM = /^[^\s=&"<>{}]{1,200}=[^\s"<>{}]*$/;

function partsOfForm(text: string): (string | BodySecret)[] {
  const parts: (string | BodySecret)[] = [];
  for (const [place, field] of text.split('&').entries()) {
    const sign = field.indexOf('=');
    const name = decoded(field.slice(0, Math.max(sign, 0)));
    const written = field.slice(sign + 1);
    const before = place === 0 ? '' : '&';
    if (sign === -1 || written === '' || !isCredentialParameter(name)) parts.push(`${before}${field}`);
    else {
      parts.push(`${before}${field.slice(0, sign + 1)}`);
      parts.push({ name, written, value: decoded(written), needsQuotes: false });
    }
  }
  return parts;
}

function partsOfJson(text: string, isSecret: (name: string) => boolean): (string | BodySecret)[] {
  const parts: (string | BodySecret)[] = [];
  let from = 0;
  let name: string | null = null;
  let isValueNext = false;
  for (const { kind, start, end } of tokensOf(text)) {
    const isValue = isValueNext && (kind === 'string' || kind === 'word');
    isValueNext = kind === ':' && name !== null && isSecret(name);
    if (kind !== ':' && !isValue) name = kind === 'string' ? unquoted(text.slice(start, end)) : null;
    if (!isValue || name === null) continue;
    const isString = kind === 'string';
    const isClosed = isString && end - start > 1 && text.charAt(end - 1) === '"';
    const written = isString ? text.slice(start + 1, isClosed ? end - 1 : end) : text.slice(start, end);
    if (written === '' || NO_SECRET.test(written)) continue;
    const value = isString ? unquoted(text.slice(start, end)) : written;
    parts.push(text.slice(from, isString ? start + 1 : start));
    parts.push({ name, written, value, needsQuotes: !isString });
    from = isClosed ? end - 1 : end;
  }
  return [...parts, text.slice(from)];
}

const NO_SECRET = /^(?:null|true|false)$/;

/** The value of a string of JSON; as it is written if it is not valid. */
function unquoted(written: string): string {
  try {
    return String(JSON.parse(written));
  } catch {
    return written.slice(1).replace(/"$/, '');
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text; // Not well-formed: it is meant as it is written.
  }
}

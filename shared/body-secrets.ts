import {
  isPrivateKeyMember,
  isPublicKeyMember,
  isSecretMember,
  type MemberKind,
  memberKind,
} from './harmless-members.ts';
import { type Token, tokensOf, unquoted } from './json/tokens.ts';
import { isMarkup, markupNodes } from './markup-nodes.ts';
import { hasOpaqueWord, isJwt, looksOpaque, opaqueWords } from './opaque-words.ts';
import { isCredentialParameter, isDistinct } from './secret-names.ts';
import { isSecretPlaceholder } from './secret-placeholder.ts';
import { partsOfUrl } from './url-secrets.ts';

/** A part of the body of a request or response that is secret. */
export interface BodySecret {
  /** The member or field that it belongs to, or what it is. */
  readonly name: string;
  /** The value as it is written: percent-encoded in a form, with escapes in a JSON string. */
  readonly written: string;
  /** The value that is meant. */
  readonly value: string;
  /** Whether the value is a JSON number, so that its replacement needs quotes. */
  readonly needsQuotes: boolean;
}

export type BodyParts = (string | BodySecret)[];

/**
 * What a body may hold. `tokens`: the response of an endpoint that gives or names tokens, of which only what is known to be harmless
 * can be read. `keys`: a JWK set. `document`: metadata, an error page, which anybody may read. `request`: what we sent to such an
 * endpoint. `sent`: what we sent anywhere else.
 */
export type BodyKind = 'tokens' | 'keys' | 'document' | 'request' | 'sent';

/**
 * The one function that says what of a body of an authorization server is secret: the body in its order, with the text between the
 * secrets. Never fails, whatever the body is: what is neither JSON, a form, markup nor text in words is a secret as a whole.
 *
 * @param mediaType its Content-Type; empty if that is not known
 */
export function partsOfBody(text: string, kind: BodyKind, mediaType = ''): BodyParts {
  const parts = limited(partsByForm(text, kind, mediaType));
  const secrets = new Map<string, BodySecret>();
  for (const part of parts) {
    if (typeof part !== 'string' && secrets.size < MAX_REPEATED && isDistinct(part.value))
      secrets.set(part.value, part);
  }
  return secrets.size === 0 ? parts : parts.flatMap((part) => withoutRepeated(part, [...secrets.values()]));
}

/** Secrets that are replaced one by one; what follows them is one secret. */
const MAX_SECRETS = 1000;

function limited(parts: BodyParts): BodyParts {
  const place = parts.findIndex((part, index) => index >= MAX_SECRETS && typeof part !== 'string');
  if (place === -1) return parts;
  const rest = parts.slice(place).map((part) => (typeof part === 'string' ? part : part.written));
  return [...parts.slice(0, place), secretOf('rest', rest.join(''))];
}

function partsByForm(text: string, kind: BodyKind, mediaType: string): BodyParts {
  if (isForm(text, mediaType)) return partsOfForm(text, kindOfForm(text, kind));
  if (/^\s*[[{]/.test(text)) return partsOfJson(text, kind);
  if (kind === 'request' || kind === 'sent') return [text];
  if (kind !== 'tokens' && !NAMES_CREDENTIAL.test(text)) return [text];
  if (isMarkup(text)) return partsOfMarkup(text);
  if (/^[\w+/=-]+(?:\.[\w+/=-]*)*\s*$/.test(text) && looksOpaque(text.trim()))
    return [secretOf('token', text)];
  // JSON behind a prefix that keeps browsers from running it.
  const json = /(?:^|[;,\n'])\s{0,20}[[{]\s{0,20}"/.exec(text);
  if (json !== null || JSON_TYPE.test(mediaType)) {
    const start = json === null ? 0 : json.index + json[0].search(/[[{]/);
    return [...partsOfProse(text.slice(0, start)), ...partsOfJson(text.slice(start), 'tokens')];
  }
  return TEXT_TYPE.test(mediaType) ? partsOfProse(text) : [secretOf(mediaType.split(';')[0] ?? '', text)];
}

const JSON_TYPE = /[/+]json\b/i;
/** Types whose text can be read in words; what is of another one has a syntax that we do not know. */
const TEXT_TYPE = /^\s*(?:$|text\/(?:plain|html|xml)\b|application\/(?:xml|x-www-form-urlencoded)\b)/i;
/** Names that no page has unless it has their values. */
const NAMES_CREDENTIAL = /(?:access|refresh|id)_?token|client_?secret(?!_(?:basic|post|jwt))/i;

/** Text without spaces and quotes, which a form would have encoded. */
const FORM = /^\s*[^\s=&"<>{}:]{1,200}=[^\s"<>{}]*\s*$/;

const isForm = (text: string, mediaType: string): boolean =>
  FORM.test(text) || (/x-www-form-urlencoded/i.test(mediaType) && /^\s*[^\s="<>{}]+=/.test(text));

/** A form is no document: it has the parameters of a request, or is a token response. */
function kindOfForm(text: string, kind: BodyKind): BodyKind {
  if (kind !== 'document' && kind !== 'keys') return kind;
  return NAMES_CREDENTIAL.test(text) ? 'tokens' : 'sent';
}

function partsOfForm(text: string, kind: BodyKind): BodyParts {
  const parts: BodyParts = [];
  for (const [place, field] of text.split('&').entries()) {
    const sign = field.indexOf('=');
    const name = decoded(field.slice(0, Math.max(sign, 0)));
    const rest = field.slice(sign + 1);
    const written = rest.trimEnd();
    const named = field.slice(0, sign + 1);
    // Base64 may look like a form, with its value as a name.
    const isOdd = kind === 'tokens' && looksOpaque(sign === -1 ? rest.trim() : name);
    parts.push(place === 0 ? '' : '&', isOdd && named !== '' ? secretOf('field', named) : named);
    const value = decoded(written);
    // `authed_user[access_token]` is named by its last part.
    const last = /\[([^[\]]+)\]$/.exec(name)?.[1] ?? name;
    if (written !== '') parts.push(...partsOfValue({ name: last, written, value }, kind));
    parts.push(rest.slice(written.length));
  }
  return parts.filter((part) => part !== '');
}

interface Value {
  readonly name: string;
  readonly written: string;
  readonly value: string;
}

/** The parts of one value, by the name before it. */
function partsOfValue({ name, written, value }: Value, kind: BodyKind): BodyParts {
  // The body of a record is read again for an export.
  if (isSecretPlaceholder(value)) return [written];
  const secret = secretOf(name === '' ? 'value' : name, written, value);
  switch (kind) {
    case 'sent':
      return isCredentialParameter(name) ? [secret] : [written];
    case 'request': {
      if (isCredentialParameter(name) || isJwt(value)) return [secret];
      return memberKind(name) === null && looksOpaque(value) ? [secret] : [written];
    }
    case 'document':
    case 'keys':
      return isSecretMember(name) ? [secret] : [written];
    case 'tokens':
      return partsOfHarmless({ name, written, value }, memberKind(name)) ?? [secret];
  }
}

/** Null unless the member is harmless. */
function partsOfHarmless({ name, written, value }: Value, kind: MemberKind | null): BodyParts | null {
  if (kind === null) return null;
  if (isJwt(value)) return null;
  if (/[?#&@]/.test(value) && partsOfUrl(value).length > 1) return null;
  if (kind === 'name') return [written];
  // A text with a text in it that has a syntax of its own is not taken apart.
  if (/^\s*[[{<]/.test(value)) return hasSecret(value) ? null : [written];
  return written === value ? partsOfProse(written, name) : hasOpaqueWord(value) ? null : [written];
}

const hasSecret = (text: string): boolean =>
  partsOfBody(text, 'tokens', 'text/plain').some((part) => typeof part !== 'string');

/** A text in words, without those that may be tokens. */
export function partsOfProse(text: string, name = 'text'): BodyParts {
  const parts: BodyParts = [];
  let from = 0;
  for (const { start, end } of opaqueWords(text)) {
    parts.push(text.slice(from, start), secretOf(name, text.slice(start, end)));
    from = end;
  }
  return [...parts, text.slice(from)].filter((part) => part !== '');
}

function partsOfMarkup(text: string): BodyParts {
  return markupNodes(text).flatMap(({ kind, text: node, element }) => {
    if (kind === 'tag') return [node];
    if (kind === 'words' && memberKind(element) === null && !isSecretElement(element))
      return partsOfProse(node);
    if (kind === 'words' && memberKind(element) !== null) return partsOfProse(node, element);
    const isHarmless = node.trim() === '' || /^<!doctype html>$|^<\?xml[ \w.="'-]{0,60}\?>$/i.test(node);
    return isHarmless ? [node] : [secretOf(kind === 'words' ? element : kind, node)];
  });
}

/** An element that is not of HTML: its name says what its text is. */
const isSecretElement = (element: string): boolean => element !== '' && !HTML.has(element);

const HTML: ReadonlySet<string> = new Set(
  (
    'html head title body header footer main section article nav aside h1 h2 h3 h4 h5 h6 p div span b i u em strong small big ' +
    'a li ul ol dl dt dd table thead tbody tfoot tr td th caption form label button legend fieldset noscript center font blockquote address details summary'
  ).split(' '),
);

interface Frame {
  readonly isObject: boolean;
  /** The member that holds it; elements of a list are named by the list. */
  readonly name: string;
  /** Whether it is, or is in, a set of keys. */
  readonly isKeys: boolean;
  key: string | null;
}

/** Reads what begins as JSON to its end, however damaged it is. */
function partsOfJson(text: string, asked: BodyKind): BodyParts {
  // A document with a credential in it is the response of another endpoint.
  const kind = asked === 'document' && hasSecretMember(text) ? 'tokens' : asked;
  const parts: BodyParts = [];
  const frames: Frame[] = [{ isObject: false, name: '', isKeys: kind === 'keys', key: null }];
  let from = 0;
  const replace = (start: number, end: number, inner: BodyParts) => {
    if (inner.length === 1 && typeof inner[0] === 'string') return;
    parts.push(text.slice(from, start), ...inner);
    from = end;
  };
  for (const { token, key } of withKeys(text)) {
    const top = frames.at(-1);
    if (top === undefined) break;
    const name = top.key ?? top.name;
    if (token.kind === '{' || token.kind === '[') {
      const isKeys = top.isKeys || /^(?:jwks|keys|jwk)$/.test(name);
      frames.push({ isObject: token.kind === '{', name: token.kind === '[' ? name : '', isKeys, key: null });
      top.key = null;
      continue;
    }
    if (token.kind === '}' || token.kind === ']') {
      if (frames.length > 1) frames.pop();
      continue;
    }
    if (token.kind === ',' || token.kind === ':') {
      if (token.kind === ',') top.key = null;
      continue;
    }
    const { start, end, content } = contentOf(text, token);
    const written = text.slice(start, end);
    if (key !== null) {
      top.key = key;
      const isOdd = kind === 'tokens' && memberKind(key) === null && (key.length > 64 || looksOpaque(key));
      if (isOdd && !isSecretPlaceholder(key)) replace(start, end, [secretOf('member', written, key)]);
      continue;
    }
    if (written === '' || (token.kind === 'word' && NO_SECRET.test(written))) continue;
    const value = { name, written, value: content };
    if (top.isKeys && isPrivateKeyMember(name)) replace(start, end, [secretOf(name, written, content)]);
    else if (token.kind === 'string') {
      if (!top.isKeys || !isPublicKeyMember(name)) replace(start, end, partsOfValue(value, kind));
    } else if (partsOfValue(value, kind).some((part) => typeof part !== 'string') && !isCount(written)) {
      replace(start, end, [
        { ...secretOf(name === '' ? 'value' : name, written, content), needsQuotes: true },
      ]);
    }
  }
  return [...parts, text.slice(from)].filter((part) => part !== '');
}

/** Each token, and the name that it is if it is one. */
function* withKeys(text: string): Generator<{ token: Token; key: string | null }> {
  let before: Token | null = null;
  for (const token of tokensOf(text)) {
    if (before !== null) yield { token: before, key: token.kind === ':' ? keyOf(text, before) : null };
    before = token;
  }
  if (before !== null) yield { token: before, key: null };
}

const keyOf = (text: string, { kind, start, end }: Token): string | null =>
  kind === 'string' || kind === 'word' ? unquoted(text.slice(start, end)) : null;

function hasSecretMember(text: string): boolean {
  for (const { key } of withKeys(text)) if (key !== null && isSecretMember(key)) return true;
  return false;
}

const NO_SECRET = /^(?:null|true|false)$/;

/** A number that says how many. */
const isCount = (written: string): boolean => /^-?\d{1,4}$/.test(written);

/** Where the content of a string or word begins and ends, and what it means. */
function contentOf(text: string, { kind, start, end }: { kind: string; start: number; end: number }) {
  const written = text.slice(start, end);
  if (kind !== 'string') return { start, end, content: written };
  const isClosed = end - start > 1 && text.charAt(end - 1) === '"';
  return { start: start + 1, end: isClosed ? end - 1 : end, content: unquoted(written) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text; // Not well-formed: it is meant as it is written.
  }
}

const secretOf = (name: string, written: string, value = written): BodySecret => ({
  name: name.slice(0, 60),
  written,
  value,
  needsQuotes: false,
});

/** Secrets of a body that are searched for in the rest of it. */
const MAX_REPEATED = 32;

/** A readable part without the secrets of the other parts: an error may repeat the token that it is about. */
function withoutRepeated(part: string | BodySecret, secrets: readonly BodySecret[]): BodyParts {
  if (typeof part !== 'string') return [part];
  let parts: BodyParts = [part];
  for (const secret of secrets.slice(0, MAX_REPEATED)) {
    for (const written of new Set([secret.value, secret.written])) {
      parts = parts.flatMap((one) => {
        if (typeof one !== 'string' || !one.includes(written)) return [one];
        const { name, value } = secret;
        const again = { name, written, value, needsQuotes: false };
        return one.split(written).flatMap((text, place) => (place === 0 ? [text] : [again, text]));
      });
    }
  }
  return parts.filter((one) => one !== '');
}

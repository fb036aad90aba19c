import {
  type BodyKind,
  type BodyParts,
  type BodySecret,
  partsOfBody,
  partsOfProse,
} from '#shared/body-secrets.ts';
import { looksOpaque } from '#shared/opaque-words.ts';
import { isDistinct } from '#shared/secret-names.ts';
import { isSecretPlaceholder } from '#shared/secret-placeholder.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { decodeBody } from '#transports/decode-body.ts';
import { redactHeaders, redactProse } from './credentials.ts';
import type { Redactor } from './redaction.ts';

/** What is known of a body beside its bytes. */
export interface BodyOf {
  readonly kind: BodyKind;
  /** The headers of its message. */
  readonly headers: HeaderLines;
}

/**
 * The copy of a body of an authorization server, or of what we sent there, that may be kept, quoted and shown. Every such copy is made here:
 * the bytes are decoded, what is not known to be harmless is replaced, and what cannot be decoded is withheld. Learns the credentials
 * that it replaces, so that they are replaced wherever else they come.
 *
 * @returns the same buffer if nothing was replaced: what had to be decoded is then kept as it came
 */
export function bodyCopy(redactor: Redactor, bytes: Buffer, of: BodyOf): Buffer {
  const { text, before } = readBody(redactor, bytes, of);
  return text === before ? bytes : Buffer.from(text);
}

/** The same copy as text, and what replaces the secrets of the body in other texts about it. */
export function bodyText(redactor: Redactor, bytes: Buffer, of: BodyOf) {
  const { text, secrets } = readBody(redactor, bytes, of);
  const known = [...new Map(secrets.map((secret) => [secret.value, secret])).values()]
    .filter(({ value }) => isDistinct(value))
    .slice(0, MAX_HIDDEN);
  const hide = (about: string): string =>
    known.reduce(
      (left, { name, value }) => left.replaceAll(value, redactor.placeholder(`body:${name}`, value)),
      about,
    );
  return { text, hide };
}

/** Secrets of a response that are searched for in what is said about it. */
const MAX_HIDDEN = 64;

/** The copy of a body of another server. What cannot be decoded is no secret of ours, and is kept. */
export function otherBodyCopy(redactor: Redactor, bytes: Buffer, of: BodyOf): Buffer {
  const decoded = decodeBody(bytes, of.headers);
  return 'why' in decoded || decoded.isGuess ? bytes : bodyCopy(redactor, bytes, of);
}

function readBody(redactor: Redactor, bytes: Buffer, { kind, headers }: BodyOf) {
  if (bytes.length === 0) return { text: '', before: '', secrets: [] };
  const decoded = decodeBody(bytes, headers);
  if ('why' in decoded) return { text: withheld(redactor, bytes, decoded.why), before: null, secrets: [] };
  const parts = partsOfBody(decoded.text, kind, mediaTypeOf(headers));
  learn(redactor, parts, kind);
  return {
    text: redactor.redactUnit(Buffer.from(written(redactor, parts))).toString(),
    before: decoded.text,
    secrets: secretsOf(parts),
  };
}

/** A further piece of a long body, or what is left of a damaged one: it begins anywhere, so none of it can be read. */
export const furtherPiece = (redactor: Redactor, bytes: Buffer): Buffer =>
  bytes.length === 0 ? bytes : Buffer.from(withheld(redactor, bytes, 'not from its beginning'));

/** The copy of the header lines of such a response: those whose names do not say that they are harmless are replaced. */
export function headerCopy(redactor: Redactor, lines: HeaderLines, kind: BodyKind): [string, string][] {
  const redacted = redactHeaders(redactor, lines);
  if (kind !== 'tokens') return redacted;
  return redacted.map(([name, value]) => {
    const isReadable = value === '' || /^\d{1,6}$/.test(value) || isSecretPlaceholder(value);
    if (isReadable || RANDOM.test(name)) return [name, value];
    const parts: BodyParts = HARMLESS.test(name)
      ? partsOfProse(value, name)
      : [{ name, written: value, value, needsQuotes: false }];
    return [name, written(redactor, parts, 'header')];
  });
}

/** The copy of a text that a server chose and that has no form of its own, such as a reason phrase. */
export const textCopy = (redactor: Redactor, text: string, kind: BodyKind): string =>
  redactProse(redactor, kind === 'tokens' ? written(redactor, partsOfProse(text)) : text);

/** Headers of responses that hold no secret (the registry of IANA, and what gateways add). */
const HARMLESS =
  /^(?:content-(?:type|length|encoding|language|disposition|location|security-policy.*)|date|cache-control|pragma|expires|age|server|vary|via|connection|keep-alive|transfer-encoding|trailer|access-control-.*|strict-transport-security|permissions-policy|referrer-policy|x-(?:frame-options|content-type-options|xss-protection|powered-by|ratelimit-.*|dns-prefetch-control|download-options|permitted-cross-domain-policies|request-id|correlation-id)|cross-origin-.*|origin-agent-cluster|retry-after|ratelimit.*|allow|accept.*|www-authenticate|proxy-authenticate|location|link|refresh|set-cookie|dpop-nonce|etag|last-modified|alt-svc|nel|report-to|cf-ray|cf-cache-status|request-id|server-timing|upgrade)$/i;
/** Those of them that name one request or version, or a value that proofs repeat: random, and no secret. */
const RANDOM = /^(?:dpop-nonce|etag|cf-ray|(?:x-)?(?:request|correlation)-id)$/i;

/** Credentials of one response that are learned; a server must not make the recorder forget others. */
const MAX_LEARNED_OF_BODY = 16;
/** Characters of the longest one; a JWT has fewer. */
const MAX_LEARNED_LENGTH = 16_384;

/** A server could have any words replaced, such as the description of a tool, if more than random values were learned. */
function learn(redactor: Redactor, parts: BodyParts, kind: BodyKind): void {
  if (kind === 'document' || kind === 'keys') return;
  const isOurs = kind !== 'tokens';
  const values = new Map<string, string>();
  for (const { name, value, written: as } of secretsOf(parts)) {
    for (const one of [value, as]) {
      const isLearned = isDistinct(one) && one.length <= MAX_LEARNED_LENGTH && (isOurs || looksOpaque(one));
      if (isLearned) values.set(one, name);
    }
  }
  const most = isOurs ? values.size : MAX_LEARNED_OF_BODY;
  for (const [value, name] of [...values].slice(0, most)) redactor.learn(`body:${name}`, value);
}

const secretsOf = (parts: BodyParts): BodySecret[] => parts.filter((part) => typeof part !== 'string');

const written = (redactor: Redactor, parts: BodyParts, where = 'body'): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return part;
      const placeholder = redactor.placeholder(`${where}:${part.name}`, part.value);
      return part.needsQuotes ? `"${placeholder}"` : placeholder;
    })
    .join('');

const withheld = (redactor: Redactor, bytes: Buffer, why: string): string =>
  redactor.placeholder(`body that was withheld (${why})`, bytes.toString('latin1'));

const mediaTypeOf = (headers: HeaderLines): string =>
  headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';

import { createPrivateKey, createPublicKey, type KeyObject, randomUUID } from 'node:crypto';
import { generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { z } from 'zod';
import type { clientAuthMethods } from '#shared/contract/authorization.ts';
import { FaultError, messageOf } from '#shared/contract/fault.ts';
import { encodeForm, type FormRequest } from './form-request.ts';

export type ClientAuthSetting = (typeof clientAuthMethods)[number];
export type ClientAuthMethod = Exclude<ClientAuthSetting, 'auto'>;

/** A client as the authorization server knows it. */
export interface ClientIdentity {
  readonly clientId: string;
  readonly clientSecret: string | null;
  /** PEM (PKCS #8, PKCS #1 or SEC 1) or JWK. */
  readonly privateKey: string | null;
}

export interface ClientAuthOptions {
  readonly setting: ClientAuthSetting;
  /** `token_endpoint_auth_method` of the registration response; null if there was none. */
  readonly registered: string | null;
  /** `token_endpoint_auth_methods_supported` of the server's metadata; null if it has none. */
  readonly supported: readonly string[] | null;
  readonly client: ClientIdentity;
}

/** How the client authenticates at the token endpoint, why, and why not otherwise. */
export interface ClientAuthChoice {
  readonly method: ClientAuthMethod;
  readonly decidedBy: { readonly text: string; readonly source: string };
  readonly alternatives: readonly { readonly label: string; readonly why: string }[];
}

/** Strongest first. */
const byStrength: readonly ClientAuthMethod[] = [
  'private_key_jwt',
  'client_secret_basic',
  'client_secret_post',
  'none',
];

export function chooseClientAuth(options: ClientAuthOptions): ClientAuthChoice {
  const { setting, registered, supported, client } = options;
  const { method, ...decidedBy } = decide(options);
  return {
    method,
    decidedBy,
    alternatives: byStrength.filter((one) => one !== method).map((label) => ({ label, why: whyNot(label) })),
  };

  function whyNot(label: ClientAuthMethod): string {
    const missing = missingFor(label, client);
    if (missing !== null) return missing;
    if (setting !== 'auto') return 'The settings of the server name another method.';
    if (registered !== null && registered !== label) return `The client is registered for ${registered}.`;
    if (supported !== null && !supported.includes(label)) return 'The server does not support it.';
    return `${method} comes first.`;
  }
}

function decide({ setting, registered, supported, client }: ClientAuthOptions) {
  const usable = byStrength.filter((method) => missingFor(method, client) === null);
  if (setting !== 'auto') return { method: setting, text: 'The settings of the server name it.', source: '' };
  const own = usable.find((method) => method === registered);
  if (own !== undefined)
    return { method: own, text: 'The client is registered for it.', source: 'RFC 7591 2' };
  if (usable.length === 1)
    return {
      method: 'none' as const,
      text: 'The client has neither a secret nor a key.',
      source: 'RFC 6749 2.1',
    };
  const listed = usable.find((method) => supported?.includes(method));
  if (listed !== undefined)
    return {
      method: listed,
      text: 'The strongest method that the server supports and the client has the means for.',
      source: 'RFC 8414 2',
    };
  const [strongest = 'none' as const] = usable;
  return supported === null
    ? {
        method: strongest,
        text: 'The metadata names no methods; client_secret_basic is the default for a secret.',
        source: 'RFC 8414 2',
      }
    : {
        method: strongest,
        text: 'The server supports no method that the client has the means for.',
        source: 'RFC 8414 2',
      };
}

function missingFor(method: ClientAuthMethod, client: ClientIdentity): string | null {
  switch (method) {
    case 'none':
      return null;
    case 'client_secret_basic':
    case 'client_secret_post':
      return client.clientSecret === null ? 'The client has no secret.' : null;
    case 'private_key_jwt':
      return client.privateKey === null ? 'The client has no private key.' : null;
  }
}

export interface Authentication {
  readonly method: ClientAuthMethod;
  readonly client: ClientIdentity;
  /** `aud` of a client assertion. */
  readonly audience: string;
  /** `kid` of a client assertion; null for none, undefined for that of the key. */
  readonly keyId?: string | null | undefined;
  /** `token_endpoint_auth_signing_alg_values_supported` of the server's metadata. */
  readonly signingAlgorithms?: readonly string[];
  /** Claims that replace ours in a client assertion, to test the server. */
  readonly claims?: JWTPayload;
  /** Signs a client assertion with a key that the server does not know, to test it. */
  readonly hasOtherKey?: boolean;
}

/**
 * The request with the authentication of the client added.
 * @throws FaultError if what the method needs is missing or not a private key
 */
export async function authenticateClient(
  request: FormRequest,
  authentication: Authentication,
): Promise<FormRequest> {
  const { method, client } = authentication;
  const { clientId, clientSecret } = client;
  const missing = missingFor(method, client);
  if (missing !== null) {
    throw new FaultError({
      code: 'client-authentication',
      what: `The client cannot authenticate by ${method}.`,
      why: missing,
      next: 'Enter it in the settings of the server, or choose another method.',
    });
  }
  switch (method) {
    case 'none':
      return withParameters(request, [['client_id', clientId]]);
    case 'client_secret_basic':
      return {
        ...request,
        headers: [...request.headers, ['Authorization', basic(clientId, clientSecret ?? '')]],
      };
    case 'client_secret_post':
      return withParameters(request, [
        ['client_id', clientId],
        ['client_secret', clientSecret ?? ''],
      ]);
    case 'private_key_jwt':
      return withParameters(request, [
        ['client_id', clientId],
        ['client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
        ['client_assertion', await clientAssertion(authentication)],
      ]);
  }
}

/** The parameters are added after those that do not have their names. */
const withParameters = (request: FormRequest, added: FormRequest['parameters']): FormRequest => ({
  ...request,
  parameters: [...request.parameters.filter(([name]) => added.every(([own]) => own !== name)), ...added],
});

/** Basic credentials; both parts are first encoded as in a form (RFC 6749 section 2.3.1). */
const basic = (clientId: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeFormValue(clientId)}:${encodeFormValue(secret)}`).toString('base64')}`;

const encodeFormValue = (value: string): string => encodeForm([['', value]]).slice(1);

/** Seconds that a client assertion is valid. */
const ASSERTION_LIFETIME = 60;

/** RFC 7523 section 3. */
async function clientAssertion({
  client: { clientId, privateKey },
  audience,
  keyId,
  signingAlgorithms = [],
  claims = {},
  hasOtherKey = false,
}: Authentication): Promise<string> {
  const { key, keyId: ownId, algorithm } = readPrivateKey(privateKey ?? '', signingAlgorithms);
  const kid = keyId === undefined ? ownId : (keyId ?? undefined);
  const signingKey = hasOtherKey ? (await generateKeyPair(algorithm)).privateKey : key;
  const now = Math.floor(Date.now() / 1000);
  const payload: JWTPayload = {
    iss: clientId,
    sub: clientId,
    aud: audience,
    jti: randomUUID(),
    iat: now,
    exp: now + ASSERTION_LIFETIME,
    ...claims,
  };
  return new SignJWT(payload)
    .setProtectedHeader({ alg: algorithm, ...(kid !== undefined && { kid }) })
    .sign(signingKey);
}

const jwkSchema = z.record(z.string(), z.unknown());

interface PrivateKey {
  readonly key: KeyObject;
  readonly keyId: string | undefined;
  readonly algorithm: string;
}

/**
 * The public part of a private key, as the key set of a metadata document (RFC 7517 section 5).
 *
 * @param keyId `kid` of our assertions; null for that of the key
 * @throws FaultError
 */
export function publicKeysOf(
  privateKey: string,
  keyId: string | null = null,
): { readonly keys: readonly object[] } {
  const { key, keyId: ownId, algorithm } = readPrivateKey(privateKey, []);
  const jwk = createPublicKey(key).export({ format: 'jwk' });
  const kid = keyId ?? ownId;
  return { keys: [{ ...jwk, use: 'sig', alg: algorithm, ...(kid !== undefined && { kid }) }] };
}

function readPrivateKey(text: string, supported: readonly string[]): PrivateKey {
  try {
    const jwk = text.trimStart().startsWith('{') ? jwkSchema.parse(JSON.parse(text)) : null;
    const key = jwk === null ? createPrivateKey(text) : createPrivateKey({ key: jwk, format: 'jwk' });
    const own = jwk?.['alg'];
    const keyId = jwk?.['kid'];
    return {
      key,
      keyId: typeof keyId === 'string' ? keyId : undefined,
      algorithm: typeof own === 'string' ? own : algorithmFor(key, supported),
    };
  } catch (error) {
    throw new FaultError({
      code: 'private-key',
      what: 'The private key of the client cannot be used.',
      // The messages of OpenSSL name the fault in the encoding and quote nothing of the key; those of JSON.parse do.
      why: error instanceof SyntaxError ? 'It is not valid JSON.' : messageOf(error),
      next: 'Enter an unencrypted RSA, EC (P-256, P-384, P-521) or Ed25519 key as PEM or JWK.',
    });
  }
}

/** The algorithms that a key can sign with, the usual one first. */
function algorithmFor(key: KeyObject, supported: readonly string[]): string {
  const possible = algorithmsOf(key);
  const [usual] = possible;
  if (usual === undefined)
    throw new Error(`No algorithm of JWT signs with a key of type ${key.asymmetricKeyType}.`);
  return possible.find((one) => supported.includes(one)) ?? usual;
}

function algorithmsOf(key: KeyObject): readonly string[] {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return ['RS256', 'PS256', 'RS384', 'PS384', 'RS512', 'PS512'];
    case 'rsa-pss':
      return ['PS256', 'PS384', 'PS512'];
    case 'ed25519':
      return ['EdDSA', 'Ed25519'];
    case 'ec':
      return curveAlgorithms.get(key.asymmetricKeyDetails?.namedCurve ?? '') ?? [];
    default:
      return [];
  }
}

const curveAlgorithms: ReadonlyMap<string, readonly string[]> = new Map([
  ['prime256v1', ['ES256']],
  ['secp384r1', ['ES384']],
  ['secp521r1', ['ES512']],
]);

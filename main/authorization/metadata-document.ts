import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { publicKeysOf } from './client-authentication.ts';

export interface DocumentOptions {
  /** Where it will be hosted, which is the client ID. */
  readonly url: string;
  readonly redirectUris: readonly string[];
  /** `none`, or `private_key_jwt` with the public key of the client. */
  readonly authMethod: 'none' | 'private_key_jwt';
  /** A JSON Web Key Set with public keys only; null without a key. */
  readonly jwks: object | null;
}

/** Our client ID metadata document (MCP 2025-11-25 authorization), as JSON text to host at its URL. */
export const metadataDocument = ({ url, redirectUris, authMethod, jwks }: DocumentOptions): string =>
  `${JSON.stringify(
    {
      client_id: url,
      client_name: 'Sightglass',
      redirect_uris: redirectUris,
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: authMethod,
      ...(jwks !== null && { jwks }),
    },
    null,
    2,
  )}\n`;

/** The document of these settings. @throws FaultError if they name no URL to host it at, or the key cannot be used */
export function documentOf(settings: AuthorizationSettings, privateKey: string | null): string {
  const { metadataDocument: url, redirect, authMethod } = settings;
  if (url === null) throw new FaultError(noUrl);
  const { host, port, path } = redirect;
  const isSigning = authMethod === 'private_key_jwt';
  if (isSigning && privateKey === null) throw new FaultError(noKey);
  return metadataDocument({
    url,
    // Without a port of its own any port of the loopback address may be used (RFC 8252 section 7.3).
    redirectUris: [`http://${host}${port === null ? '' : `:${port}`}${path}`],
    authMethod: isSigning ? 'private_key_jwt' : 'none',
    jwks: isSigning && privateKey !== null ? publicKeysOf(privateKey, settings.keyId) : null,
  });
}

const noUrl: Fault = {
  code: 'no-document-url',
  what: 'The document has no URL yet, which is part of its content.',
  next: 'Enter the https URL where it will be hosted.',
};

const noKey: Fault = {
  code: 'no-private-key',
  what: 'The document needs the public part of the private key, and none is set.',
  next: 'Enter the private key, or choose another client authentication.',
};

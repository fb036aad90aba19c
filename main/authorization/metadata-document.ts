import type { RawRequest } from './exchange.ts';

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

/** Fetches a hosted document, as an authorization server would. */
export const documentRequest = (url: URL): RawRequest => ({
  method: 'GET',
  url,
  headers: [['Accept', 'application/json']],
  body: null,
});

import type { FindingSeverity } from '../trace/row.ts';

/** What a response of an authorization flow may break. */
export interface AuthorizationRule {
  /** `error` for what is forbidden, `warning` for what is advised against, `info` for what is legal and surprising. */
  readonly severity: FindingSeverity;
  /** Where the requirement is. */
  readonly source: string;
  /** What is wrong, in one sentence. A finding may say it with the values. */
  readonly text: string;
  /** Whether a flow must not go on, if that does not depend on the revision or the values. */
  readonly stops?: true;
}

const CLIENT_DOCUMENTS = 'draft-ietf-oauth-client-id-metadata-document';
const SECURITY_GUIDE = 'MCP security best practices';

/** Every rule for the responses of an authorization flow, by its stable name, in the order of the steps. */
export const authorizationRules = {
  // Any response
  'no-response': { severity: 'error', source: 'limit of time', text: 'There was no response.', stops: true },
  'response-too-long': {
    severity: 'error',
    source: 'limit of size',
    text: 'The response is too long and was cut.',
    stops: true,
  },
  'server-error': {
    severity: 'error',
    source: 'RFC 9110 15.6',
    text: 'The server failed.',
    stops: true,
  },
  'redirect-leaves-origin': {
    severity: 'error',
    source: SECURITY_GUIDE,
    text: 'A redirect leaves the origin. It was not followed.',
    stops: true,
  },
  'redirect-not-followed': {
    severity: 'warning',
    source: SECURITY_GUIDE,
    text: 'The response is a redirect. It was not followed.',
    stops: true,
  },
  'unexpected-status': {
    severity: 'warning',
    source: 'RFC 9110 15',
    text: 'The HTTP status is not the one for this response.',
  },
  'response-is-html': {
    severity: 'error',
    source: 'RFC 9110 8.3',
    text: 'The response is a web page, probably a login page.',
    stops: true,
  },
  'response-not-json': {
    severity: 'error',
    source: 'RFC 8259 2',
    text: 'The response is not a JSON object.',
    stops: true,
  },
  'content-type-not-json': {
    severity: 'warning',
    source: 'RFC 9110 8.3',
    text: 'The Content-Type is not application/json.',
  },
  'response-not-utf8': { severity: 'error', source: 'RFC 8259 8.1', text: 'The response is not UTF-8.' },
  'byte-order-mark': {
    severity: 'warning',
    source: 'RFC 8259 8.1',
    text: 'The response begins with a byte order mark.',
  },
  'member-repeated': {
    severity: 'warning',
    source: 'RFC 8259 4',
    text: 'A member of the response is repeated. Readers disagree about which one counts.',
  },
  'member-of-wrong-type': {
    severity: 'warning',
    source: 'RFC 8414 2',
    text: 'A member of the response has a type that it must not have.',
  },
  'library-rejects': {
    severity: 'info',
    source: 'oauth4webapi',
    text: 'The library oauth4webapi rejects this response.',
  },

  // The 401 of the MCP server
  'challenge-missing': {
    severity: 'error',
    source: 'RFC 6750 3',
    text: 'The 401 has no usable challenge: there is no WWW-Authenticate header.',
  },
  'challenge-not-oauth': {
    severity: 'error',
    source: 'RFC 6750 3',
    text: 'The 401 has no usable challenge: none is for Bearer or DPoP.',
  },
  'challenge-malformed': {
    severity: 'warning',
    source: 'RFC 9110 11.6.1',
    text: 'The WWW-Authenticate header is malformed.',
  },
  'challenge-parameter-repeated': {
    severity: 'warning',
    source: 'RFC 6750 3',
    text: 'A parameter of the challenge is repeated.',
  },
  'challenge-without-metadata': {
    severity: 'error',
    source: 'RFC 9728 5.1',
    text: 'The challenge does not have resource_metadata.',
  },
  'challenge-metadata-invalid': {
    severity: 'error',
    source: 'RFC 9728 5.1',
    text: 'The resource_metadata of the challenge is not a URL that may be fetched.',
  },
  'challenge-error-unneeded': {
    severity: 'info',
    source: 'RFC 6750 3.1',
    text: 'The challenge has an error although the request had no token.',
  },
  'revision-without-authorization': {
    severity: 'info',
    source: 'MCP 2024-11-05',
    text: 'Revision 2024-11-05 has no authorization, but the server demands it. The metadata that it offers is used as in later revisions.',
  },
  'challenge-status-differs': {
    severity: 'warning',
    source: 'RFC 6750 3.1',
    text: 'The error of the challenge belongs to another HTTP status.',
  },
  'scope-malformed': {
    severity: 'warning',
    source: 'RFC 6749 3.3',
    text: 'The scope is not a list of names separated by single spaces.',
  },
  'scope-separated-by-commas': {
    severity: 'warning',
    source: 'RFC 6749 3.3',
    text: 'The scope is separated by commas, not by spaces.',
  },
  'offline-access-demanded': {
    severity: 'warning',
    source: 'SEP-2207',
    text: 'The scopes of the MCP server have offline_access, which is between the client and the authorization server.',
  },
  'fresh-token-rejected': {
    severity: 'error',
    source: 'RFC 6750 3.1',
    text: 'A fresh token still gets 401. The flow stopped.',
    stops: true,
  },
  'nonce-missing': {
    severity: 'error',
    source: 'RFC 9449 8',
    text: 'The server demands a nonce in the DPoP proof and gives none.',
    stops: true,
  },

  // Resource metadata
  'resource-metadata-missing': {
    severity: 'error',
    source: 'RFC 9728 5.1',
    text: 'The URL of resource_metadata does not have the metadata.',
  },
  'resource-metadata-only-at-root': {
    severity: 'info',
    source: 'RFC 9728 3.1',
    text: 'The resource metadata is at the root only, although the MCP server has a path.',
  },
  'resource-missing': {
    severity: 'error',
    source: 'RFC 9728 2',
    text: 'The resource metadata does not name its resource.',
    stops: true,
  },
  'resource-invalid': {
    severity: 'error',
    source: 'RFC 8707 2',
    text: 'The resource is not an absolute URL without fragment.',
    stops: true,
  },
  'resource-differs': {
    severity: 'error',
    source: 'RFC 9728 3.3',
    text: 'The resource metadata is for another resource.',
    stops: true,
  },
  'resource-is-parent': {
    severity: 'warning',
    source: 'RFC 9728 3.3',
    text: 'The resource metadata is for a part of the server that contains the one asked for.',
  },
  'resource-slash-differs': {
    severity: 'info',
    source: 'RFC 9728 3.3',
    text: 'The resource differs from the URL of the server only by a slash at the end.',
  },
  'authorization-servers-missing': {
    severity: 'error',
    source: 'MCP authorization, RFC 9728 2',
    text: 'The resource metadata does not have authorization_servers.',
    stops: true,
  },
  'authorization-servers-empty': {
    severity: 'error',
    source: 'MCP authorization, RFC 9728 2',
    text: 'The authorization_servers of the resource metadata are empty.',
    stops: true,
  },
  'authorization-server-invalid': {
    severity: 'error',
    source: 'RFC 8414 2',
    text: 'An authorization server is not an issuer: a URL without query and fragment.',
  },
  'bearer-header-unsupported': {
    severity: 'warning',
    source: 'MCP authorization, RFC 9728 2',
    text: 'The bearer_methods_supported do not have header, the only method of MCP.',
  },

  // Metadata of the authorization server
  'server-metadata-missing': {
    severity: 'error',
    source: 'RFC 8414 3, MCP authorization',
    text: 'The authorization server has no metadata.',
    stops: true,
  },
  'authorization-server-unavailable': {
    severity: 'warning',
    source: 'RFC 9728 7.6',
    text: 'No metadata of an authorization server can be had, so the next one of the resource metadata is used.',
  },
  'revisions-differ': {
    severity: 'info',
    source: 'MCP authorization',
    text: 'What a client does here depends on the revision. The flow goes on.',
  },
  'default-endpoints-used': {
    severity: 'info',
    source: 'MCP 2025-03-26 authorization',
    text: 'The authorization server has no metadata. The default endpoints are used.',
  },
  'issuer-missing': {
    severity: 'error',
    source: 'RFC 8414 2',
    text: 'The metadata does not name its issuer.',
    stops: true,
  },
  'issuer-differs': {
    severity: 'error',
    source: 'RFC 8414 3.3',
    text: 'The metadata is of another issuer.',
    stops: true,
  },
  'issuer-slash-differs': {
    severity: 'error',
    source: 'RFC 8414 3.3',
    text: 'The issuer of the metadata differs only by a slash at the end.',
  },
  'issuer-spelling-differs': {
    severity: 'error',
    source: 'RFC 8414 3.3',
    text: 'The issuer of the metadata is the same URL written in another way. Issuers are compared as strings.',
    stops: true,
  },
  'authorization-endpoint-missing': {
    severity: 'error',
    source: 'RFC 8414 2',
    text: 'The metadata does not have authorization_endpoint.',
    stops: true,
  },
  'token-endpoint-missing': {
    severity: 'error',
    source: 'RFC 8414 2',
    text: 'The metadata does not have token_endpoint.',
    stops: true,
  },
  'endpoint-not-https': {
    severity: 'error',
    source: 'MCP authorization, OAuth 2.1 1.5',
    text: 'An endpoint is plain http.',
    stops: true,
  },
  'endpoint-http-on-loopback': {
    severity: 'warning',
    source: 'MCP authorization, OAuth 2.1 1.5',
    text: 'Endpoints of the authorization server are plain http. That is accepted because they are on this machine; anywhere else the flow would stop.',
  },
  'endpoint-scheme-forbidden': {
    severity: 'error',
    source: SECURITY_GUIDE,
    text: 'An endpoint has a scheme other than https.',
    stops: true,
  },
  'endpoint-invalid': {
    severity: 'error',
    source: 'RFC 8414 2',
    text: 'An endpoint is not an absolute URL without fragment.',
    stops: true,
  },
  'response-types-missing': {
    severity: 'error',
    source: 'RFC 8414 2',
    text: 'The metadata does not have response_types_supported.',
  },
  'code-unsupported': {
    severity: 'warning',
    source: 'OAuth 2.1 4.1',
    text: 'The metadata does not list the authorization code flow.',
  },
  'pkce-not-advertised': {
    severity: 'warning',
    source: 'MCP 2025-11-25 authorization',
    text: 'PKCE is not advertised: the metadata does not have code_challenge_methods_supported.',
  },
  'pkce-s256-missing': {
    severity: 'error',
    source: 'OAuth 2.1 7.5.2',
    text: 'The code_challenge_methods_supported do not have S256.',
  },

  // Registration
  'registration-unavailable': {
    severity: 'info',
    source: 'MCP authorization',
    text: 'Registration is not available. Enter a client ID.',
  },
  'registration-rejected': {
    severity: 'error',
    source: 'RFC 7591 3.2.2',
    text: 'The registration was rejected.',
    stops: true,
  },
  'registration-redirect-rejected': {
    severity: 'error',
    source: 'RFC 7591 3.2.2',
    text: 'The registration was rejected because of the redirect URI.',
    stops: true,
  },
  'registration-status': {
    severity: 'warning',
    source: 'RFC 7591 3.2.1',
    text: 'A registration is answered with HTTP status 201.',
  },
  'client-id-missing': {
    severity: 'error',
    source: 'RFC 7591 3.2.1',
    text: 'The registration response does not have client_id.',
    stops: true,
  },
  'secret-without-expiry': {
    severity: 'warning',
    source: 'RFC 7591 3.2.1',
    text: 'The registration response has client_secret without client_secret_expires_at.',
  },
  'secret-expired': {
    severity: 'error',
    source: 'RFC 7591 3.2.1',
    text: 'The client secret has expired already.',
  },
  'redirect-uris-differ': {
    severity: 'warning',
    source: 'RFC 7591 3.2.1',
    text: 'The registered redirect URIs differ from those sent.',
  },
  'registered-values-differ': {
    severity: 'info',
    source: 'RFC 7591 3.2.1',
    text: 'The server registered another value than the one sent.',
  },
  'secret-missing': {
    severity: 'error',
    source: 'RFC 7591 3.2.1',
    text: 'The server registered a method that needs a client secret, and sent none.',
  },
  'key-missing': {
    severity: 'error',
    source: 'RFC 7591 2',
    text: 'The server registered a method that needs a key of the client, and the client sent none.',
  },
  'registered-without-key': {
    severity: 'error',
    source: 'RFC 7591 2',
    text: 'The client asked to be registered for private_key_jwt and sent neither jwks nor jwks_uri, so it cannot authenticate. Choose another method, or enter a client ID that has the key.',
  },

  // Callback
  'state-missing': {
    severity: 'error',
    source: 'RFC 6749 10.12, MCP authorization',
    text: 'The state is missing. The code was not sent.',
    stops: true,
  },
  'state-differs': {
    severity: 'error',
    source: 'RFC 6749 10.12, MCP authorization',
    text: 'The state is different. The code was not sent.',
    stops: true,
  },
  'iss-differs': {
    severity: 'error',
    source: 'RFC 9207 2.4',
    text: 'The iss is of another issuer. The code was not sent.',
    stops: true,
  },
  'iss-missing': {
    severity: 'error',
    source: 'RFC 9207 2.4',
    text: 'The metadata promises iss, and it is absent. The code was not sent.',
    stops: true,
  },
  'iss-not-advertised': {
    severity: 'info',
    source: 'RFC 9207 3',
    text: 'The callback has iss, which the metadata does not promise.',
  },
  'callback-parameter-repeated': {
    severity: 'error',
    source: 'RFC 6749 3.1',
    text: 'A parameter of the callback is repeated. The code was not sent.',
    stops: true,
  },
  'callback-elsewhere': {
    severity: 'error',
    source: 'RFC 6749 3.1.2',
    text: 'The callback is not at the redirect URI. The code was not sent.',
    stops: true,
  },
  'code-missing': {
    severity: 'error',
    source: 'RFC 6749 4.1.2',
    text: 'The callback has neither a code nor an error.',
    stops: true,
  },
  'code-with-error': {
    severity: 'error',
    source: 'RFC 6749 4.1.2.1',
    text: 'The callback has both a code and an error. The code was not sent.',
    stops: true,
  },
  'token-in-callback': {
    severity: 'error',
    source: 'OAuth 2.1 10.1',
    text: 'The callback has a token, as in the implicit grant, which is not allowed.',
    stops: true,
  },
  'authorization-error': {
    severity: 'error',
    source: 'RFC 6749 4.1.2.1',
    text: 'The authorization server rejected the authorization request.',
    stops: true,
  },
  'resource-rejected': {
    severity: 'error',
    source: 'RFC 8707 2',
    text: 'The authorization server rejected the resource: invalid_target.',
    stops: true,
  },

  // Token
  'token-error': {
    severity: 'error',
    source: 'RFC 6749 5.2',
    text: 'The token request was rejected.',
    stops: true,
  },
  'error-with-200': {
    severity: 'error',
    source: 'RFC 6749 5.2',
    text: 'HTTP status 200 carries an OAuth error.',
    stops: true,
  },
  'error-code-missing': {
    severity: 'warning',
    source: 'RFC 6749 5.2',
    text: 'The error response does not say which error.',
  },
  'invalid-client-status': {
    severity: 'info',
    source: 'RFC 6749 5.2',
    text: 'A client that authenticated by header and failed gets 401 with WWW-Authenticate.',
  },
  'access-token-missing': {
    severity: 'error',
    source: 'RFC 6749 5.1',
    text: 'The response does not have access_token.',
    stops: true,
  },
  'token-type-missing': {
    severity: 'error',
    source: 'RFC 6749 5.1',
    text: 'The response does not have token_type.',
  },
  'token-type-unknown': {
    severity: 'error',
    source: 'RFC 6749 7.1',
    text: 'The token_type is neither Bearer nor DPoP.',
    stops: true,
  },
  'dpop-downgraded': {
    severity: 'error',
    source: 'RFC 9449 5',
    text: 'DPoP was asked for, and the token is a Bearer token.',
    stops: true,
  },
  'dpop-unasked': {
    severity: 'error',
    source: 'RFC 9449 5',
    text: 'The token is bound to a key, and the request had no proof.',
    stops: true,
  },
  'expiry-missing': {
    severity: 'warning',
    source: 'RFC 6749 5.1',
    text: 'The response does not have expires_in.',
  },
  'expiry-invalid': {
    severity: 'error',
    source: 'RFC 6749 5.1',
    text: 'The expires_in is not a number of seconds.',
  },
  'token-lives-long': {
    severity: 'warning',
    source: 'MCP authorization, OAuth 2.1 1.4',
    text: 'The access token is valid for more than a day.',
  },
  'scope-narrower': {
    severity: 'info',
    source: 'RFC 6749 5.1',
    text: 'Less scope was granted than asked for.',
  },
  'scope-narrower-unsaid': {
    severity: 'error',
    source: 'RFC 6749 5.1',
    text: 'Less scope was granted than asked for, and the response does not say so.',
  },
  'scope-wider': {
    severity: 'warning',
    source: 'RFC 6749 3.3',
    text: 'More scope was granted than asked for.',
  },
  'scope-invalid': {
    severity: 'warning',
    source: 'RFC 6749 5.1',
    text: 'The scope of the response is not a text.',
  },
  'token-response-cacheable': {
    severity: 'info',
    source: 'RFC 6749 5.1',
    text: 'The token response may be cached: there is no Cache-Control: no-store.',
  },
  'token-audience-differs': {
    severity: 'warning',
    source: 'MCP authorization, RFC 8707 2',
    text: 'The audience of the token is not the MCP server.',
  },
  'token-audience-slash-differs': {
    severity: 'warning',
    source: 'MCP authorization, RFC 8707 2',
    text: 'The audience of the token differs from the MCP server only by a slash at the end.',
  },
  'token-audience-spelling-differs': {
    severity: 'warning',
    source: 'MCP authorization, RFC 8707 2',
    text: 'The audience of the token is the MCP server, written in another way.',
  },
  'token-audience-is-parent': {
    severity: 'warning',
    source: 'MCP authorization, RFC 8707 2',
    text: 'The audience of the token is a URL that contains the MCP server.',
  },
  'token-without-audience': {
    severity: 'warning',
    source: 'RFC 9068 2.2, RFC 8707 2',
    text: 'The access token is a JWT without aud, so no server can tell whether the token is for it.',
  },
  'token-issuer-differs': {
    severity: 'warning',
    source: 'RFC 9068 4',
    text: 'The token is of another issuer than the authorization server.',
  },
  'token-expired': { severity: 'error', source: 'RFC 7519 4.1.4', text: 'The token has expired already.' },
  'token-not-yet-valid': {
    severity: 'error',
    source: 'RFC 7519 4.1.5',
    text: 'The token is not valid yet.',
  },
  'token-issued-in-future': {
    severity: 'warning',
    source: 'RFC 7519 4.1.6',
    text: 'The token says that it was issued in the future.',
  },
  'token-expiry-differs': {
    severity: 'warning',
    source: 'RFC 6749 5.1, RFC 7519 4.1.4',
    text: 'The exp of the token contradicts expires_in.',
  },
  'keys-unavailable': {
    severity: 'warning',
    source: 'RFC 8414 2',
    text: 'The keys of the issuer cannot be read, so nobody can verify the signature of the token with them.',
  },
  'token-key-missing': {
    severity: 'warning',
    source: 'RFC 9068 4',
    text: 'The issuer does not have the key that the token names.',
  },
  'token-signature-wrong': {
    severity: 'error',
    source: 'RFC 9068 4',
    text: 'The token is not signed with the key of the issuer.',
  },
  'token-not-signed': { severity: 'error', source: 'RFC 9068 2.1', text: 'The token is not signed.' },

  // Sign-in at the identity provider
  'id-token-missing': {
    severity: 'error',
    source: 'OpenID Connect Core 3.1.3.3',
    text: 'The response does not have id_token, although openid was asked for.',
    stops: true,
  },
  'id-token-malformed': {
    severity: 'error',
    source: 'OpenID Connect Core 2',
    text: 'The ID token is not a JWT.',
    stops: true,
  },
  'id-token-issuer-differs': {
    severity: 'error',
    source: 'OpenID Connect Core 3.1.3.7',
    text: 'The ID token is of another issuer than the identity provider.',
    stops: true,
  },
  'id-token-audience-differs': {
    severity: 'error',
    source: 'OpenID Connect Core 3.1.3.7',
    text: 'The ID token is for another client.',
    stops: true,
  },
  'id-token-claim-missing': {
    severity: 'error',
    source: 'OpenID Connect Core 2',
    text: 'The ID token lacks a claim that it must have.',
  },
  'id-token-expired': {
    severity: 'error',
    source: 'OpenID Connect Core 3.1.3.7',
    text: 'The ID token has expired already.',
    stops: true,
  },
  'id-token-nonce-differs': {
    severity: 'error',
    source: 'OpenID Connect Core 3.1.3.7',
    text: 'The nonce of the ID token is not the one that was sent.',
    stops: true,
  },
  'id-token-not-signed': {
    severity: 'error',
    source: 'OpenID Connect Core 2',
    text: 'The ID token is not signed.',
    stops: true,
  },
  'id-token-signature-wrong': {
    severity: 'error',
    source: 'OpenID Connect Core 3.1.3.7',
    text: 'The ID token is not signed with a key of the identity provider.',
    stops: true,
  },
  'id-token-unverified': {
    severity: 'warning',
    source: 'OpenID Connect Core 3.1.3.7',
    text: 'The signature of the ID token cannot be verified.',
  },

  // Refresh
  'refresh-not-rotated': {
    severity: 'error',
    source: 'MCP authorization, OAuth 2.1 4.3.1',
    text: 'The refresh token was not rotated, although the client is public.',
  },
  'refresh-lost-scope': {
    severity: 'warning',
    source: 'RFC 6749 6',
    text: 'The refreshed token has lost scope.',
  },
  'refresh-lost-audience': {
    severity: 'warning',
    source: 'RFC 6749 6, RFC 8707 2',
    text: 'The refreshed token has another audience.',
  },
  'access-token-unchanged': {
    severity: 'warning',
    source: 'RFC 6749 6',
    text: 'The refreshed access token is the old one.',
  },

  // Revocation and introspection
  'revocation-failed': {
    severity: 'error',
    source: 'RFC 7009 2.2',
    text: 'The token was not revoked.',
    stops: true,
  },
  'introspection-failed': {
    severity: 'error',
    source: 'RFC 7662 2.3',
    text: 'The token was not introspected.',
    stops: true,
  },
  'active-missing': {
    severity: 'error',
    source: 'RFC 7662 2.2',
    text: 'The introspection response does not have active as a boolean.',
    stops: true,
  },
  'token-not-active': {
    severity: 'warning',
    source: 'RFC 7662 2.2',
    text: 'The authorization server says that the token in use is not active.',
  },
  'introspection-differs': {
    severity: 'warning',
    source: 'RFC 7662 2.2',
    text: 'The introspection response differs from what is known about the token.',
  },

  'token-passthrough-suspected': {
    severity: 'warning',
    source: SECURITY_GUIDE,
    text: 'The server accepts a token that was issued for another audience, so it may accept or pass on tokens of others.',
  },

  // The client and its metadata document
  'issuer-changed': {
    severity: 'error',
    source: 'MCP 2026-07-28 authorization',
    text: 'The server names another authorization server than the one at which the client is registered.',
    stops: true,
  },
  'document-url-invalid': {
    severity: 'error',
    source: CLIENT_DOCUMENTS,
    text: 'The client ID is not the URL of a metadata document.',
    stops: true,
  },
  'document-url-query': {
    severity: 'warning',
    source: CLIENT_DOCUMENTS,
    text: 'The client ID has a query, which it should not have.',
  },
  'document-status': {
    severity: 'error',
    source: CLIENT_DOCUMENTS,
    text: 'The client metadata document is not answered with status 200. Authorization servers follow no redirect.',
    stops: true,
  },
  'document-not-json': {
    severity: 'error',
    source: CLIENT_DOCUMENTS,
    text: 'The client metadata document is not a JSON object.',
    stops: true,
  },
  'document-content-type': {
    severity: 'warning',
    source: CLIENT_DOCUMENTS,
    text: 'The client metadata document is not sent as JSON.',
  },
  'document-too-large': {
    severity: 'warning',
    source: CLIENT_DOCUMENTS,
    text: 'The client metadata document is larger than authorization servers are advised to read.',
  },
  'document-client-id-differs': {
    severity: 'error',
    source: 'MCP 2025-11-25 authorization',
    text: 'client_id of the client metadata document is not its URL, character by character.',
    stops: true,
  },
  'document-client-name-missing': {
    severity: 'error',
    source: 'MCP 2025-11-25 authorization',
    text: 'The client metadata document has no client_name.',
  },
  'document-redirect-uris-missing': {
    severity: 'error',
    source: 'MCP 2025-11-25 authorization',
    text: 'The client metadata document has no redirect_uris.',
    stops: true,
  },
  'document-redirect-uri-differs': {
    severity: 'error',
    source: CLIENT_DOCUMENTS,
    text: 'redirect_uris of the client metadata document does not have our redirect URI.',
  },
  'document-redirect-port-differs': {
    severity: 'warning',
    source: 'RFC 8252 7.3',
    text: 'redirect_uris of the client metadata document has our redirect URI with another port. Servers must accept every port on loopback, but some compare it.',
  },
  'document-has-secret': {
    severity: 'error',
    source: CLIENT_DOCUMENTS,
    text: 'The client metadata document has a secret that everyone can read. Replace it.',
  },
  'document-auth-method': {
    severity: 'error',
    source: CLIENT_DOCUMENTS,
    text: 'The client metadata document names an authentication method that needs a secret, and cannot have one.',
  },
  'document-without-keys': {
    severity: 'error',
    source: CLIENT_DOCUMENTS,
    text: 'The client metadata document names private_key_jwt, but has neither jwks nor jwks_uri.',
  },

  // The 403 of the MCP server
  'forbidden-without-challenge': {
    severity: 'warning',
    source: 'RFC 6750 3.1',
    text: 'The 403 has no challenge with insufficient_scope.',
    stops: true,
  },
  'forbidden-names-no-scope': {
    severity: 'info',
    source: 'RFC 6750 3.1',
    text: 'The 403 names no scope.',
  },
  'forbidden-after-step-up': {
    severity: 'error',
    source: 'MCP 2025-11-25 authorization',
    text: 'The server answers 403 although the scope that it demands was asked for.',
  },
  'step-up-limit': {
    severity: 'error',
    source: 'MCP 2025-11-25 authorization',
    text: 'The server still answers 403. The flow stopped after three authorizations.',
    stops: true,
  },
} as const satisfies Record<string, AuthorizationRule>;

export type AuthorizationRuleName = keyof typeof authorizationRules;

const rules: Readonly<Record<string, AuthorizationRule>> = authorizationRules;

/** Whether a flow must not go on after a finding of this rule, whatever the revision and the values. */
export const stopsAlways = (name: string): boolean => rules[name]?.stops ?? false;

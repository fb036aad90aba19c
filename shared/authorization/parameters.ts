import type { AuthorizationStep } from '../contract/authorization.ts';

/** Where a parameter is: in a request or a response of a flow, in a challenge, or in metadata. */
export const parameterPlaces = [
  'authorization-request',
  'callback',
  'token-request',
  'token-response',
  'registration',
  'revocation',
  'introspection',
  'introspection-response',
  'challenge',
  'resource-metadata',
  'server-metadata',
  'header',
  'mcp-message',
] as const;
export type ParameterPlace = (typeof parameterPlaces)[number];

/** What a parameter is for, in one sentence, and the section that defines it. */
export interface ExplainedParameter {
  readonly name: string;
  readonly in: readonly ParameterPlace[];
  readonly text: string;
  readonly source: string;
}

type Row = readonly [name: string, text: string, source: string];

const inPlaces = (places: readonly ParameterPlace[], rows: readonly Row[]): ExplainedParameter[] =>
  rows.map(([name, text, source]) => ({ name, in: places, text, source }));

/** The requests in which a client authenticates. */
const authenticated = ['token-request', 'revocation', 'introspection'] as const;
const answers = ['callback', 'token-response', 'challenge', 'registration'] as const;
const metadata = ['server-metadata', 'registration'] as const;

/** Every parameter that a flow sends or reads, and others that servers use. A new one is a row here. */
export const explainedParameters: readonly ExplainedParameter[] = [
  ...inPlaces(
    ['authorization-request'],
    [
      [
        'response_type',
        'What the client wants back; "code" asks for an authorization code.',
        'RFC 6749 4.1.1',
      ],
      ['client_id', 'The client, as the authorization server knows it.', 'RFC 6749 4.1.1'],
      [
        'redirect_uri',
        'Where the browser is sent with the code; it must be a registered one.',
        'RFC 6749 3.1.2',
      ],
      ['scope', 'The scopes that the client asks for, separated by spaces.', 'RFC 6749 3.3'],
      [
        'state',
        'A random value that comes back in the callback, against forged callbacks.',
        'RFC 6749 10.12',
      ],
      [
        'code_challenge',
        'The hash of the code verifier, by which only this client can use the code.',
        'RFC 7636 4.3',
      ],
      [
        'code_challenge_method',
        'How the challenge was made from the verifier; "S256" is SHA-256.',
        'RFC 7636 4.3',
      ],
      ['resource', 'The MCP server that the token is for, so that no other server accepts it.', 'RFC 8707 2'],
      ['nonce', 'A random value that the ID token must repeat.', 'OpenID Connect Core 3.1.2.1'],
      ['prompt', 'Whether the user is asked to sign in or to consent again.', 'OpenID Connect Core 3.1.2.1'],
      ['login_hint', 'Who will probably sign in, to fill in the form.', 'OpenID Connect Core 3.1.2.1'],
      [
        'max_age',
        'The longest time since the sign-in, in seconds; after it the user signs in again.',
        'OpenID Connect Core 3.1.2.1',
      ],
      ['display', 'How the pages of the authorization server are shown.', 'OpenID Connect Core 3.1.2.1'],
      [
        'ui_locales',
        'The languages for the pages of the authorization server.',
        'OpenID Connect Core 3.1.2.1',
      ],
      ['acr_values', 'How the user should be authenticated.', 'OpenID Connect Core 3.1.2.1'],
      ['id_token_hint', 'An earlier ID token of the user who should sign in.', 'OpenID Connect Core 3.1.2.1'],
      [
        'claims',
        'The claims that the client wants in the ID token or from the userinfo endpoint.',
        'OpenID Connect Core 5.5',
      ],
      [
        'response_mode',
        'How the parameters of the callback are sent, such as in the query.',
        'OAuth 2.0 Multiple Response Types 2.1',
      ],
      ['request', 'All parameters of the request in a signed JWT.', 'RFC 9101 5'],
      [
        'request_uri',
        'Where the authorization server gets the parameters, such as from a pushed request.',
        'RFC 9101 5',
      ],
      ['dpop_jkt', 'The thumbprint of the DPoP key, which binds the code to it.', 'RFC 9449 10'],
      [
        'authorization_details',
        'What is asked for, in more detail than scopes can say, as JSON.',
        'RFC 9396 2',
      ],
    ],
  ),
  ...inPlaces(
    ['callback'],
    [
      ['code', 'The authorization code, which is used once, at the token endpoint.', 'RFC 6749 4.1.2'],
      [
        'state',
        'It must be the value of the authorization request, or the callback is not used.',
        'RFC 6749 4.1.2',
      ],
      ['iss', 'The issuer that sends the callback; another one than expected is an attack.', 'RFC 9207 2'],
      [
        'session_state',
        'The state of the session at the OpenID provider; OAuth does not need it.',
        'OpenID Connect Session Management 2',
      ],
    ],
  ),
  ...inPlaces(answers, [
    ['error', 'The code of the error.', 'RFC 6749 5.2'],
    ['error_description', 'The error in words, for developers.', 'RFC 6749 5.2'],
    ['error_uri', 'A page about the error.', 'RFC 6749 5.2'],
  ]),
  ...inPlaces(
    ['token-request'],
    [
      ['grant_type', 'What the client presents for the token.', 'RFC 6749 4.1.3'],
      ['code', 'The authorization code of the callback.', 'RFC 6749 4.1.3'],
      [
        'redirect_uri',
        'The redirect URI of the authorization request, which must be the same.',
        'RFC 6749 4.1.3',
      ],
      ['code_verifier', 'The random value whose hash was the code challenge.', 'RFC 7636 4.5'],
      [
        'resource',
        'The MCP server that the token is for; the same as in the authorization request.',
        'RFC 8707 2.2',
      ],
      ['scope', 'The scopes of the token; of a refresh, no more than were granted.', 'RFC 6749 3.3'],
      ['refresh_token', 'The refresh token, for which a new access token is issued.', 'RFC 6749 6'],
      ['assertion', 'A signed statement of another issuer, for which the token is issued.', 'RFC 7523 2.1'],
      ['subject_token', 'The token that is exchanged, such as the ID token of the user.', 'RFC 8693 2.1'],
      ['subject_token_type', 'What kind of token is exchanged.', 'RFC 8693 2.1'],
      ['requested_token_type', 'What kind of token is wanted in exchange.', 'RFC 8693 2.1'],
      ['actor_token', 'A token of the party that acts for the subject.', 'RFC 8693 2.1'],
      ['actor_token_type', 'What kind of token that is.', 'RFC 8693 2.1'],
      [
        'audience',
        'Who will get the exchanged token: the authorization server of the MCP server.',
        'RFC 8693 2.1',
      ],
      ['test_fault', 'Asks the test identity provider for a broken assertion.', 'Sightglass'],
    ],
  ),
  ...inPlaces(authenticated, [
    ['client_id', 'The client; a public one says so in this way only.', 'RFC 6749 2.3.1'],
    ['client_secret', 'The password of the client (client_secret_post).', 'RFC 6749 2.3.1'],
    [
      'client_assertion',
      'A JWT that the client has signed with its private key (private_key_jwt).',
      'RFC 7523 2.2',
    ],
    ['client_assertion_type', 'What kind of assertion that is.', 'RFC 7521 4.2'],
  ]),
  ...inPlaces(
    ['token-response'],
    [
      ['access_token', 'The token that is sent to the MCP server with every request.', 'RFC 6749 5.1'],
      ['token_type', 'How the token is sent: "Bearer", or "DPoP" with a proof.', 'RFC 6749 5.1'],
      ['expires_in', 'How long the access token is valid, in seconds from the response.', 'RFC 6749 5.1'],
      ['refresh_token', 'A token for a new access token, without the user.', 'RFC 6749 5.1'],
      ['scope', 'The scopes that were granted, if not those that were asked for.', 'RFC 6749 5.1'],
      [
        'id_token',
        'Who has signed in, as a JWT for the client; it is not for the MCP server.',
        'OpenID Connect Core 3.1.3.3',
      ],
      ['issued_token_type', 'What kind of token was issued in an exchange.', 'RFC 8693 2.2.1'],
    ],
  ),
  ...inPlaces(
    ['registration'],
    [
      ['redirect_uris', 'Where browsers may be sent with a code of this client.', 'RFC 7591 2'],
      [
        'token_endpoint_auth_method',
        'How the client authenticates at the token endpoint; "none" for a public one.',
        'RFC 7591 2',
      ],
      [
        'token_endpoint_auth_signing_alg',
        'The algorithm with which the client signs its assertions.',
        'OpenID Connect Registration 2',
      ],
      ['grant_types', 'The grants that the client may use.', 'RFC 7591 2'],
      ['response_types', 'The response types that the client may use.', 'RFC 7591 2'],
      ['client_name', 'The name of the client, which users see.', 'RFC 7591 2'],
      ['client_uri', 'A page about the client.', 'RFC 7591 2'],
      ['logo_uri', 'The logo of the client.', 'RFC 7591 2'],
      ['scope', 'The scopes that the client may ask for.', 'RFC 7591 2'],
      ['contacts', 'Who is responsible for the client.', 'RFC 7591 2'],
      ['tos_uri', 'The terms of service of the client.', 'RFC 7591 2'],
      ['policy_uri', 'How the client uses the data of users.', 'RFC 7591 2'],
      ['jwks_uri', 'Where the public keys of the client are.', 'RFC 7591 2'],
      ['jwks', 'The public keys of the client.', 'RFC 7591 2'],
      ['software_id', 'The software that registers, the same for all its installations.', 'RFC 7591 2'],
      ['software_version', 'The version of the software.', 'RFC 7591 2'],
      ['software_statement', 'Metadata of the client in a JWT that someone else has signed.', 'RFC 7591 2.3'],
      [
        'application_type',
        '"native" for redirects to this machine; "web" is the default.',
        'OpenID Connect Registration 2',
      ],
      [
        'id_token_signed_response_alg',
        'The algorithm with which ID tokens for the client are signed.',
        'OpenID Connect Registration 2',
      ],
      [
        'dpop_bound_access_tokens',
        'Whether tokens of the client are always bound to a DPoP key.',
        'RFC 9449 5.2',
      ],
      ['client_id', 'The client, as the authorization server knows it from now on.', 'RFC 7591 3.2.1'],
      ['client_secret', 'The password of the client.', 'RFC 7591 3.2.1'],
      ['client_id_issued_at', 'When it was registered, in seconds since the Unix epoch.', 'RFC 7591 3.2.1'],
      [
        'client_secret_expires_at',
        'When the secret expires, in seconds since the Unix epoch; 0 for never.',
        'RFC 7591 3.2.1',
      ],
      [
        'registration_access_token',
        'The token with which the registration is read, changed or deleted.',
        'RFC 7592 3',
      ],
      ['registration_client_uri', 'Where the registration is read, changed or deleted.', 'RFC 7592 3'],
    ],
  ),
  ...inPlaces(
    ['revocation'],
    [
      ['token', 'The token to revoke.', 'RFC 7009 2.1'],
      [
        'token_type_hint',
        'Whether it is an access token or a refresh token, to find it faster.',
        'RFC 7009 2.1',
      ],
    ],
  ),
  ...inPlaces(
    ['introspection'],
    [
      ['token', 'The token that is asked about.', 'RFC 7662 2.1'],
      [
        'token_type_hint',
        'Whether it is an access token or a refresh token, to find it faster.',
        'RFC 7662 2.1',
      ],
    ],
  ),
  ...inPlaces(
    ['introspection-response'],
    [
      ['active', 'Whether the token can be used now.', 'RFC 7662 2.2'],
      ['scope', 'The scopes of the token.', 'RFC 7662 2.2'],
      ['client_id', 'The client that got the token.', 'RFC 7662 2.2'],
      ['username', 'The user who allowed it, for people to read.', 'RFC 7662 2.2'],
      ['token_type', 'How the token is sent.', 'RFC 7662 2.2'],
      ['exp', 'When it expires, in seconds since the Unix epoch.', 'RFC 7662 2.2'],
      ['iat', 'When it was issued, in seconds since the Unix epoch.', 'RFC 7662 2.2'],
      ['nbf', 'From when it can be used, in seconds since the Unix epoch.', 'RFC 7662 2.2'],
      ['sub', 'The user or the client that the token speaks for.', 'RFC 7662 2.2'],
      ['aud', 'Who the token is for: the MCP server.', 'RFC 7662 2.2'],
      ['iss', 'Who issued the token.', 'RFC 7662 2.2'],
      ['jti', 'An identifier of the token.', 'RFC 7662 2.2'],
      ['cnf', 'The key that the token is bound to.', 'RFC 7800 3.1'],
    ],
  ),
  ...inPlaces(
    ['challenge'],
    [
      ['realm', 'The part of the server that is protected.', 'RFC 9110 11.5'],
      ['scope', 'The scopes that the request needs.', 'RFC 6750 3'],
      ['resource_metadata', 'The URL of the metadata that names the authorization servers.', 'RFC 9728 5.1'],
      ['algs', 'The algorithms that DPoP proofs may be signed with.', 'RFC 9449 7.1'],
      ['acr_values', 'How the user has to be authenticated for this request.', 'RFC 9470 3'],
      ['max_age', 'The longest time since the sign-in, in seconds.', 'RFC 9470 3'],
    ],
  ),
  ...inPlaces(
    ['resource-metadata'],
    [
      ['resource', 'The MCP server that the metadata is of; tokens are requested for it.', 'RFC 9728 2'],
      ['authorization_servers', 'The issuers whose tokens the server accepts.', 'RFC 9728 2'],
      ['jwks_uri', 'Where the public keys of the server are.', 'RFC 9728 2'],
      ['scopes_supported', 'The scopes that the server knows.', 'RFC 9728 2'],
      [
        'bearer_methods_supported',
        'Where in a request the token may be; MCP allows the header only.',
        'RFC 9728 2',
      ],
      [
        'resource_signing_alg_values_supported',
        'The algorithms with which the server signs its responses.',
        'RFC 9728 2',
      ],
      ['resource_name', 'The name of the server, for users.', 'RFC 9728 2'],
      ['resource_documentation', 'A page for developers.', 'RFC 9728 2'],
      ['resource_policy_uri', 'How the data of the server may be used.', 'RFC 9728 2'],
      ['resource_tos_uri', 'The terms of service.', 'RFC 9728 2'],
      [
        'tls_client_certificate_bound_access_tokens',
        'Whether tokens are bound to the certificate of the client.',
        'RFC 9728 2',
      ],
      [
        'authorization_details_types_supported',
        'The types of authorization details that the server knows.',
        'RFC 9728 2',
      ],
      [
        'dpop_signing_alg_values_supported',
        'The algorithms that DPoP proofs may be signed with.',
        'RFC 9728 2',
      ],
      [
        'dpop_bound_access_tokens_required',
        'Whether the server accepts only tokens that are bound to a DPoP key.',
        'RFC 9728 2',
      ],
      ['signed_metadata', 'The metadata again, as a signed JWT.', 'RFC 9728 2.2'],
    ],
  ),
  ...inPlaces(
    ['server-metadata'],
    [
      [
        'issuer',
        'The name of the authorization server; it must be the one that was asked for.',
        'RFC 8414 2',
      ],
      ['authorization_endpoint', 'Where the browser is sent for the consent of the user.', 'RFC 8414 2'],
      ['token_endpoint', 'Where tokens are requested.', 'RFC 8414 2'],
      ['registration_endpoint', 'Where clients register by themselves.', 'RFC 8414 2'],
      ['revocation_endpoint', 'Where tokens are revoked.', 'RFC 8414 2'],
      ['introspection_endpoint', 'Where servers ask whether a token is valid.', 'RFC 8414 2'],
      ['jwks_uri', 'Where the public keys are, with which tokens are verified.', 'RFC 8414 2'],
      ['scopes_supported', 'The scopes that the authorization server knows.', 'RFC 8414 2'],
      ['response_types_supported', 'The response types that it knows; MCP needs "code".', 'RFC 8414 2'],
      ['response_modes_supported', 'How callbacks can be sent.', 'RFC 8414 2'],
      ['grant_types_supported', 'The grants that it knows.', 'RFC 8414 2'],
      [
        'token_endpoint_auth_methods_supported',
        'How clients can authenticate at the token endpoint.',
        'RFC 8414 2',
      ],
      [
        'token_endpoint_auth_signing_alg_values_supported',
        'The algorithms that assertions of clients may be signed with.',
        'RFC 8414 2',
      ],
      [
        'revocation_endpoint_auth_methods_supported',
        'How clients can authenticate at the revocation endpoint.',
        'RFC 8414 2',
      ],
      [
        'introspection_endpoint_auth_methods_supported',
        'How clients can authenticate at the introspection endpoint.',
        'RFC 8414 2',
      ],
      [
        'code_challenge_methods_supported',
        'The PKCE methods that it knows; MCP demands "S256".',
        'RFC 8414 2',
      ],
      ['service_documentation', 'A page for developers.', 'RFC 8414 2'],
      ['ui_locales_supported', 'The languages of its pages.', 'RFC 8414 2'],
      ['op_policy_uri', 'How it may be used.', 'RFC 8414 2'],
      ['op_tos_uri', 'Its terms of service.', 'RFC 8414 2'],
      ['signed_metadata', 'The metadata again, as a signed JWT.', 'RFC 8414 2.1'],
      [
        'authorization_response_iss_parameter_supported',
        'Whether callbacks have iss, which must then be checked.',
        'RFC 9207 3',
      ],
      [
        'dpop_signing_alg_values_supported',
        'The algorithms that DPoP proofs may be signed with.',
        'RFC 9449 5.1',
      ],
      [
        'pushed_authorization_request_endpoint',
        'Where the parameters of an authorization request can be sent first.',
        'RFC 9126 5',
      ],
      ['require_pushed_authorization_requests', 'Whether they must be sent there first.', 'RFC 9126 5'],
      ['device_authorization_endpoint', 'Where devices without a browser begin.', 'RFC 8628 4'],
      [
        'client_id_metadata_document_supported',
        'Whether the URL of a hosted document can be the client ID.',
        'OAuth Client ID Metadata Document 5',
      ],
      [
        'authorization_details_types_supported',
        'The types of authorization details that it knows.',
        'RFC 9396 10',
      ],
      ['protected_resources', 'The servers that it issues tokens for.', 'RFC 9728 4'],
      ['userinfo_endpoint', 'Where claims about the user are requested.', 'OpenID Connect Discovery 3'],
      ['end_session_endpoint', 'Where the user is signed out.', 'OpenID Connect RP-Initiated Logout 2.1'],
      [
        'subject_types_supported',
        'Whether each client gets another identifier of a user.',
        'OpenID Connect Discovery 3',
      ],
      [
        'id_token_signing_alg_values_supported',
        'The algorithms that ID tokens are signed with.',
        'OpenID Connect Discovery 3',
      ],
      ['claims_supported', 'The claims that it can give.', 'OpenID Connect Discovery 3'],
      ['acr_values_supported', 'The ways to authenticate users that it knows.', 'OpenID Connect Discovery 3'],
      [
        'request_parameter_supported',
        'Whether parameters can be sent in a JWT.',
        'OpenID Connect Discovery 3',
      ],
      [
        'request_uri_parameter_supported',
        'Whether it fetches the parameters of a request from a URL.',
        'OpenID Connect Discovery 3',
      ],
      [
        'claims_parameter_supported',
        'Whether requests can name the claims that they want.',
        'OpenID Connect Discovery 3',
      ],
    ],
  ),
  ...inPlaces(metadata, [
    [
      'tls_client_certificate_bound_access_tokens',
      'Whether tokens are bound to the certificate of the client.',
      'RFC 8705 3.3',
    ],
  ]),
  ...inPlaces(
    ['header'],
    [
      ['Accept', 'The media types that the client can read.', 'RFC 9110 12.5.1'],
      ['Content-Type', 'The media type of the body.', 'RFC 9110 8.3'],
      ['User-Agent', 'The software that sends the request.', 'RFC 9110 10.1.5'],
      [
        'Authorization',
        'The access token, or the ID and the secret of the client (client_secret_basic).',
        'RFC 9110 11.6.2',
      ],
      ['DPoP', 'A proof that the client has the key that the token is bound to.', 'RFC 9449 4.1'],
      ['Origin', 'The origin of the page that sends the request; a browser adds it.', 'Fetch, Origin header'],
      ['Access-Control-Request-Method', 'The method that a page wants to use.', 'Fetch, CORS protocol'],
      ['Access-Control-Request-Headers', 'The headers that a page wants to send.', 'Fetch, CORS protocol'],
      [
        'MCP-Protocol-Version',
        'The revision of MCP that the client speaks.',
        'MCP transports, protocol version header',
      ],
      [
        'Mcp-Method',
        'The method of the message, for those who do not read the body.',
        'MCP 2026-07-28 transports',
      ],
      ['Mcp-Session-Id', 'The session that the request belongs to.', 'MCP transports, session management'],
    ],
  ),
  ...inPlaces(
    ['mcp-message'],
    [
      ['jsonrpc', 'The version of JSON-RPC.', 'JSON-RPC 2.0 4'],
      ['id', 'The number of the request, which the response repeats.', 'JSON-RPC 2.0 4'],
      ['method', 'What is asked for.', 'JSON-RPC 2.0 4'],
      ['params', 'The values for it.', 'JSON-RPC 2.0 4'],
    ],
  ),
];

const byPlace = new Map<string, ExplainedParameter>(
  explainedParameters.flatMap((one) => one.in.map((place) => [`${place} ${one.name.toLowerCase()}`, one])),
);

/** Said of a parameter that is not in the table. */
export const NOT_REGISTERED = 'not registered (IANA OAuth parameters)';

/** What a parameter is for; null if it is not in the table. Only the names of header lines ignore case. */
export function explainParameter(place: ParameterPlace, name: string): ExplainedParameter | null {
  const found = byPlace.get(`${place} ${name.toLowerCase()}`) ?? null;
  return place === 'header' || found?.name === name ? found : null;
}

type Part = 'query' | 'headers' | 'body' | 'response';

/** Where the parameters of a part of a step are; null if they are no parameters of OAuth. */
export function placeOfPart({ name }: Pick<AuthorizationStep, 'name'>, part: Part): ParameterPlace | null {
  if (part === 'headers') return 'header';
  return placesOfSteps[name]?.[part] ?? null;
}

const tokens = { body: 'token-request', response: 'token-response' } as const;

const placesOfSteps: Readonly<
  Partial<Record<AuthorizationStep['name'], Partial<Record<Exclude<Part, 'headers'>, ParameterPlace>>>>
> = {
  challenge: { body: 'mcp-message' },
  'use-token': { body: 'mcp-message' },
  'resource-metadata': { response: 'resource-metadata' },
  'server-metadata': { response: 'server-metadata' },
  'client-metadata': { response: 'registration' },
  registration: { body: 'registration', response: 'registration' },
  'authorization-request': { query: 'authorization-request' },
  callback: { query: 'callback' },
  'sign-in': { query: 'authorization-request', body: 'token-request' },
  assertion: tokens,
  token: tokens,
  refresh: tokens,
  revoke: { body: 'revocation', response: 'token-response' },
  introspect: { body: 'introspection', response: 'introspection-response' },
};

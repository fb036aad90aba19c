import type { KnownProvider, ProviderSource } from './provider.ts';

const servers: ProviderSource = {
  title: 'Okta Developer, Authorization servers',
  url: 'https://developer.okta.com/docs/concepts/auth-servers',
};

export const okta: KnownProvider = {
  id: 'okta',
  label: 'Okta',
  hosts: ['*.okta.com', '*.oktapreview.com', '*.okta-emea.com'],
  shapes: [
    { issuer: '/oauth2/default' },
    { issuer: '/oauth2/aus*' },
    { authorization: '/oauth2/*/v1/authorize', token: '/oauth2/*/v1/token' },
    { authorization: '/oauth2/v1/authorize', token: '/oauth2/v1/token' },
  ],
  marks: [],
  settings: { registration: 'pre-registered', assertionAudience: 'token-endpoint' },
  notes: [
    'A client assertion is made for the token endpoint.',
    'Enter the client ID of an app integration. With a private key, enter the Key ID that Okta shows for it.',
  ],
  traps: [
    {
      id: 'assertion-audience',
      title: 'The client assertion is for the issuer',
      cause:
        'Okta takes a client assertion only if its aud is the URL of the endpoint that is called, such as https://DOMAIN/oauth2/default/v1/token. By RFC 7523 the issuer would do.',
      wayOn: 'Make the assertion for the token endpoint.',
      shownBy: [{ says: ['audience claim for client_assertion must be the endpoint'] }],
      remedy: {
        label: 'Use the token endpoint as aud and try again',
        settings: { assertionAudience: 'token-endpoint' },
      },
      sources: [
        {
          title: 'Okta support, The audience claim for client_assertion must be the endpoint invoked',
          url: 'https://support.okta.com/help/s/article/the-audience-claim-for-client-assertion-must-be-the-endpoint-invoked-for-the-request',
        },
      ],
    },
    {
      id: 'key-id',
      title: 'The client assertion names no key',
      cause:
        'Okta finds the public key by kid in the header of the assertion. It is missing, or Okta does not have it.',
      wayOn: 'Enter the Key ID that Okta shows beside the public key of the client.',
      shownBy: [{ says: ['client_assertion JWT kid is invalid'] }],
      remedy: null,
      sources: [
        {
          title: 'Okta support, Client Assertion “Error: Invalid Key ID”',
          url: 'https://support.okta.com/help/s/article/okta-client-assertion-error-invalid-key-id',
        },
      ],
    },
    {
      id: 'scopes',
      title: 'The authorization server does not have the scope',
      cause:
        'Every custom authorization server of Okta has its own scopes, and the org authorization server takes only those that Okta defines.',
      wayOn:
        'Add the scope to the custom authorization server (Security, API), or enter scopes that it has. For scopes of your own use /oauth2/default or another custom authorization server.',
      shownBy: [
        {
          says: [
            'One or more scopes are not configured for the authorization server resource',
            'Custom scopes are not allowed for this request',
          ],
        },
      ],
      remedy: null,
      sources: [
        {
          title: 'Okta support, One or more scopes are not configured for the authorization server resource',
          url: 'https://support.okta.com/help/s/article/error-one-or-more-scopes-are-not-configured-for-the-authorization-server-resource',
        },
        {
          title: 'Okta support, Custom scopes are not allowed for this request',
          url: 'https://support.okta.com/help/s/article/okta-authorization-error-occurs-stating-custom-scopes-are-not-allowed-for-this-request',
        },
      ],
    },
    {
      id: 'registration',
      title: 'Registration needs an API token',
      cause:
        'The metadata of Okta names a registration endpoint, but it takes requests only with an API token of an administrator.',
      wayOn: 'Create an app integration in the Admin Console, and enter its client ID.',
      shownBy: [
        { steps: ['registration'], status: [401, 403] },
        { rules: ['registration-unavailable'] },
        { faults: ['no-client'] },
      ],
      remedy: null,
      sources: [
        {
          title: 'modelcontextprotocol, issue 695',
          url: 'https://github.com/modelcontextprotocol/modelcontextprotocol/issues/695',
        },
      ],
    },
    {
      id: 'metadata-path',
      title: 'Okta appends the path of its metadata',
      cause:
        'The metadata of a custom authorization server is at the issuer with /.well-known/… appended, in the forms of OAuth and OpenID Connect. Clients of MCP before 2025-11-25 ask for the URL with the path of the issuer after it.',
      wayOn:
        'Authorize by the rules of 2025-11-25 or later: they try the appended form of OpenID Connect as the last URL.',
      shownBy: [{ faults: ['no-authorization-metadata'] }, { rules: ['server-metadata-missing'] }],
      remedy: null,
      sources: [
        {
          title: 'Okta Developer, Custom Authorization Servers, Retrieve the OAuth 2.0 metadata',
          url: 'https://developer.okta.com/docs/api/openapi/okta-oauth/oauth/tag/CustomAS',
        },
      ],
    },
    {
      id: 'audience',
      title: 'The audience is that of the authorization server',
      cause:
        'The aud of a token is the Audience in the settings of the custom authorization server, api://default at first, whatever resource says.',
      wayOn:
        'Set Audience of the authorization server to the URL of the MCP server (Security, API), or have the MCP server accept it.',
      shownBy: [{ rules: ['token-audience-differs'] }],
      remedy: null,
      sources: [
        {
          title: 'Okta help, Create an authorization server',
          url: 'https://help.okta.com/en-us/Content/topics/security/api-config-auth-server.htm',
        },
      ],
    },
    {
      id: 'org-server',
      title: 'The token is for Okta itself',
      cause:
        'The org authorization server (/oauth2/v1) issues tokens for the APIs of Okta. No other server is meant to check them.',
      wayOn:
        'Have the MCP server name a custom authorization server in authorization_servers, such as https://DOMAIN/oauth2/default.',
      shownBy: [
        { faults: ['fresh-token-rejected'], tokenPath: '/oauth2/v1/token' },
        { rules: ['fresh-token-rejected'], tokenPath: '/oauth2/v1/token' },
      ],
      remedy: null,
      sources: [servers],
    },
  ],
};

import type { KnownProvider, ProviderSource } from './provider.ts';

const resourceServers: ProviderSource = {
  title: 'Amazon Cognito, Scopes, M2M, and resource servers, Resource binding',
  url: 'https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-define-resource-servers.html',
};
const appClients: ProviderSource = {
  title: 'Amazon Cognito, App client settings',
  url: 'https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-app-idp-settings.html',
};

export const cognito: KnownProvider = {
  id: 'cognito',
  label: 'Amazon Cognito',
  hosts: ['cognito-idp.*.amazonaws.com', '*.amazoncognito.com'],
  // The issuer ends with the id of the user pool, such as /eu-west-1_AbCdEfGhI: its region, and letters.
  shapes: [1, 2, 3, 4, 5, 6, 7].map((number) => ({ issuer: `/*-*-${number}_*` })),
  marks: [],
  settings: {
    registration: 'pre-registered',
    assumesPkce: true,
    redirect: { host: 'localhost', port: null, path: '/callback' },
  },
  notes: [
    'PKCE is used although it is not advertised, and the redirect is on localhost.',
    'Enter the client ID of an app client, its secret if it has one, and a port for the redirect: Cognito compares the redirect URI character by character.',
  ],
  traps: [
    {
      id: 'pkce',
      title: 'Cognito does not advertise PKCE',
      cause:
        'The metadata of Cognito has no code_challenge_methods_supported, although Cognito supports PKCE with S256. MCP has clients refuse that since 2025-11-25.',
      wayOn: 'Use PKCE all the same: Cognito documents code_challenge for its authorize endpoint.',
      shownBy: [{ rules: ['pkce-not-advertised'] }],
      remedy: { label: 'Use PKCE all the same and try again', settings: { assumesPkce: true } },
      sources: [
        {
          title: 'anthropics/claude-ai-mcp, issue 946',
          url: 'https://github.com/anthropics/claude-ai-mcp/issues/946',
        },
        {
          title: 'Amazon Cognito, The redirect and authorization endpoint',
          url: 'https://docs.aws.amazon.com/cognito/latest/developerguide/authorization-endpoint.html',
        },
      ],
    },
    {
      id: 'registration',
      title: 'Cognito registers no clients by itself',
      cause: 'Cognito has no dynamic client registration, and reads no client ID metadata documents.',
      wayOn: 'Create an app client in the user pool, and enter its client ID.',
      shownBy: [{ rules: ['registration-unavailable'] }, { faults: ['no-client'] }],
      remedy: null,
      sources: [
        {
          title: 'Zuplo, MCP identity provider support (verified 2026-07-24)',
          url: 'https://zuplo.com/learn/mcp/compatibility/identity-providers',
        },
        appClients,
      ],
    },
    {
      id: 'metadata-path',
      title: 'Cognito has OpenID Connect metadata only',
      cause:
        'Cognito has no metadata by RFC 8414. Its document is at the issuer with /.well-known/openid-configuration appended, which clients of MCP before 2025-11-25 do not try. The endpoints that it names are on the domain of the user pool, another host.',
      wayOn: 'Authorize by the rules of 2025-11-25 or later: they try it as the last URL.',
      shownBy: [{ faults: ['no-authorization-metadata'] }, { rules: ['server-metadata-missing'] }],
      remedy: null,
      sources: [
        {
          title: 'empires-security/mcp-oauth2-aws-cognito, issue 9',
          url: 'https://github.com/empires-security/mcp-oauth2-aws-cognito/issues/9',
        },
      ],
    },
    {
      id: 'audience',
      title: 'The token has no audience',
      cause:
        'An access token of Cognito has client_id and no aud. Only user pools with managed login in the plans Essentials and Plus set aud from resource.',
      wayOn:
        'Have the MCP server check client_id and scope. Or use resource binding: a plan that has it, and a resource server whose identifier is the URL of the MCP server.',
      shownBy: [{ faults: ['fresh-token-rejected'] }, { rules: ['fresh-token-rejected'] }],
      remedy: null,
      sources: [
        resourceServers,
        {
          title: 'AWS re:Post, Why do Cognito access tokens not have an audience claim?',
          url: 'https://repost.aws/questions/QU4wv0qKIMSk2O64Wk5P4jdg/why-do-cognito-access-tokens-not-have-an-audience-claim',
        },
      ],
    },
    {
      id: 'redirect',
      title: 'The redirect URI is not registered',
      cause:
        'Cognito compares the redirect URI with the callback URLs of the app client character by character, port and slash included, and takes http only for localhost. Its page says redirect_mismatch.',
      wayOn:
        'Enter a port for the redirect, and add the redirect URI to the callback URLs of the app client exactly as it is here.',
      shownBy: [
        { says: ['redirect_mismatch', 'redirect_uri does not match client settings'] },
        { page: ['redirect_mismatch'] },
      ],
      remedy: null,
      sources: [
        appClients,
        {
          title: 'Stack Overflow, AWS Cognito unauthorized_client error',
          url: 'https://stackoverflow.com/questions/50264679/aws-cognito-unauthorized-client-error-when-hitting-oauth2-token',
        },
      ],
    },
    {
      id: 'scopes',
      title: 'The app client may not ask for the scope',
      cause:
        'A scope must be allowed for the app client. Scopes of your own have the form RESOURCE-SERVER/SCOPE.',
      wayOn: 'Allow the scopes for the app client, under custom scopes, or enter those that it has.',
      shownBy: [{ steps: ['callback', 'token'], says: ['invalid_scope'] }, { page: ['invalid_scope'] }],
      remedy: null,
      sources: [resourceServers],
    },
    {
      id: 'client-secret',
      title: 'The app client has a secret',
      cause: 'Cognito rejects a token request without the secret if the app client has one.',
      wayOn: 'Enter the client secret, or create an app client without one.',
      shownBy: [{ steps: ['token'], says: ['invalid_client'] }],
      remedy: null,
      sources: [
        {
          title: 'Amazon Cognito, The token issuer endpoint',
          url: 'https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html',
        },
      ],
    },
    {
      id: 'rotation',
      title: 'The refresh token stays the same',
      cause:
        'Cognito issues no new refresh token at a refresh unless rotation is enabled for the app client.',
      wayOn: 'Enable refresh token rotation for the app client.',
      shownBy: [{ rules: ['refresh-not-rotated'] }],
      remedy: null,
      sources: [
        {
          title: 'Amazon Cognito, Refresh tokens',
          url: 'https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-refresh-token.html',
        },
      ],
    },
  ],
};

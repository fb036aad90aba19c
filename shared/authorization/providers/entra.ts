import type { KnownProvider, ProviderSource } from './provider.ts';

const secureMcp: ProviderSource = {
  title: 'Microsoft Entra, Secure an MCP server with Microsoft Entra ID',
  url: 'https://learn.microsoft.com/en-us/entra/agent-id/secure-mcp-server-with-entra-id',
};
const redirects: ProviderSource = {
  title: 'Microsoft identity platform, Redirect URI restrictions, Localhost exceptions',
  url: 'https://learn.microsoft.com/en-us/entra/identity-platform/reply-url',
};
const openId: ProviderSource = {
  title: 'Microsoft identity platform, OpenID Connect, Find your app’s OpenID configuration document URI',
  url: 'https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols-oidc',
};
const errorCodes: ProviderSource = {
  title: 'Microsoft Entra authentication and authorization error codes',
  url: 'https://learn.microsoft.com/en-us/entra/identity-platform/reference-error-codes',
};
const noRegistration: ProviderSource = {
  title: 'Zuplo, MCP identity provider support (verified 2026-07-24)',
  url: 'https://zuplo.com/learn/mcp/compatibility/identity-providers',
};

export const entra: KnownProvider = {
  id: 'entra',
  label: 'Microsoft Entra ID',
  hosts: [
    'login.microsoftonline.com',
    'login.microsoftonline.us',
    'login.partner.microsoftonline.cn',
    'sts.windows.net',
    '*.ciamlogin.com',
  ],
  shapes: [
    { issuer: '/*/v2.0' },
    { authorization: '/*/oauth2/v2.0/authorize', token: '/*/oauth2/v2.0/token' },
    { authorization: '/*/oauth2/authorize', token: '/*/oauth2/token' },
  ],
  marks: ['AADSTS'],
  settings: {
    registration: 'pre-registered',
    dropped: ['resource'],
    assumesPkce: true,
    redirect: { host: 'localhost', port: null, path: '/callback' },
  },
  notes: [
    'For the v2.0 endpoints: resource is left out, PKCE is used although it is not advertised, and the redirect is on localhost.',
    'Enter the client ID of an app registration, and the scopes of the API as api://CLIENT-ID/SCOPE.',
  ],
  traps: [
    {
      id: 'resource',
      title: 'Entra rejects resource',
      cause:
        'Entra compares resource with the Application ID URI of the API that the scopes belong to, and rejects the request if they differ (AADSTS9010010). Older answers are AADSTS901002 and AADSTS90100: resource is not supported.',
      wayOn:
        'Leave resource out, and name the API in the scopes: api://CLIENT-ID/SCOPE or api://CLIENT-ID/.default. Or make the URL of the MCP server the Application ID URI of its app registration.',
      shownBy: [
        { says: ['AADSTS9010010', 'AADSTS901002', "'resource' request parameter"] },
        { page: ['AADSTS9010010', 'AADSTS901002'], sent: 'resource' },
      ],
      remedy: { label: 'Leave out resource and try again', settings: { dropped: ['resource'] } },
      sources: [
        secureMcp,
        {
          title: 'microsoft/powerbi-modeling-mcp, issue 68',
          url: 'https://github.com/microsoft/powerbi-modeling-mcp/issues/68',
        },
        { title: 'microsoft/vscode, issue 254009', url: 'https://github.com/microsoft/vscode/issues/254009' },
      ],
    },
    {
      id: 'pkce',
      title: 'Entra does not advertise PKCE',
      cause:
        'The metadata of Entra has no code_challenge_methods_supported, although Entra supports PKCE with S256. MCP has clients refuse that since 2025-11-25.',
      wayOn: 'Use PKCE all the same: it is documented for the authorization code flow of Entra.',
      shownBy: [{ rules: ['pkce-not-advertised'] }],
      remedy: { label: 'Use PKCE all the same and try again', settings: { assumesPkce: true } },
      sources: [
        {
          title: 'modelcontextprotocol/typescript-sdk, issue 832',
          url: 'https://github.com/modelcontextprotocol/typescript-sdk/issues/832',
        },
        {
          title: 'Microsoft identity platform, OAuth 2.0 authorization code flow',
          url: 'https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow',
        },
      ],
    },
    {
      id: 'registration',
      title: 'Entra registers no clients by itself',
      cause: 'Entra has no dynamic client registration, and reads no client ID metadata documents.',
      wayOn:
        'Register an app in the Entra admin center, with the redirect URI http://localhost/callback under “Mobile and desktop applications”, and enter its client ID.',
      shownBy: [{ rules: ['registration-unavailable'] }, { faults: ['no-client'] }],
      remedy: null,
      sources: [noRegistration, redirects],
    },
    {
      id: 'metadata-path',
      title: 'Entra has OpenID Connect metadata only',
      cause:
        'Entra has no metadata by RFC 8414. Its document is at the issuer with /.well-known/openid-configuration appended, which clients of MCP before 2025-11-25 do not try.',
      wayOn: 'Authorize by the rules of 2025-11-25 or later: they try it as the last URL.',
      shownBy: [{ faults: ['no-authorization-metadata'] }, { rules: ['server-metadata-missing'] }],
      remedy: null,
      sources: [openId, noRegistration],
    },
    {
      id: 'issuer-template',
      title: 'The issuer of common and organizations is a template',
      cause:
        'The metadata of /common/v2.0 and /organizations/v2.0 names the issuer https://login.microsoftonline.com/{tenantid}/v2.0. That is not the issuer that was asked for, and tokens have the tenant’s.',
      wayOn:
        'Have the MCP server name the issuer of one tenant in authorization_servers: https://login.microsoftonline.com/TENANT-ID/v2.0.',
      shownBy: [{ rules: ['issuer-differs'], says: ['{tenantid}'] }],
      remedy: null,
      sources: [
        openId,
        { title: 'openai/codex, issue 38973', url: 'https://github.com/openai/codex/issues/38973' },
      ],
    },
    {
      id: 'v1-issuer',
      title: 'The metadata is of the v1.0 endpoints',
      cause:
        'Without /v2.0 the metadata of a tenant is that of the v1.0 endpoints, whose issuer is https://sts.windows.net/TENANT-ID/.',
      wayOn:
        'Have the MCP server name https://login.microsoftonline.com/TENANT-ID/v2.0 in authorization_servers, with /v2.0.',
      shownBy: [{ rules: ['issuer-differs'], says: ['https://sts.windows.net/'] }],
      remedy: null,
      sources: [
        secureMcp,
        {
          title: 'AzureAD/microsoft-authentication-library-for-python, issue 600',
          url: 'https://github.com/AzureAD/microsoft-authentication-library-for-python/issues/600',
        },
      ],
    },
    {
      id: 'token-version',
      title: 'The API takes v1.0 tokens',
      cause:
        'The version of the token is chosen by the API, not by the endpoint. A v1.0 token has the issuer https://sts.windows.net/TENANT-ID/ although the v2.0 endpoints issued it.',
      wayOn: 'Set requestedAccessTokenVersion to 2 in the manifest of the API’s app registration.',
      shownBy: [{ rules: ['token-issuer-differs'], says: ['https://sts.windows.net/'] }],
      remedy: null,
      sources: [
        {
          title: 'Microsoft identity platform, Access tokens',
          url: 'https://learn.microsoft.com/en-us/entra/identity-platform/access-tokens',
        },
        {
          title: 'AzureAD/microsoft-authentication-library-for-python, issue 600',
          url: 'https://github.com/AzureAD/microsoft-authentication-library-for-python/issues/600',
        },
      ],
    },
    {
      id: 'audience',
      title: 'The audience is the client ID of the API',
      cause:
        'The aud of a v2.0 token is the client ID of the API’s app registration, not the URL of the MCP server.',
      wayOn: 'Have the MCP server accept that client ID as audience. Nothing has to change here.',
      shownBy: [{ rules: ['token-audience-differs'] }, { rules: ['token-passthrough-suspected'] }],
      remedy: null,
      sources: [
        {
          title: 'modelcontextprotocol/csharp-sdk, pull request 1801',
          url: 'https://github.com/modelcontextprotocol/csharp-sdk/pull/1801',
        },
        secureMcp,
      ],
    },
    {
      id: 'client-secret',
      title: 'Entra takes the client for a confidential one',
      cause:
        'AADSTS7000218: the redirect URI is registered for the platform “Web”, so the token request must have a client secret or an assertion.',
      wayOn:
        'Enter the client secret. Or register the redirect URI under “Mobile and desktop applications”, and allow public client flows.',
      shownBy: [{ says: ['AADSTS7000218'] }],
      remedy: null,
      sources: [
        {
          title: 'Microsoft support, Error AADSTS7000218',
          url: 'https://learn.microsoft.com/en-us/troubleshoot/entra/entra-id/app-integration/confidential-client-application-authentication-error-aadsts7000218',
        },
        errorCodes,
      ],
    },
    {
      id: 'redirect',
      title: 'The redirect URI is not registered',
      cause:
        'AADSTS50011: Entra knows another redirect URI. It ignores the port on localhost, but not the path, and the admin center takes http only for localhost, not for 127.0.0.1.',
      wayOn: 'Register http://localhost/callback, and use localhost as the host of the redirect.',
      shownBy: [{ says: ['AADSTS50011'] }, { page: ['AADSTS50011'] }],
      remedy: {
        label: 'Use localhost and try again',
        settings: { redirect: { host: 'localhost', port: null, path: '/callback' } },
      },
      sources: [redirects, errorCodes],
    },
    {
      id: 'scope',
      title: 'The scope belongs to no API',
      cause:
        'AADSTS650053 or AADSTS70011: a scope without api://CLIENT-ID/ before it is one of Microsoft Graph, which does not have it.',
      wayOn: 'Enter the scopes as api://CLIENT-ID/SCOPE, with the client ID of the API’s app registration.',
      shownBy: [{ says: ['AADSTS650053', 'AADSTS70011'] }, { page: ['AADSTS650053', 'AADSTS70011'] }],
      remedy: null,
      sources: [
        errorCodes,
        {
          title: 'anthropics/claude-code, issue 73460',
          url: 'https://github.com/anthropics/claude-code/issues/73460',
        },
      ],
    },
  ],
};

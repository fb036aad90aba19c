import { type KnownProvider, type ProviderSource, RESOURCE } from './provider.ts';

const profile: ProviderSource = {
  title: 'Auth0, Enable Resource Parameter Compatibility Profile',
  url: 'https://auth0.com/ai/docs/mcp/guides/resource-param-compatibility-profile',
};
const audienceError: ProviderSource = {
  title: 'Auth0 support, MCP Audience Error with Auth0',
  url: 'https://support.auth0.com/center/s/article/mcp-audience-error-with-auth0',
};

export const auth0: KnownProvider = {
  id: 'auth0',
  label: 'Auth0',
  hosts: ['*.auth0.com'],
  shapes: [{ authorization: '/authorize', token: '/oauth/token' }],
  marks: [],
  settings: { extra: [{ name: 'audience', value: RESOURCE }] },
  notes: [
    'audience is sent with the URL of the server. Change it to the identifier of the API in Auth0 if that is another one.',
    'A tenant with the Resource Parameter Compatibility Profile takes resource, and needs no audience.',
  ],
  traps: [
    {
      id: 'audience',
      title: 'The token is for no API',
      cause:
        'Auth0 reads audience, and ignores resource unless the tenant has the Resource Parameter Compatibility Profile. Without audience the token is opaque and for /userinfo, which the MCP server cannot check.',
      wayOn:
        'Send audience with the identifier of the API. Or enable the Resource Parameter Compatibility Profile in the tenant’s settings, tab Advanced.',
      shownBy: [
        { rules: ['fresh-token-rejected'], notSent: 'audience' },
        { faults: ['fresh-token-rejected'], notSent: 'audience' },
        { says: ['The userinfo audience is not allowed for third party clients'] },
        { page: ['The userinfo audience is not allowed'], notSent: 'audience' },
      ],
      remedy: {
        label: 'Send audience and try again',
        settings: { extra: [{ name: 'audience', value: RESOURCE }] },
      },
      sources: [
        profile,
        audienceError,
        {
          title: 'danny-avila/LibreChat, issue 13401',
          url: 'https://github.com/danny-avila/LibreChat/issues/13401',
        },
      ],
    },
    {
      id: 'audience-client-credentials',
      title: 'The token request names no API',
      cause:
        'Auth0 rejects a token request of the client credentials grant without audience, if the tenant has no default audience.',
      wayOn: 'Send audience in the token request, with the identifier of the API.',
      shownBy: [{ says: ['No audience parameter was provided'] }],
      remedy: {
        label: 'Send audience and try again',
        settings: { tokenExtra: [{ name: 'audience', value: RESOURCE }] },
      },
      sources: [
        profile,
        {
          title: 'RhysSullivan/executor, pull request 1277',
          url: 'https://github.com/RhysSullivan/executor/pull/1277',
        },
      ],
    },
    {
      id: 'api',
      title: 'No API has this identifier',
      cause: 'Auth0 knows no API with the identifier that audience names: “Service not found”.',
      wayOn:
        'Create an API in the Auth0 dashboard whose identifier is the URL of the MCP server, or enter the identifier that it has as audience.',
      shownBy: [{ says: ['Service not found'] }],
      remedy: null,
      sources: [
        {
          title: 'Auth0 community, Access denied due to service not found',
          url: 'https://community.auth0.com/t/how-to-troubleshoot-access-denied-due-to-service-not-found-error/6822',
        },
      ],
    },
    {
      id: 'registration',
      title: 'Dynamic registration is off',
      cause:
        'Auth0 has dynamic registration off by default. Clients that register are third-party clients, which can use connections of the tenant only.',
      wayOn:
        'Turn on “OIDC Dynamic Application Registration” in the tenant’s settings, tab Advanced, and promote a connection to the domain level. Or create an application, and enter its client ID.',
      shownBy: [
        { rules: ['registration-unavailable'] },
        { faults: ['no-client'] },
        { steps: ['registration'], rules: ['registration-rejected'] },
      ],
      remedy: null,
      sources: [
        {
          title: 'Auth0, Tenant settings (auth0/docs, pull request 7921)',
          url: 'https://github.com/auth0/docs/pull/7921',
        },
        {
          title: 'Auth0, Dynamic Client Registration (auth0/docs, pull request 3137)',
          url: 'https://github.com/auth0/docs/pull/3137',
        },
      ],
    },
    {
      id: 'issuer-slash',
      title: 'The issuer of Auth0 ends with a slash',
      cause: 'The issuer of an Auth0 tenant is https://TENANT.auth0.com/, with a slash at the end.',
      wayOn: 'Have the MCP server name it with the slash in authorization_servers.',
      shownBy: [{ rules: ['issuer-slash-differs'] }],
      remedy: null,
      sources: [
        {
          title: 'danny-avila/LibreChat, issue 13401',
          url: 'https://github.com/danny-avila/LibreChat/issues/13401',
        },
      ],
    },
  ],
};

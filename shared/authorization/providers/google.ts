import type { KnownProvider, ProviderSource } from './provider.ts';

const webServer: ProviderSource = {
  title: 'Google Identity, Using OAuth 2.0 for Web Server Applications, Offline access',
  url: 'https://developers.google.com/identity/protocols/oauth2/web-server#offline',
};
const desktop: ProviderSource = {
  title: 'Google Identity, OAuth 2.0 for Desktop Apps',
  url: 'https://developers.google.com/identity/protocols/oauth2/native-app',
};

export const google: KnownProvider = {
  id: 'google',
  label: 'Google',
  hosts: ['accounts.google.com', 'oauth2.googleapis.com'],
  shapes: [{ authorization: '/o/oauth2/v2/auth' }, { authorization: '/o/oauth2/auth' }],
  marks: [],
  settings: {
    registration: 'pre-registered',
    authMethod: 'client_secret_post',
    extra: [
      { name: 'access_type', value: 'offline' },
      { name: 'prompt', value: 'consent' },
    ],
  },
  notes: [
    'access_type=offline and prompt=consent are sent, for a refresh token.',
    'Enter the client ID and the client secret of an OAuth client of the type “Desktop app”; it takes every port on this machine. Scopes are URLs, such as https://www.googleapis.com/auth/drive.readonly.',
  ],
  traps: [
    {
      id: 'issuer-slash',
      title: 'The MCP server names Google with a slash',
      cause:
        'MCP servers of Google name https://accounts.google.com/ in authorization_servers. The issuer in the metadata has no slash at the end, and since 2026-07-28 they must be identical.',
      wayOn:
        'Authorize by the rules of 2025-11-25, or continue anyway in a stepped flow. The server should name it without the slash.',
      shownBy: [{ rules: ['issuer-slash-differs'] }],
      remedy: null,
      sources: [
        { title: 'github/copilot-cli, issue 4606', url: 'https://github.com/github/copilot-cli/issues/4606' },
        {
          title: 'modelcontextprotocol/python-sdk, issue 1919',
          url: 'https://github.com/modelcontextprotocol/python-sdk/issues/1919',
        },
      ],
    },
    {
      id: 'registration',
      title: 'Google registers no clients by itself',
      cause: 'Google has no dynamic client registration, and reads no client ID metadata documents.',
      wayOn:
        'Create an OAuth client in the Google Cloud console (Google Auth Platform, Clients), and enter its client ID and client secret.',
      shownBy: [{ rules: ['registration-unavailable'] }, { faults: ['no-client'] }],
      remedy: null,
      sources: [
        {
          title: 'Google Cloud, Set up authentication for MCP servers, Limitations',
          url: 'https://docs.cloud.google.com/mcp/set-up-authentication-mcp-servers#limitations',
        },
        { title: 'google/mcp, issue 39', url: 'https://github.com/google/mcp/issues/39' },
      ],
    },
    {
      id: 'client-secret',
      title: 'Google demands the client secret',
      cause: 'The token endpoint of Google demands client_secret of desktop and web clients, also with PKCE.',
      wayOn:
        'Enter the client secret that the console shows for the client. That of a desktop client is not confidential.',
      shownBy: [{ says: ['client_secret is missing'] }],
      remedy: null,
      sources: [
        {
          title: 'taylorwilsdon/google_workspace_mcp, issue 1008',
          url: 'https://github.com/taylorwilsdon/google_workspace_mcp/issues/1008',
        },
        { title: 'openai/codex, issue 40783', url: 'https://github.com/openai/codex/issues/40783' },
      ],
    },
    {
      id: 'refresh-token',
      title: 'There is no refresh token',
      cause:
        'Google issues a refresh token only for access_type=offline, and only when the user consents: at the first authorization of a client, or with prompt=consent.',
      wayOn: 'Send access_type=offline and prompt=consent in the authorization request.',
      shownBy: [{ steps: ['token'], status: [200], lacks: 'refresh_token' }],
      remedy: {
        label: 'Ask for a refresh token and try again',
        settings: {
          extra: [
            { name: 'access_type', value: 'offline' },
            { name: 'prompt', value: 'consent' },
          ],
        },
      },
      sources: [
        webServer,
        {
          title: 'Stack Overflow, Not receiving Google OAuth refresh token',
          url: 'https://stackoverflow.com/questions/10827920/not-receiving-google-oauth-refresh-token',
        },
      ],
    },
    {
      id: 'offline-access',
      title: 'Google has no scope offline_access',
      cause:
        'Google answers Error 400: invalid_scope for scopes that it does not know, offline_access among them. Its scopes are URLs, besides openid, email and profile.',
      wayOn: 'Enter the scopes as URLs, without offline_access. access_type=offline takes its place.',
      shownBy: [
        { says: ['Some requested scopes were invalid'] },
        { page: ['Some requested scopes were invalid', 'invalid_scope'], sent: 'scope' },
      ],
      remedy: null,
      sources: [
        {
          title: 'giantswarm/mcp-oauth, issue 156',
          url: 'https://github.com/giantswarm/mcp-oauth/issues/156',
        },
      ],
    },
    {
      id: 'redirect',
      title: 'The redirect URI is not registered',
      cause:
        'Error 400: redirect_uri_mismatch. An OAuth client of the type “Web application” takes exactly the URIs that are entered for it; one of the type “Desktop app” takes every loopback URI.',
      wayOn:
        'Use an OAuth client of the type “Desktop app”. Or enter a port for the redirect, and add that redirect URI to the client.',
      shownBy: [{ says: ['redirect_uri_mismatch'] }, { page: ['redirect_uri_mismatch'] }],
      remedy: null,
      sources: [desktop],
    },
  ],
};

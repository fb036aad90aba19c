import type { KnownProvider, ProviderSource } from './provider.ts';

const flow: ProviderSource = {
  title: 'GitHub Docs, Authorizing OAuth apps, Web application flow',
  url: 'https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps',
};
const errors: ProviderSource = {
  title: 'GitHub Docs, Troubleshooting OAuth app access token request errors',
  url: 'https://docs.github.com/en/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors',
};

export const github: KnownProvider = {
  id: 'github',
  label: 'GitHub',
  hosts: ['github.com', '*.ghe.com'],
  // Gitea has the same endpoints, but its issuer has no path.
  shapes: [{ issuer: '/login/oauth' }],
  marks: [],
  settings: {
    registration: 'pre-registered',
    authMethod: 'client_secret_post',
    redirect: { host: '127.0.0.1', port: null, path: '/callback' },
  },
  notes: [
    'The client secret is sent in the form, and the redirect is on 127.0.0.1, where GitHub ignores the port.',
    'Enter the client ID and the client secret of an OAuth app or a GitHub App.',
  ],
  traps: [
    {
      id: 'metadata-path',
      title: 'The metadata of GitHub is at one URL only',
      cause:
        'GitHub has metadata at https://github.com/.well-known/oauth-authorization-server/login/oauth, with the path after it, and none for OpenID Connect. GitHub Enterprise Server has none at all.',
      wayOn:
        'Clients before 2025-06-18 ask elsewhere: authorize by the rules of a later revision. For GitHub Enterprise Server an authorization server with metadata has to stand before it.',
      shownBy: [{ faults: ['no-authorization-metadata'] }, { rules: ['server-metadata-missing'] }],
      remedy: null,
      sources: [
        {
          title: 'github/github-mcp-server, issue 2901',
          url: 'https://github.com/github/github-mcp-server/issues/2901',
        },
        {
          title: 'github/github-mcp-server, pull request 2900',
          url: 'https://github.com/github/github-mcp-server/pull/2900',
        },
      ],
    },
    {
      id: 'registration',
      title: 'GitHub registers no clients by itself',
      cause: 'GitHub has no dynamic client registration, and reads no client ID metadata documents.',
      wayOn:
        'Create an OAuth app or a GitHub App (Settings, Developer settings), and enter its client ID and client secret.',
      shownBy: [{ rules: ['registration-unavailable'] }, { faults: ['no-client'] }],
      remedy: null,
      sources: [
        {
          title: 'github/github-mcp-server, issue 2532',
          url: 'https://github.com/github/github-mcp-server/issues/2532',
        },
      ],
    },
    {
      id: 'client-secret',
      title: 'GitHub demands the client secret',
      cause:
        'incorrect_client_credentials: the client ID or the client secret is wrong or missing. The web application flow demands the secret, also with PKCE.',
      wayOn: 'Enter the client secret of the app.',
      shownBy: [{ says: ['incorrect_client_credentials'] }],
      remedy: null,
      sources: [errors, flow],
    },
    {
      id: 'code',
      title: 'The code is wrong or has expired',
      cause:
        'bad_verification_code: the code was used already, is more than 10 minutes old, or belongs to another request. GitHub says so with HTTP status 200.',
      wayOn: 'Authorize again, for a new code.',
      shownBy: [{ says: ['bad_verification_code'] }],
      remedy: null,
      sources: [errors],
    },
    {
      id: 'redirect',
      title: 'The redirect URI does not match',
      cause:
        'redirect_uri_mismatch: the host and path of the redirect URI must be those of the app’s callback URL. GitHub ignores the port of a loopback URL.',
      wayOn: 'Make http://127.0.0.1/callback the callback URL of the app.',
      shownBy: [{ says: ['redirect_uri_mismatch'] }, { page: ['redirect_uri_mismatch'] }],
      remedy: {
        label: 'Use 127.0.0.1 and try again',
        settings: { redirect: { host: '127.0.0.1', port: null, path: '/callback' } },
      },
      sources: [errors, { ...flow, title: 'GitHub Docs, Authorizing OAuth apps, Loopback redirect urls' }],
    },
    {
      id: 'form-encoded',
      title: 'The token response is not JSON',
      cause:
        'GitHub answers access_token=…&scope=…&token_type=bearer unless the token request has the header Accept: application/json.',
      wayOn:
        'Send the header Accept: application/json with the token request, as Sightglass does unless you remove it.',
      shownBy: [
        { steps: ['token', 'refresh'], rules: ['response-not-json'] },
        { steps: ['token', 'refresh'], rules: ['content-type-not-json'] },
      ],
      remedy: null,
      sources: [flow],
    },
    {
      id: 'error-with-200',
      title: 'GitHub says errors with HTTP status 200',
      cause: 'GitHub answers a rejected token request with HTTP status 200 and an error in the body.',
      wayOn: 'Read the error in the body, not the status. Nothing has to change here.',
      shownBy: [{ steps: ['token', 'refresh'], rules: ['error-with-200'] }],
      remedy: null,
      sources: [errors],
    },
    {
      id: 'scopes',
      title: 'GitHub separates scopes by commas',
      cause:
        'scope of the token response is repo,gist. Clients that split it at spaces take it for one scope, and miss those that they asked for.',
      wayOn: 'Read the scope as a list with commas. It is the same scope; nothing has to change here.',
      shownBy: [{ steps: ['token'], rules: ['scope-separated-by-commas'] }],
      remedy: null,
      sources: [flow],
    },
    {
      id: 'expiry',
      title: 'The token has no expiry, and no refresh token comes with it',
      cause:
        'The response for an OAuth app has access_token, scope and token_type only. The tokens of GitHub Apps expire, if the app opts in, and come with a refresh token.',
      wayOn: 'Nothing has to change here. For tokens that expire use a GitHub App.',
      shownBy: [{ steps: ['token'], rules: ['expiry-missing'] }],
      remedy: null,
      sources: [
        flow,
        {
          title: 'GitHub Docs, Refreshing user access tokens',
          url: 'https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/refreshing-user-access-tokens',
        },
      ],
    },
  ],
};

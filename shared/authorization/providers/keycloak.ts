import type { KnownProvider, ProviderSource } from './provider.ts';

const guide: ProviderSource = {
  title: 'Keycloak, Integrating with Model Context Protocol (MCP)',
  url: 'https://www.keycloak.org/securing-apps/mcp-authz-server',
};

export const keycloak: KnownProvider = {
  id: 'keycloak',
  label: 'Keycloak',
  hosts: [],
  shapes: [
    { issuer: '/realms/*' },
    { issuer: '/auth/realms/*' },
    { authorization: '/realms/*/protocol/openid-connect/auth' },
    { authorization: '/auth/realms/*/protocol/openid-connect/auth' },
  ],
  marks: ['rejected request to client-registration service'],
  settings: {},
  notes: [
    'Nothing has to be set here. If registration is rejected, enter an initial access token or a client ID.',
  ],
  traps: [
    {
      id: 'trusted-hosts',
      title: 'Registration comes from a host that is not trusted',
      cause:
        'The policy “Trusted Hosts” of anonymous client registration takes requests and redirect URIs only of the hosts that it lists, none at first.',
      wayOn:
        'Add the host of this machine and that of the redirect URI to “Trusted Hosts” (Clients, Client registration). Or enter an initial access token, or the client ID of a client that you create.',
      shownBy: [{ says: ["Policy 'Trusted Hosts' rejected request"] }],
      remedy: null,
      sources: [
        guide,
        {
          title: 'opensearch-project/opensearch-mcp-server-py, pull request 227',
          url: 'https://github.com/opensearch-project/opensearch-mcp-server-py/pull/227',
        },
      ],
    },
    {
      id: 'client-scopes',
      title: 'Registration asks for scopes that are not allowed',
      cause:
        'The policy “Allowed Client Scopes” of anonymous client registration does not have a scope that the client registers.',
      wayOn:
        'Add the scopes of the MCP server to “Allowed Client Scopes” (Clients, Client registration), or enter other scopes.',
      shownBy: [{ says: ["Policy 'Allowed Client Scopes' rejected request"] }],
      remedy: null,
      sources: [guide],
    },
    {
      id: 'web-origins',
      title: 'Registration comes from a web origin that is not allowed',
      cause:
        'The policy “Allowed Registration Web Origins” has to list the origin of a client that registers from a page in the browser. Sightglass registers from its engine, which has none.',
      wayOn:
        'Add the origin of that client to “Allowed Registration Web Origins” (Clients, Client registration).',
      shownBy: [{ says: ["Policy 'Allowed Registration Web Origins' rejected request"] }],
      remedy: null,
      sources: [guide],
    },
    {
      id: 'max-clients',
      title: 'The realm has too many clients',
      cause:
        'The policy “Max Clients Limit” of anonymous client registration has been reached: every client that registers stays.',
      wayOn: 'Delete clients that are not used any more, raise the limit, or enter a client ID.',
      shownBy: [{ says: ["Policy 'Max Clients Limit' rejected request"] }],
      remedy: null,
      sources: [
        {
          title: 'quarkusio/quarkus, pull request 43120',
          url: 'https://github.com/quarkusio/quarkus/pull/43120',
        },
      ],
    },
    {
      id: 'audience',
      title: 'The token is not for the MCP server',
      cause:
        'Keycloak does not recognize resource unless it runs with the experimental feature resource-indicators, so aud is what the mappers of the client scopes add.',
      wayOn:
        'Add a mapper of the type Audience to a client scope that the client asks for, with the URL of the MCP server as “Included Custom Audience”. Or start Keycloak with --features=resource-indicators.',
      shownBy: [
        { rules: ['token-audience-differs'] },
        { rules: ['fresh-token-rejected'] },
        { faults: ['fresh-token-rejected'] },
      ],
      remedy: null,
      sources: [guide],
    },
    {
      id: 'resource',
      title: 'Keycloak does not know the resource',
      cause:
        'With the feature resource-indicators, resource must be the resource_url of a client in the realm.',
      wayOn:
        'Create a client for the MCP server whose attribute resource_url is its URL, and give the client here an Audience mapper for it. Or leave resource out.',
      shownBy: [{ rules: ['resource-rejected'] }, { says: ['invalid_target'] }],
      remedy: { label: 'Leave out resource and try again', settings: { dropped: ['resource'] } },
      sources: [guide],
    },
  ],
};

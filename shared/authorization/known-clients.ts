import type { AuthorizationSettings } from '../contract/authorization.ts';

/** How a known client behaves in authorization. Only what its evidence says; null and `auto` for what it does not say. */
export interface KnownClient {
  /** Stable name. */
  readonly id: string;
  readonly label: string;
  /** In the order of its registration; `PORT` stands for a port that it chooses. */
  readonly redirectUris: readonly string[];
  readonly registration: AuthorizationSettings['registration'];
  /** Separated by spaces; null for those that the server asks for. */
  readonly scopes: string | null;
  readonly authMethod: AuthorizationSettings['authMethod'];
  /** `client_name` of its registration. */
  readonly clientName: string | null;
  /** Where this is documented. */
  readonly evidence: string;
}

/** In alphabetical order. */
export const knownClients: readonly KnownClient[] = [
  {
    id: 'claude',
    label: 'Claude (connectors)',
    redirectUris: ['https://claude.ai/api/mcp/auth_callback'],
    registration: 'dynamic',
    scopes: null,
    authMethod: 'auto',
    clientName: 'Claude',
    evidence: 'support.claude.com, article 11503834, Building custom connectors via remote MCP servers',
  },
  {
    id: 'claude-code',
    label: 'Claude Code',
    redirectUris: ['http://localhost:PORT/callback'],
    registration: 'auto',
    scopes: null,
    authMethod: 'auto',
    clientName: null,
    evidence: 'github.com/anthropics/claude-code, issue 66511; developer.webex.com, Claude Code',
  },
  {
    id: 'cursor',
    label: 'Cursor',
    redirectUris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
    registration: 'auto',
    scopes: null,
    authMethod: 'auto',
    clientName: null,
    evidence: 'docs.zuora.com, Redirect URIs by MCP client; docs.pipeshub.com, mcp/cursor',
  },
  {
    id: 'mcp-inspector',
    label: 'MCP Inspector 0.x',
    redirectUris: ['http://localhost:6274/oauth/callback', 'http://localhost:6274/oauth/callback/debug'],
    registration: 'dynamic',
    scopes: null,
    authMethod: 'none',
    clientName: 'MCP Inspector',
    evidence: 'github.com/modelcontextprotocol/inspector, client/src/lib/auth.ts',
  },
  {
    id: 'mcp-remote',
    label: 'mcp-remote',
    redirectUris: ['http://localhost:PORT/oauth/callback'],
    registration: 'dynamic',
    scopes: null,
    authMethod: 'none',
    clientName: 'MCP CLI Proxy',
    evidence:
      'github.com/geelen/mcp-remote, README.md (--host), src/lib/node-oauth-client-provider.ts and src/proxy.ts',
  },
  {
    id: 'vscode',
    label: 'Visual Studio Code',
    redirectUris: [
      'http://127.0.0.1:33418/',
      'http://127.0.0.1/',
      'https://vscode.dev/redirect',
      'https://insiders.vscode.dev/redirect',
    ],
    registration: 'dynamic',
    scopes: null,
    authMethod: 'none',
    clientName: null,
    evidence: 'github.com/microsoft/vscode, src/vs/base/common/oauth.ts',
  },
];

/** The settings to fill in. The redirect stays as it is for a client that has none on this machine. */
export function settingsOf({
  redirectUris,
  registration,
  scopes,
  authMethod,
  clientName,
}: KnownClient): Partial<AuthorizationSettings> {
  const redirect = redirectUris.map(redirectOf).find((one) => one !== null) ?? null;
  return { registration, scopes, authMethod, clientName, ...(redirect !== null && { redirect }) };
}

/** Where Sightglass cannot act as that client, in sentences; none if it can. */
export function limitsOf({ label, redirectUris }: KnownClient): string[] {
  const [own, ...others] = redirectUris.filter((uri) => redirectOf(uri) !== null);
  const elsewhere = redirectUris.filter((uri) => redirectOf(uri) === null);
  if (own === undefined)
    return [
      `Sightglass cannot act as ${label}: its redirect URI ${elsewhere.join(', ')} is not a loopback URL, so the redirect below is used.`,
    ];
  const further = [...others, ...elsewhere];
  return further.length === 0
    ? []
    : [`${label} also registers ${further.join(', ')}. Sightglass registers only the redirect below.`];
}

/** A redirect URI as the settings have it; null if it is not on this machine. */
function redirectOf(uri: string): AuthorizationSettings['redirect'] | null {
  const [, host, port, path] =
    /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(?::(\d+|PORT))?(\/.*)$/.exec(uri) ?? [];
  if (path === undefined) return null;
  return {
    host: host === 'localhost' || host === '[::1]' ? host : '127.0.0.1',
    port: port === undefined || port === 'PORT' ? null : Number(port),
    path,
  };
}

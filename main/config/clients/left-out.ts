import type { FileFormat } from '#shared/client-formats/format.ts';
import type { TransportSettings } from '#shared/contract/servers.ts';

const connects = 'Sightglass connects only when you ask for it.';
const toolRights = 'Each client decides for itself which tools it offers, and which run without a question.';
const authorization =
  'This is how the other client authorizes. Sightglass authorizes on its own when it connects.';
const timeouts = 'Clients mean different units. Set the timeouts here if the defaults do not fit.';
const isShown = 'It is only shown by the other client.';

/** Why keys that clients use have no effect here. */
const reasons: Readonly<Record<string, string>> = {
  disabled: connects,
  enabled: connects,
  autostart: connects,
  start_on_launch: connects,
  required: connects,
  autoApprove: toolRights,
  alwaysAllow: toolRights,
  disabledTools: toolRights,
  enabledTools: toolRights,
  disabled_tools: toolRights,
  enabled_tools: toolRights,
  available_tools: toolRights,
  includeTools: toolRights,
  excludeTools: toolRights,
  default_tools_approval_mode: toolRights,
  tools: toolRights,
  auth: authorization,
  oauth: authorization,
  oauthScopes: authorization,
  oauth_resource: authorization,
  scopes: authorization,
  authProviderType: authorization,
  headersHelper: 'Sightglass runs no program to get headers. Add the headers themselves.',
  envFile: 'Sightglass reads no file of variables. Add those that the server needs.',
  timeout: timeouts,
  initTimeout: timeouts,
  connectionTimeout: timeouts,
  startup_timeout_sec: timeouts,
  startup_timeout_ms: timeouts,
  tool_timeout_sec: timeouts,
  dev: 'Sightglass does not restart a server when its files change.',
  settings: 'An extension of Zed passes these to the server.',
  source: 'Only Zed needs to know where the entry comes from.',
  gallery: 'It only tells VS Code where the entry comes from.',
  version: 'It only tells VS Code where the entry comes from.',
  description: isShown,
  icon: isShown,
  iconPath: isShown,
  faviconUrl: isShown,
  name: 'The key of the entry is the name.',
};

const headerKeys: ReadonlySet<string> = new Set([
  'headers',
  'http_headers',
  'env_http_headers',
  'requestOptions',
]);
const urlKeys: ReadonlySet<string> = new Set(['url', 'serverUrl', 'httpUrl', 'uri']);
const envKeys: ReadonlySet<string> = new Set(['env', 'envs', 'environment', 'env_keys', 'env_vars']);
const processKeys: ReadonlySet<string> = new Set(['args', 'cwd', 'working_directory']);

/** Why a key of an entry has no effect here. */
export function whyLeftOut(
  key: string,
  kind: TransportSettings['kind'],
  { keys, reasons: own, label }: FileFormat,
): string {
  const reason = own[key] ?? reasons[key.slice(key.lastIndexOf('.') + 1)];
  if (reason !== undefined) return reason;
  const isStdio = kind === 'stdio';
  if (urlKeys.has(key))
    return isStdio
      ? 'A server that is started as a process has no address.'
      : `A second address: ${label} uses the one of another key first.`;
  const ownHeaders = [keys.headerVariables, keys.bearerVariable, keys.bearer];
  if ((headerKeys.has(key) || ownHeaders.includes(key)) && isStdio)
    return 'A server that is started as a process has no headers.';
  if (processKeys.has(key) && !isStdio) return 'A server that is reached at an address is not started.';
  if (envKeys.has(key)) {
    return isStdio
      ? `${label} ignores this key: it reads "${keys.env}".`
      : 'A server that is reached at an address has no variables.';
  }
  return 'Sightglass does not know this key.';
}

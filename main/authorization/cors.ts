import { corsEndpoints, corsLabel, missingOf } from '#shared/authorization/cors.ts';
import type { AuthorizationStep } from '#shared/contract/authorization.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { eraOf } from '#shared/protocol/revisions.ts';
import { resourceCandidates, serverCandidates } from './metadata-candidates.ts';
import type { FlowContext, FlowEnvironment, PlannedStep } from './flow-types.ts';
import { textOf } from './metadata.ts';
import { withoutSecretsOf } from './resource.ts';
import { prepareRequest } from './step-request.ts';

/** What a page would send to one endpoint. */
interface Endpoint {
  readonly name: string;
  readonly url: string;
  readonly party: 'mcp-server' | 'authorization-server';
  readonly method: 'GET' | 'POST';
  /** Headers that need a permission, in small letters (Fetch, CORS-unsafe request-header names). */
  readonly headers: readonly string[];
  /** Whether the response to a GET is looked at too: a POST would register, or ask for a token. */
  readonly isRead: boolean;
}

/** An origin as a browser writes it (RFC 6454 section 6.1). @throws FaultError */
export function requireOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.origin === text.replace(/\/$/, ''))
    return url.origin;
  throw new FaultError({
    code: 'not-an-origin',
    what: 'This is not the origin of a page.',
    next: 'Enter the scheme, host and port, such as http://localhost:6274.',
    evidence: text.slice(0, 300),
  });
}

/**
 * Asks each known endpoint whether a page of this origin could use it: a preflight (OPTIONS), and a GET where that changes
 * nothing. No credentials are sent.
 *
 * @param steps those of the flow, which know where metadata was found
 */
export function planCors(
  env: FlowEnvironment,
  context: FlowContext,
  { origin, steps }: { readonly origin: string; readonly steps: readonly AuthorizationStep[] },
): PlannedStep[] {
  return endpointsOf(env, context, steps).flatMap((endpoint) => {
    const preflight = planRequest(context, endpoint, {
      kind: 'preflight',
      method: 'OPTIONS',
      headers: [
        ['Origin', origin],
        ['Access-Control-Request-Method', endpoint.method],
        ...(endpoint.headers.length === 0
          ? []
          : [['Access-Control-Request-Headers', endpoint.headers.toSorted().join(',')] as const]),
        ['User-Agent', env.userAgent],
      ],
    });
    if (!endpoint.isRead) return [preflight];
    const accept =
      endpoint.party === 'mcp-server' && endpoint.method === 'POST'
        ? 'text/event-stream'
        : 'application/json';
    const read = planRequest(context, endpoint, {
      kind: 'request',
      method: 'GET',
      headers: [
        ['Accept', accept],
        ['MCP-Protocol-Version', env.rules.revision],
        ['Origin', origin],
        ['User-Agent', env.userAgent],
      ],
    });
    return [preflight, read];
  });
}

interface Sent {
  readonly kind: 'preflight' | 'request';
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

function planRequest(
  context: FlowContext,
  { name, url, party }: Endpoint,
  { kind, method, headers }: Sent,
): PlannedStep {
  const label = corsLabel(name, kind);
  const target = new URL(url);
  const query = [...target.searchParams].map(([key, value]) => ({ name: key, value }));
  target.search = '';
  const request = prepareRequest({
    method,
    url: target.href,
    query,
    headers: headers.map(([key, value]) => ({ name: key, value })),
  });
  return {
    name: 'check-cors',
    label,
    parties: ['client', party],
    request,
    decidedBy: {
      text:
        kind === 'preflight'
          ? 'A browser asks first whether the page may send its request.'
          : 'A browser hands the response to the page only if it says so.',
      source: kind === 'preflight' ? 'Fetch, CORS-preflight fetch' : 'Fetch, CORS check',
    },
    alternatives: [],
    contextIfSkipped: null,
    act: {
      kind: 'exchange',
      failed: ({ what }) => ({ context, outcome: `Unknown: ${what}` }),
      conclude: ({ status, shown }) => {
        const response = {
          status,
          headers: shown.headers.map((one): [string, string] => [...one]),
          body: null,
        };
        const missing = missingOf({ label, request: request.shown, response });
        const outcome =
          missing.length === 0 ? 'The page may use it.' : missing.map(({ text }) => text).join(' ');
        return { context, outcome };
      },
    },
  };
}

function endpointsOf(
  env: FlowEnvironment,
  context: FlowContext,
  steps: readonly AuthorizationStep[],
): Endpoint[] {
  const { revision } = env.rules;
  const isModern = eraOf(revision) === 'modern';
  const foundAt = (name: AuthorizationStep['name']): string | null =>
    steps.findLast((one) => one.name === name && one.response?.status === 200)?.request?.url ?? null;
  const [resource] = resourceCandidates(env.serverUrl, foundAt('resource-metadata'));
  const issuer = context.issuer ?? env.serverUrl.origin;
  const [server] = serverCandidates(issuer, env.rules.triesOpenId);
  // Without metadata the endpoints of 2025-03-26 are used.
  const isDefault = context.serverMetadata === null;
  const named = (member: string, path: string): string | null =>
    isDefault ? `${env.serverUrl.origin}${path}` : textOf(context.serverMetadata, member);
  const metadata = { method: 'GET', headers: ['mcp-protocol-version'], isRead: true } as const;
  const all: (Omit<Endpoint, 'url'> & { readonly url: string | null })[] = [
    {
      name: corsEndpoints.mcp,
      url: env.serverUrl.href,
      party: 'mcp-server',
      method: 'POST',
      headers: [
        'authorization',
        'content-type',
        'mcp-protocol-version',
        ...(isModern ? ['mcp-method', 'mcp-name'] : ['mcp-session-id']),
      ],
      isRead: true,
    },
    {
      name: corsEndpoints.resourceMetadata,
      url: resource?.url ?? null,
      party: 'mcp-server',
      ...metadata,
    },
    {
      name: corsEndpoints.serverMetadata,
      url: foundAt('server-metadata') ?? server?.url ?? null,
      party: 'authorization-server',
      ...metadata,
    },
    {
      name: corsEndpoints.registration,
      url: named('registration_endpoint', '/register'),
      party: 'authorization-server',
      method: 'POST',
      headers: ['content-type'],
      isRead: false,
    },
    {
      name: corsEndpoints.token,
      url: named('token_endpoint', '/token'),
      party: 'authorization-server',
      method: 'POST',
      // A form needs no permission; the secret of a client in a header does.
      headers: ['authorization'],
      isRead: false,
    },
  ];
  return all.flatMap(({ url, ...one }) => {
    if (url === null || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return [];
    return [{ ...one, url: withoutSecretsOf(env, url) }];
  });
}

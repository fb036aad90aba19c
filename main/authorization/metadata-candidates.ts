import { challengesOf, oauthChallenge } from '#shared/authorization/challenge.ts';
import type { FlowContext, FlowEnvironment, PlannedStep } from './flow-types.ts';
import { readMetadata } from './metadata.ts';
import { prepareRequest, type PreparedRequest } from './step-request.ts';

/** A URL at which metadata may be. */
export interface Candidate {
  readonly url: string;
  readonly label: string;
  readonly source: string;
  /** Whether the challenge named it. */
  readonly isNamed?: true;
}

/** `/.well-known/NAME` inserted between host and path, and the path without a slash at its end. */
function wellKnown(base: URL, name: string): { inserted: string; root: string; path: string } {
  const path = base.pathname.replace(/\/$/, '');
  return {
    inserted: `${base.origin}/.well-known/${name}${path}`,
    root: `${base.origin}/.well-known/${name}`,
    path,
  };
}

/**
 * Where the resource metadata of a server may be, in the order in which they are tried (RFC 9728 sections 3 and 5.1). No revision says
 * what a client does if the URL of the challenge has none, so the well-known URLs come after it.
 *
 * @param named the URL in the challenge; null without one
 */
export function resourceCandidates(serverUrl: URL, named: string | null): Candidate[] {
  const { inserted, root, path } = wellKnown(serverUrl, 'oauth-protected-resource');
  const source = 'RFC 9728 3.1';
  const all: Candidate[] = [
    ...(named === null
      ? []
      : [{ url: named, label: 'named by the challenge', source: 'RFC 9728 5.1', isNamed: true } as const]),
    { url: `${inserted}${serverUrl.search}`, label: 'path inserted', source },
    ...(path === '' ? [] : [{ url: root, label: 'root', source }]),
  ];
  return all.filter(({ url }, index) => all.findIndex((one) => one.url === url) === index);
}

/** The URL of resource metadata in the challenge; null if there is none that may be requested. */
export function namedMetadata({ demand }: Pick<FlowContext, 'demand'>): string | null {
  const challenge = oauthChallenge(challengesOf(demand?.headers ?? []));
  const named = challenge?.parameters.get('resource_metadata') ?? null;
  return named !== null && isHttpUrl(named) ? named : null;
}

/** Whether a text is an absolute http or https URL. */
export const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Where the metadata of an authorization server may be (RFC 8414 section 3, OpenID Connect Discovery 4; MCP authorization). */
export function serverCandidates(issuer: string, triesOpenId: boolean): Candidate[] {
  const base = new URL(issuer);
  const oauth = wellKnown(base, 'oauth-authorization-server');
  const candidates: Candidate[] = [{ url: oauth.inserted, label: 'OAuth 2.0', source: 'RFC 8414 3.1' }];
  if (!triesOpenId) return candidates;
  const openId = wellKnown(base, 'openid-configuration');
  candidates.push({ url: openId.inserted, label: 'OpenID, path inserted', source: 'RFC 8414 5' });
  if (openId.path !== '') {
    candidates.push({
      url: `${base.origin}${openId.path}/.well-known/openid-configuration`,
      label: 'OpenID, path appended',
      source: 'OpenID Connect Discovery 4',
    });
  }
  return candidates;
}

/** How a step says in which order a candidate is tried. @param index from 0 */
export const ordinal = (index: number): string =>
  ['first', 'second', 'third'][index] ?? `as number ${index + 1}`;

/** The request for a document of metadata. */
export function getRequest(env: FlowEnvironment, url: string): PreparedRequest {
  return prepareRequest({
    method: 'GET',
    url,
    headers: [
      { name: 'Accept', value: 'application/json' },
      {
        name: 'MCP-Protocol-Version',
        value: env.rules.revision,
        note: 'demanded by 2025-03-26, allowed by later revisions',
      },
      { name: 'User-Agent', value: env.userAgent },
    ],
  });
}

/** Requests every URL that metadata could have. */
export function planScan(env: FlowEnvironment, context: FlowContext): PlannedStep[] {
  const resources = resourceCandidates(env.serverUrl, namedMetadata(context));
  const servers = serverCandidates(context.issuer ?? env.serverUrl.origin, true);
  const planned =
    (name: 'resource-metadata' | 'server-metadata') =>
    ({ url, label, source }: Candidate): PlannedStep => ({
      name,
      label: `scan, ${label}`,
      parties: ['client', name === 'resource-metadata' ? 'mcp-server' : 'authorization-server'],
      request: getRequest(env, url),
      decidedBy: { text: 'Every URL that metadata could have is tried.', source },
      alternatives: [],
      contextIfSkipped: null,
      act: {
        kind: 'exchange',
        failed: ({ what }) => ({ context, outcome: `Not usable: ${what}` }),
        conclude: (response) => {
          const read = readMetadata(response);
          const outcome = 'why' in read ? `Not usable: ${read.why.replace(/\.$/, '')}.` : 'It has metadata.';
          return { context, outcome };
        },
      },
    });
  return [...resources.map(planned('resource-metadata')), ...servers.map(planned('server-metadata'))];
}

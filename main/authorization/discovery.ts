import type { Fault } from '#shared/contract/fault.ts';
import { isLoopback } from '#shared/loopback.ts';
import { checkResourceMetadata } from './checks/resource-metadata.ts';
import { differenceOf } from './checks/urls.ts';
import { checkServerMetadata } from './checks/server-metadata.ts';
import { challengesOf, oauthChallenge } from '#shared/authorization/challenge.ts';
import { canContinue } from './continue-anyway.ts';
import type { FlowResponse } from './exchange.ts';
import type {
  Conclusion,
  FlowContext,
  FlowEnvironment,
  Metadata,
  PlannedStep,
  TriedUrl,
} from './flow-types.ts';
import { listOf, readMetadata, textOf } from './metadata.ts';
import { withFindings } from './step-findings.ts';
import { prepareRequest, type PreparedRequest } from './step-request.ts';

/** A URL at which metadata may be. */
export interface Candidate {
  readonly url: string;
  readonly label: string;
  readonly source: string;
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

/** Where the resource metadata of a server may be, in the order in which they are tried (RFC 9728 sections 3 and 5.1). */
export function resourceCandidates(serverUrl: URL, named: string | null): Candidate[] {
  if (named !== null) {
    return [{ url: named, label: 'named by the challenge', source: 'RFC 9728 5.1' }];
  }
  const { inserted, root, path } = wellKnown(serverUrl, 'oauth-protected-resource');
  const candidates = [
    { url: `${inserted}${serverUrl.search}`, label: 'path inserted', source: 'RFC 9728 3.1' },
  ];
  if (path !== '') candidates.push({ url: root, label: 'root', source: 'RFC 9728 3.1' });
  return candidates;
}

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

/** The next URL of resource metadata to try; null if none is left. */
export function planResourceMetadata(env: FlowEnvironment, context: FlowContext): PlannedStep | null {
  const challenge = oauthChallenge(challengesOf(context.demand?.headers ?? []));
  const named = challenge?.parameters.get('resource_metadata') ?? null;
  const usable = named !== null && URL.canParse(named) ? named : null;
  const candidates = resourceCandidates(env.serverUrl, usable);
  const index = context.resourceTried.length;
  const candidate = candidates[index];
  if (candidate === undefined) return null;
  const tried = (why: string): FlowContext => ({
    ...context,
    resourceTried: [...context.resourceTried, { url: candidate.url, why }],
  });
  return {
    name: 'resource-metadata',
    label: candidate.label,
    parties: ['client', 'mcp-server'],
    request: getRequest(env, candidate.url),
    decidedBy: { text: `It is tried ${ordinal(index)}: ${candidate.label}.`, source: candidate.source },
    alternatives: candidates.slice(index + 1).map(({ url }) => ({
      label: url,
      why: 'It is tried only if this one cannot be used.',
    })),
    contextIfSkipped: tried('skipped'),
    act: {
      kind: 'exchange',
      failed: (fault) => unusable(tried(fault.what), fault.what),
      conclude: (response) => {
        const checked = checkResourceMetadata(response, {
          revision: env.rules.revision,
          serverUrl: env.serverUrl.href,
          isNamed: usable !== null,
        });
        const concluded = concludeResource(env, context, response, tried);
        return withFindings(
          { ...concluded, canOverride: concluded.canOverride === true && canContinue(checked.findings) },
          checked,
          response.status === 200
            ? { response, question: { kind: 'resource-metadata', serverUrl: env.serverUrl.href } }
            : null,
        );
      },
    },
  };
}

const ordinal = (index: number): string => ['first', 'second', 'third'][index] ?? `as number ${index + 1}`;

const unusable = (context: FlowContext, why: string): Conclusion => ({
  context,
  outcome: `Not usable: ${why.replace(/\.$/, '')}.`,
});

function concludeResource(
  env: FlowEnvironment,
  context: FlowContext,
  response: FlowResponse,
  tried: (why: string) => FlowContext,
): Conclusion {
  const read = readMetadata(response);
  if ('why' in read) return unusable(tried(read.why), read.why);
  const { value } = read;
  const concluded = concludeIssuers({ ...context, resourceMetadata: value });
  const resource = textOf(value, 'resource');
  if (resource !== null && isResourceOf(resource, env.serverUrl)) return concluded;
  return {
    ...concluded,
    outcome: 'It is the metadata of another resource.',
    fault: otherResource(resource, env.serverUrl),
    canOverride: mayContinue(concluded),
  };
}

/** Whether a flow can continue after what was concluded so far, if the user wants to. */
const mayContinue = ({ fault, canOverride }: Conclusion): boolean => fault == null || canOverride === true;

/** What the metadata says of authorization servers. */
function concludeIssuers(after: FlowContext): Conclusion {
  const issuers = listOf(after.resourceMetadata, 'authorization_servers') ?? [];
  const [only] = issuers;
  if (only === undefined) {
    // Who continues takes the origin of the server, as before there was resource metadata (MCP 2025-03-26).
    return {
      context: after,
      outcome: 'It names no authorization server.',
      fault: noServers,
      canOverride: true,
    };
  }
  const wrong = issuers.find((issuer) => !isHttpUrl(issuer));
  if (issuers.length === 1 && wrong !== undefined) {
    return { context: after, outcome: 'Its authorization server is not a URL.', fault: noIssuerUrl(wrong) };
  }
  return issuers.length === 1
    ? { context: { ...after, issuer: only }, outcome: `The authorization server is ${only}.` }
    : { context: after, outcome: `It names ${issuers.length} authorization servers.` };
}

const isHttpUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/**
 * Whether a token for this resource is for the server: the same URL, or one above its path on the same origin (RFC 9728 section 3.3
 * demands equality; servers with metadata at the root name their origin).
 */
export function isResourceOf(resource: string, serverUrl: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const named = new URL(resource);
  const withSlash = (path: string) => (path.endsWith('/') ? path : `${path}/`);
  return (
    named.origin === serverUrl.origin && withSlash(serverUrl.pathname).startsWith(withSlash(named.pathname))
  );
}

/** The user's choice of one of several authorization servers; null if nothing is to be chosen. */
export function planChoice(env: FlowEnvironment, context: FlowContext): PlannedStep | null {
  const issuers = (listOf(context.resourceMetadata, 'authorization_servers') ?? []).filter(isHttpUrl);
  if (context.issuer !== null || issuers.length < 2) return null;
  const [first = ''] = issuers;
  const conclude = (issuer: string): Conclusion => ({
    context: { ...context, issuer },
    outcome: `The authorization server is ${issuer}.`,
    alternatives: issuers.filter((one) => one !== issuer).map((label) => ({ label, why: 'Not chosen.' })),
  });
  return {
    name: 'server-metadata',
    label: 'choice of the authorization server',
    parties: ['client'],
    request: null,
    decidedBy: { text: 'The client chooses one of several authorization servers.', source: 'RFC 9728 7.6' },
    alternatives: [],
    contextIfSkipped: { ...context, issuer: first },
    act: env.isWatched
      ? { kind: 'choice', options: issuers, conclude }
      : { kind: 'local', conclude: () => conclude(first) },
  };
}

/** The next URL of server metadata to try; null if none is left. */
export function planServerMetadata(env: FlowEnvironment, context: FlowContext): PlannedStep | null {
  const issuer = context.issuer ?? env.serverUrl.origin;
  const candidates = serverCandidates(issuer, env.rules.triesOpenId);
  const index = context.serverTried.length;
  const candidate = candidates[index];
  if (candidate === undefined) return null;
  const tried = (why: string): FlowContext => ({
    ...context,
    serverTried: [...context.serverTried, { url: candidate.url, why }],
  });
  return {
    name: 'server-metadata',
    label: candidate.label,
    parties: ['client', 'authorization-server'],
    request: getRequest(env, candidate.url),
    decidedBy: { text: `It is tried ${ordinal(index)}: ${candidate.label}.`, source: candidate.source },
    alternatives: candidates.slice(index + 1).map(({ url }) => ({
      label: url,
      why: 'It is tried only if this one cannot be used.',
    })),
    contextIfSkipped: tried('skipped'),
    act: {
      kind: 'exchange',
      failed: (fault) => unusable(tried(fault.what), fault.what),
      conclude: (response) => {
        const checked = checkServerMetadata(response, {
          revision: env.rules.revision,
          issuer,
          usesBrowser: env.settings.grant === 'authorization-code',
          needsRegistration: false,
        });
        const read = readMetadata(response);
        if ('why' in read) return { ...unusable(tried(read.why), read.why), findings: checked.findings };
        const concluded = concludeServer(env, { ...context, issuer }, read.value);
        return withFindings(
          { ...concluded, canOverride: concluded.canOverride === true && canContinue(checked.findings) },
          checked,
          { response, question: { kind: 'server-metadata', issuer } },
        );
      },
    },
  };
}

/** Metadata of another issuer must not be used, whatever the revision (RFC 8414 section 3.3). */
function concludeServer(env: FlowEnvironment, context: FlowContext, metadata: Metadata): Conclusion {
  const concluded = concludeEndpoints(env, context, metadata);
  const issuer = textOf(metadata, 'issuer');
  const difference = issuer === null ? 'other' : differenceOf(context.issuer ?? '', issuer);
  if (difference === 'none' || (difference === 'slash' && env.rules.allowsIssuerSlash)) return concluded;
  return {
    ...concluded,
    outcome: 'It is the metadata of another issuer.',
    fault: otherIssuer(issuer, context.issuer ?? ''),
    canOverride: mayContinue(concluded),
  };
}

function concludeEndpoints(env: FlowEnvironment, context: FlowContext, metadata: Metadata): Conclusion {
  const { rules, settings } = env;
  const after = { ...context, serverMetadata: metadata };
  const stop = (outcome: string, fault: Fault): Conclusion => ({ context: after, outcome, fault });
  const isCodeGrant = settings.grant === 'authorization-code';
  if (textOf(metadata, 'token_endpoint') === null) {
    return stop('It has no token endpoint.', missingEndpoint('token_endpoint'));
  }
  if (isCodeGrant && textOf(metadata, 'authorization_endpoint') === null) {
    return stop('It has no authorization endpoint.', missingEndpoint('authorization_endpoint'));
  }
  const plain = ['token_endpoint', 'registration_endpoint', 'authorization_endpoint'].find((name) =>
    isUnsafe(textOf(metadata, name)),
  );
  // What an authorization endpoint may be is decided when it is opened.
  if (plain !== undefined && plain !== 'authorization_endpoint') {
    return stop(`Its ${plain} is not https.`, plainEndpoint(plain, textOf(metadata, plain) ?? ''));
  }
  if (isCodeGrant && rules.mustAdvertisePkce) {
    const methods = listOf(metadata, 'code_challenge_methods_supported');
    if (methods === null || !methods.includes('S256')) {
      return {
        ...stop('It does not advertise PKCE with S256.', noPkce(rules.revision)),
        canOverride: true,
      };
    }
  }
  return { context: after, outcome: 'The endpoints of the authorization server are known.' };
}

/** Requests every URL that metadata could have. */
export function planScan(env: FlowEnvironment, context: FlowContext): PlannedStep[] {
  const challenge = oauthChallenge(challengesOf(context.demand?.headers ?? []));
  const named = challenge?.parameters.get('resource_metadata') ?? null;
  const resources = [
    ...(named !== null && URL.canParse(named) ? resourceCandidates(env.serverUrl, named) : []),
    ...resourceCandidates(env.serverUrl, null),
  ];
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
        failed: ({ what }) => unusable(context, what),
        conclude: (response) => {
          const read = readMetadata(response);
          return 'why' in read ? unusable(context, read.why) : { context, outcome: 'It has metadata.' };
        },
      },
    });
  return [...resources.map(planned('resource-metadata')), ...servers.map(planned('server-metadata'))];
}

/** Whether a token or a code sent to this URL could be read on the way. */
function isUnsafe(text: string | null): boolean {
  const url = text !== null && URL.canParse(text) ? new URL(text) : null;
  return text !== null && url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLoopback(url));
}

const plainEndpoint = (name: string, url: string): Fault => ({
  code: 'endpoint-not-https',
  what: `The ${name} of the authorization server is not https.`,
  why: 'Secrets sent there could be read on the way (OAuth 2.1 section 1.5).',
  next: 'Have the authorization server name an https endpoint; http is for this machine only.',
  evidence: url.slice(0, 300),
});

/** Nothing is known about the authorization server. */
export const noMetadata = (tried: readonly TriedUrl[]): Fault => ({
  code: 'no-authorization-metadata',
  what: 'The server demands authorization, but no metadata of its authorization server was found.',
  why: 'None of the URLs at which it could be has usable metadata.',
  next: 'Have the server name its metadata in WWW-Authenticate, or enter a header with a token in its settings.',
  evidence: tried.map(({ url, why }) => `${url}: ${why}`).join('\n'),
});

const otherResource = (named: string | null, serverUrl: URL): Fault => ({
  code: 'resource-mismatch',
  what:
    named === null
      ? 'The resource metadata does not name its resource.'
      : `The metadata is of the resource ${named}, but you connected to ${serverUrl.href}.`,
  why: 'A token for another resource must not be requested (RFC 9728 section 3.3).',
  next: 'Correct the member resource of the metadata, or the URL of the server. A stepped flow can continue anyway, to test.',
});

const noServers: Fault = {
  code: 'no-authorization-servers',
  what: 'The resource metadata names no authorization server.',
  why: 'authorization_servers is missing or empty.',
  next: 'Have the server name at least one issuer in authorization_servers. In a stepped flow enter it by hand, or continue anyway with the origin of the server.',
};

const noIssuerUrl = (issuer: string): Fault => ({
  code: 'issuer-url',
  what: 'The authorization server that the resource metadata names is not an http or https URL.',
  evidence: issuer.slice(0, 300),
});

const otherIssuer = (named: string | null, expected: string): Fault => ({
  code: 'issuer-mismatch',
  what:
    named === null
      ? 'The metadata of the authorization server does not name its issuer.'
      : `The metadata is of the issuer ${named}, but was requested for ${expected}.`,
  why:
    named?.replace(/\/$/, '') === expected.replace(/\/$/, '')
      ? 'Only the slash at the end differs; they must be identical (RFC 8414 section 3.3).'
      : 'Metadata of another issuer must not be used (RFC 8414 section 3.3).',
  next: 'Make issuer of the metadata and authorization_servers of the resource metadata the same. A stepped flow can continue anyway, to test.',
});

const missingEndpoint = (name: string): Fault => ({
  code: 'endpoint-missing',
  what: `The metadata of the authorization server has no ${name}.`,
  why: 'It is required (RFC 8414 section 2).',
});

const noPkce = (revision: string): Fault => ({
  code: 'pkce-not-advertised',
  what: 'The authorization server does not advertise PKCE with S256, and this revision forbids going on.',
  why: `code_challenge_methods_supported is missing or does not list S256 (MCP ${revision}, authorization code protection).`,
  next: 'Have the authorization server advertise S256 in code_challenge_methods_supported. A stepped flow can continue anyway: it sends S256.',
});

import type { AuthorizationFinding } from '#shared/contract/authorization.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { isLoopback } from '#shared/loopback.ts';
import { Findings } from './checks/findings.ts';
import { checkResourceMetadata } from './checks/resource-metadata.ts';
import { differenceOf } from './checks/urls.ts';
import { checkServerMetadata } from './checks/server-metadata.ts';
import { canContinue } from './continue-anyway.ts';
import type { Conclusion, FlowContext, FlowEnvironment, Metadata, PlannedStep } from './flow-types.ts';
import { listOf, readMetadata, textOf } from './metadata.ts';
import {
  getRequest,
  namedMetadata,
  ordinal,
  resourceCandidates,
  serverCandidates,
} from './metadata-candidates.ts';
import { issuersIn } from './no-metadata.ts';
import { differencesIn, lacksPkce, revisionFindings } from './older-revisions.ts';
import { withFindings } from './step-findings.ts';

/** The next URL of resource metadata to try; null if none is left. */
export function planResourceMetadata(env: FlowEnvironment, context: FlowContext): PlannedStep | null {
  const candidates = resourceCandidates(env.serverUrl, namedMetadata(context));
  const index = context.resourceTried.length;
  const candidate = candidates[index];
  if (candidate === undefined) return null;
  const isNamed = candidate.isNamed === true;
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
      failed: (fault) => ({
        ...unusable(tried(fault.what), fault.what),
        ...(isNamed && { findings: namedUnusable(fault.what, null) }),
      }),
      conclude: (response) => {
        const checked = checkResourceMetadata(response, {
          revision: env.rules.revision,
          serverUrl: env.serverUrl.href,
          isNamed,
        });
        const asked =
          response.status === 200
            ? ({
                response,
                question: { kind: 'resource-metadata', serverUrl: env.serverUrl.href },
              } as const)
            : null;
        const read = readMetadata(response);
        const why = 'why' in read ? read.why : whyIncomplete(read.value);
        if (why === null && 'value' in read) {
          const concluded = concludeResource(env, context, read.value);
          const canOverride = concluded.canOverride === true && canContinue(checked.findings);
          return withFindings({ ...concluded, canOverride }, checked, asked);
        }
        // A document that can be used only in part is looked at again if there is no other.
        const incomplete = 'value' in read && isAboutResource(read.value) ? read.value : null;
        const after = { ...tried(why ?? ''), incompleteMetadata: context.incompleteMetadata ?? incomplete };
        const isElsewhere = isNamed && checked.stop?.rule === 'redirect-leaves-origin';
        const isObject = isNamed && 'value' in read;
        return withFindings(
          {
            ...unusable(after, why ?? ''),
            ...(isObject && { findings: namedUnusable(why ?? '', response.row) }),
          },
          { ...checked, stop: isElsewhere ? checked.stop : null },
          asked,
        );
      },
    },
  };
}

const unusable = (context: FlowContext, why: string): Conclusion => ({
  context,
  outcome: `Not usable: ${why.replace(/\.$/, '')}.`,
});

/** The finding about the URL in the challenge that gives no metadata. */
function namedUnusable(why: string, row: number | null): readonly AuthorizationFinding[] {
  const found = new Findings({ row });
  found.add('resource-metadata-missing', {
    text: `The resource_metadata of the challenge cannot be used: ${why}`,
  });
  return found.all;
}

/** What resource metadata lacks, without which another URL is tried; null if it lacks nothing. */
function whyIncomplete(metadata: Metadata): string | null {
  const missing = [
    ...(textOf(metadata, 'resource') === null ? ['resource'] : []),
    ...((listOf(metadata, 'authorization_servers') ?? []).length === 0 ? ['authorization_servers'] : []),
  ];
  return missing.length === 0 ? null : `The response has no ${missing.join(' and no ')}.`;
}

/** Whether a document is resource metadata at all, and not another object, such as an error. */
const isAboutResource = (metadata: Metadata): boolean =>
  metadata['resource'] !== undefined || metadata['authorization_servers'] !== undefined;

/** What resource metadata says, complete or not. */
export function concludeResource(env: FlowEnvironment, context: FlowContext, value: Metadata): Conclusion {
  const concluded = concludeIssuers({ ...context, resourceMetadata: value });
  const resource = textOf(value, 'resource');
  if (resource !== null && isResourceOf(resource, env.serverUrl)) return concluded;
  return {
    ...concluded,
    outcome: resource === null ? 'It does not name its resource.' : 'It is the metadata of another resource.',
    fault: otherResource(resource, env.serverUrl),
    canOverride: mayContinue(concluded),
  };
}

/** Whether a flow can continue after what was concluded so far, if the user wants to. */
const mayContinue = ({ fault, canOverride }: Conclusion): boolean => fault == null || canOverride === true;

/** What the metadata says of authorization servers. */
function concludeIssuers(after: FlowContext): Conclusion {
  const named = listOf(after.resourceMetadata, 'authorization_servers') ?? [];
  const [first] = named;
  if (first === undefined) {
    // Who continues takes the origin of the server, as before there was resource metadata (MCP 2025-03-26).
    return {
      context: after,
      outcome: 'It names no authorization server.',
      fault: noServers,
      canOverride: true,
    };
  }
  const issuers = issuersIn(after);
  const [only] = issuers;
  if (only === undefined) {
    return { context: after, outcome: 'Its authorization server is not a URL.', fault: noIssuerUrl(first) };
  }
  return named.length === 1
    ? { context: { ...after, issuer: only }, outcome: `The authorization server is ${only}.` }
    : { context: after, outcome: `It names ${named.length} authorization servers.` };
}

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
  const issuers = issuersIn(context);
  const [first] = issuers;
  if (context.issuer !== null || first === undefined) return null;
  const conclude = (issuer: string, isIssuerChosen: boolean): Conclusion => ({
    context: { ...context, issuer, isIssuerChosen },
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
    act:
      env.isWatched && issuers.length > 1
        ? { kind: 'choice', options: issuers, conclude: (issuer) => conclude(issuer, true) }
        : { kind: 'local', conclude: () => conclude(first, false) },
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
        const allowsOlder = goesOn(env, issuer);
        const checked = checkServerMetadata(response, {
          revision: env.rules.revision,
          issuer,
          usesBrowser: env.settings.grant === 'authorization-code',
          needsRegistration: false,
          assumesPkce: env.settings.assumesPkce,
          allowsOlder,
        });
        const read = readMetadata(response);
        const why = 'why' in read ? read.why : whyNoServer(read.value);
        if (why !== null || 'why' in read)
          return { ...unusable(tried(why ?? ''), why ?? ''), findings: checked.findings };
        const concluded = concludeServer(env, { ...context, issuer }, read.value);
        const differences = env.allowsOlder(issuer)
          ? differencesIn(env, { issuer, metadata: read.value })
          : [];
        return withFindings(
          {
            ...concluded,
            canOverride: concluded.canOverride === true && canContinue(checked.findings),
            findings: revisionFindings(env, differences, { row: response.row, isStopped: env.isStepped() }),
          },
          checked,
          { response, question: { kind: 'server-metadata', issuer } },
        );
      },
    },
  };
}

/** Why an object is no metadata of an authorization server, such as an error with status 200; null if it is. */
export const whyNoServer = (metadata: Metadata): string | null =>
  ['issuer', 'authorization_endpoint', 'token_endpoint'].every((name) => metadata[name] === undefined)
    ? 'The response has no issuer and no endpoints.'
    : null;

/** Whether the flow goes on after what only some revisions allow. In a stepped one its user decides that. */
const goesOn = (env: FlowEnvironment, issuer: string | null): boolean =>
  env.allowsOlder(issuer ?? '') && !env.isStepped();

/** Metadata of another issuer must not be used, whatever the revision (RFC 8414 section 3.3). */
function concludeServer(env: FlowEnvironment, context: FlowContext, metadata: Metadata): Conclusion {
  const concluded = concludeEndpoints(env, context, metadata);
  const issuer = textOf(metadata, 'issuer');
  const difference = issuer === null ? 'other' : differenceOf(context.issuer ?? '', issuer);
  const allowsSlash = env.rules.allowsIssuerSlash || goesOn(env, context.issuer);
  if (difference === 'none' || (difference === 'slash' && allowsSlash)) return concluded;
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
  const isAccepted = settings.assumesPkce || goesOn(env, context.issuer);
  if (isCodeGrant && lacksPkce(rules, metadata) && !isAccepted) {
    const fault = noPkce(env);
    return { ...stop('It does not advertise PKCE with S256.', fault), canOverride: true };
  }
  return { context: after, outcome: 'The endpoints of the authorization server are known.' };
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
  next: 'Have the resource metadata name the issuer of its authorization server in authorization_servers, with https.',
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
  next: `Have the authorization server add ${name} to its metadata.`,
});

const noPkce = ({ rules, isRevisionKnown }: FlowEnvironment): Fault => ({
  code: 'pkce-not-advertised',
  what: `The authorization server does not advertise PKCE with S256, and ${
    isRevisionKnown ? 'this revision forbids' : 'revisions from 2025-11-25 on forbid'
  } going on.`,
  why: `code_challenge_methods_supported is missing or does not list S256 (MCP ${rules.revision}, authorization code protection).`,
  next: 'Have the authorization server advertise S256 in code_challenge_methods_supported. Revision 2025-06-18 in the settings of the server goes on without it, and a stepped flow can continue anyway.',
});

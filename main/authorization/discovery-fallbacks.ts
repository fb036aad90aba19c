import { challengesOf, oauthChallenge } from '#shared/authorization/challenge.ts';
import { Findings } from './checks/findings.ts';
import { concludeResource, isResourceOf } from './discovery.ts';
import type { Conclusion, FlowContext, FlowEnvironment, PlannedStep } from './flow-types.ts';
import { textOf } from './metadata.ts';
import { lineOf, NEXT_SERVER, noServerMetadata, serversLeft } from './no-metadata.ts';
import { revisionFindings } from './older-revisions.ts';
import { chooseWay } from './registration.ts';

/**
 * What follows when no URL has usable resource metadata: the origin of the server counts as the authorization server where a revision
 * allows it; else the flow stops. Null if there is nothing to conclude.
 */
export function planWithoutResourceMetadata(env: FlowEnvironment, context: FlowContext): PlannedStep | null {
  const { incompleteMetadata: incomplete } = context;
  const allowsOlder = env.allowsOlder(env.serverUrl.origin);
  const goOn = (resourceMetadata: FlowContext['resourceMetadata']): Conclusion => ({
    context: { ...context, resourceMetadata },
    outcome:
      'No usable resource metadata was found. The origin of the server counts as its authorization server.',
    findings: revisionFindings(env, ['no-resource-metadata']),
  });
  if (incomplete !== null) {
    const resource = textOf(incomplete, 'resource');
    const isOfServer = resource !== null && isResourceOf(resource, env.serverUrl);
    return local('resource-metadata', 'only a part of it', () =>
      isOfServer && allowsOlder ? goOn(incomplete) : concludeResource(env, context, incomplete),
    );
  }
  if (!env.rules.mustHaveResourceMetadata) return null;
  return allowsOlder
    ? local('resource-metadata', 'none', () => goOn(null))
    : stopWithoutMetadata(env, context);
}

/** What follows when no URL has metadata of the authorization server. */
export function planWithoutServerMetadata(env: FlowEnvironment, context: FlowContext): PlannedStep {
  const another = planAnotherServer(context);
  if (another !== null) return another;
  if (env.rules.hasDefaultEndpoints || mayTryDefaults(env, context)) return useDefaultEndpoints(env, context);
  return stopWithoutMetadata(env, context);
}

/** The next authorization server of the resource metadata, unless the user chose the one that cannot be used. */
function planAnotherServer(context: FlowContext): PlannedStep | null {
  const { issuer, serverTried, otherServers, isIssuerChosen } = context;
  const next = serversLeft(context)[0];
  if (issuer === null || isIssuerChosen || next === undefined) return null;
  return local('server-metadata', NEXT_SERVER, () => {
    const found = new Findings({ row: null });
    found.add('authorization-server-unavailable', {
      text: `No metadata of the authorization server ${issuer} can be had. The resource metadata names ${next} too, which is used instead.`,
      received: serverTried.map(lineOf).join('\n'),
    });
    return {
      context: {
        ...context,
        issuer: next,
        serverTried: [],
        otherServers: [...otherServers, { issuer, tried: serverTried }],
      },
      outcome: `The next authorization server is ${next}.`,
      findings: found.all,
    };
  });
}

/**
 * Whether the default endpoints of 2025-03-26 are tried although the revision is not known. The registration there shows whether they
 * exist, so nothing that the user entered is sent to them before.
 */
function mayTryDefaults(env: FlowEnvironment, context: FlowContext): boolean {
  const { origin } = env.serverUrl;
  const challenges = challengesOf(context.demand?.headers ?? []);
  // A server that takes a token has a challenge that says so (RFC 6750 section 3); others get no request that they did not ask for.
  const isOAuth = oauthChallenge(challenges) !== null;
  if (context.resourceMetadata !== null || !env.allowsOlder(origin) || !isOAuth) return false;
  const { way } = chooseWay(env, { ...context, serverMetadata: null });
  const isKnown = env.knownClient(origin) !== null;
  return isKnown || (way === 'dynamic' && env.secrets.initialAccessToken === null);
}

const useDefaultEndpoints = (env: FlowEnvironment, context: FlowContext): PlannedStep => ({
  ...local('server-metadata', 'default endpoints', () => ({
    context: { ...context, issuer: context.issuer ?? env.serverUrl.origin, serverMetadata: null },
    outcome: 'The default endpoints of the server are used.',
    findings: env.rules.hasDefaultEndpoints ? [] : revisionFindings(env, ['no-server-metadata']),
  })),
  decidedBy: {
    text: 'A server without metadata has /authorize, /token and /register.',
    source: 'MCP 2025-03-26 authorization, fallbacks',
  },
});

const stopWithoutMetadata = (env: FlowEnvironment, context: FlowContext): PlannedStep =>
  local('server-metadata', '', () => ({
    context,
    outcome: 'No metadata was found.',
    fault: noServerMetadata(env, context),
  }));

const local = (
  name: 'resource-metadata' | 'server-metadata',
  label: string,
  conclude: () => Conclusion,
): PlannedStep => ({
  name,
  label,
  parties: ['client'],
  request: null,
  decidedBy: null,
  alternatives: [],
  contextIfSkipped: null,
  act: { kind: 'local', conclude },
});

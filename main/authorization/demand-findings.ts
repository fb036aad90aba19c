import type { AuthorizationFinding } from '#shared/contract/authorization.ts';
import { isKnownRevision, newestModernRevision, type Revision } from '#shared/protocol/revisions.ts';
import { checkChallenge, type DemandingResponse } from './checks/challenge.ts';
import { audienceDifference, audiencesOf } from './checks/audience.ts';
import { Findings } from './checks/findings.ts';
import { checkForbidden } from './checks/forbidden.ts';
import { checkMetadataFound, checkPlainEndpoints } from './checks/server-metadata.ts';
import { needsMoreScope } from './demanded-scope.ts';
import { decodeJwt } from './jwt.ts';
import type { Conclusion, FlowContext, FlowEnvironment, PlannedStep } from './flow-types.ts';

/** A step that has ended. */
interface EndedStep {
  readonly plan: Pick<PlannedStep, 'name' | 'act' | 'isManual'>;
  readonly environment: Pick<FlowEnvironment, 'rules' | 'serverUrl'>;
  readonly before: FlowContext;
  readonly conclusion: Conclusion;
  /** Of its exchange. */
  readonly row: number | null;
}

/**
 * The findings of a step without a response of its own: about what the MCP server demanded, and what was not found. Other
 * steps check their response, and end with `withFindings`.
 */
export function findingsWithoutResponse({
  plan,
  environment,
  before,
  conclusion,
  row,
}: EndedStep): readonly AuthorizationFinding[] {
  if (plan.isManual === true) return [];
  const revision = revisionFor(environment.rules.revision);
  const { demand } = conclusion.context;
  const isLocal = plan.act.kind === 'local';
  switch (plan.name) {
    case 'challenge': {
      if (demand === null) return [];
      const response = { url: environment.serverUrl, ...demand };
      const { findings } = checkChallenge(response, { revision, hadToken: false, hadFreshToken: false });
      const own = new Findings({ row: demand.row });
      if (revision === '2024-11-05' && demand.status === 401) own.add('revision-without-authorization');
      return [...findings, ...own.all];
    }
    case 'step-up': {
      if (demand === null) return [];
      const scope = before.scopesBefore.join(' ');
      return checkForbidden({ url: environment.serverUrl, ...demand }, { revision, authorizations: 1, scope })
        .findings;
    }
    case 'server-metadata': {
      const { serverMetadata } = conclusion.context;
      if (!isLocal) return serverMetadata == null ? [] : checkPlainEndpoints(serverMetadata, { row });
      const tried = before.serverTried.map(({ url, why }) => ({ url, outcome: why }));
      const isNext = conclusion.context.otherServers.length > before.otherServers.length;
      return tried.length > 0 && !isNext ? checkMetadataFound(tried, { revision, row: null }).findings : [];
    }
    case 'registration': {
      const found = new Findings({ row: null });
      if (isLocal && conclusion.fault?.code === 'no-client') found.add('registration-unavailable');
      return found.all;
    }
    default:
      return [];
  }
}

/**
 * What is wrong with a response to a request with a new token. A step of its own follows a 403 that demands more scope.
 *
 * @param goesOn whether an authorization follows a 401
 */
export function rejectionFindings(
  response: DemandingResponse,
  revision: string | null,
  goesOn = false,
): readonly AuthorizationFinding[] {
  const { status, headers } = response;
  if (status === 401)
    return checkChallenge(response, {
      revision: revisionFor(revision),
      hadToken: true,
      hadFreshToken: !goesOn,
    }).findings;
  return status === 403 && !needsMoreScope(headers)
    ? limitFindings(response, { revision, authorizations: 1, scope: '' })
    : [];
}

/** What a response other than 401 says of the token of its request. A status from 400 on may be about the request alone. */
export const acceptanceOutcome = (status: number): string =>
  status < 400
    ? `The server accepted the token (HTTP status ${status}).`
    : `The server did not reject the token. It answered with HTTP status ${status}.`;

/**
 * What an accepted request with a token says about the server: it must take no token that was issued for another audience (MCP security
 * best practices, token passthrough). An opaque token says nothing.
 */
export function acceptanceFindings(
  { status, row }: { readonly status: number; readonly row: number | null },
  accessToken: string,
  resource: string,
): readonly AuthorizationFinding[] {
  const audiences = audiencesOf(decodeJwt(accessToken)?.claims['aud']);
  const found = new Findings({ row });
  // Another spelling of the server is a fault of the token, which its own step reports.
  if (status < 400 && audiences !== null && audienceDifference(audiences, resource) === 'other')
    found.add('token-passthrough-suspected', {
      text: `The server accepts a token for ${audiences.join(', ')}, so it may accept or pass on tokens of others.`,
      expected: resource,
      received: audiences.join(', '),
    });
  return found.all;
}

/** What is wrong with a 403 after which the session does not authorize again. */
export const limitFindings = (
  response: DemandingResponse,
  { revision, authorizations, scope }: { revision: string | null; authorizations: number; scope: string },
): readonly AuthorizationFinding[] =>
  checkForbidden(response, { revision: revisionFor(revision), authorizations, scope }).findings;

/** @param revision one that is not known counts as the newest */
const revisionFor = (revision: string | null): Revision =>
  revision !== null && isKnownRevision(revision) ? revision : newestModernRevision;

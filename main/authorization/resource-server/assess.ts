import { challengesOf, oauthChallenge } from '#shared/authorization/challenge.ts';
import type { AuthorizationRule } from '#shared/authorization/rules.ts';
import { type ServerTestRule, serverTestRules } from '#shared/authorization/server-test-rules.ts';
import type { AuthorizationFinding } from '#shared/contract/authorization.ts';
import type { ServerTestOutcome } from '#shared/contract/server-tests.ts';
import { statusName } from '#shared/protocol/http-status.ts';
import { isKnownRevision, revisionAtLeast } from '#shared/protocol/revisions.ts';
import type { FlowResponse } from '#authorization/exchange.ts';
import { type Reception, type TestAnswer, wordsOf } from './answers.ts';
import type { ServerTestRow } from './test-table.ts';

/** What the answer to a test means. */
export interface Assessment {
  readonly outcome: ServerTestOutcome;
  readonly why: string;
  readonly finding: AuthorizationFinding | null;
}

export interface AssessedAnswer {
  readonly row: ServerTestRow;
  readonly answer: TestAnswer;
  readonly reception: Reception;
  /** Of the requests. */
  readonly revision: string;
}

export const notApplicable = (why: string): Assessment => ({ outcome: 'not-applicable', why, finding: null });
export const unclear = (why: string): Assessment => ({ outcome: 'unclear', why, finding: null });
const right = (why: string): Assessment => ({ outcome: 'right', why, finding: null });

/** A careless answer, with the rule that it breaks. */
export function careless(
  name: ServerTestRule,
  { row, answer, revision }: Pick<AssessedAnswer, 'row' | 'answer' | 'revision'>,
  details: Partial<Pick<AuthorizationFinding, 'severity' | 'text' | 'expected' | 'received'>> = {},
): Assessment {
  const rule: AuthorizationRule = serverTestRules[name];
  const text = details.text ?? rule.text;
  return {
    outcome: 'careless',
    why: text,
    finding: {
      rule: name,
      severity: details.severity ?? rule.severity,
      text,
      source: name === row.accepted ? row.source(revision) : rule.source,
      expected: details.expected ?? row.right,
      received: details.received ?? receivedOf(answer),
      row: answer.response?.row ?? null,
      library: null,
    },
  };
}

/** Assesss the answer by its status. What else a right answer needs is assessed by the test. */
export function assess(assessed: AssessedAnswer): Assessment {
  const { row, answer, reception } = assessed;
  const { response } = answer;
  if (response === null) return unclear(`There was no answer: ${answer.fault.what}`);
  const named = statusText(response);
  switch (reception) {
    case 'accepted':
      return careless(row.accepted, assessed);
    case 'refused-in-body':
      return careless('rejection-as-success', assessed);
    case 'redirected':
      return careless('rejection-with-other-status', assessed, {
        text: `The server answers with a redirect (${named}), which clients do not follow.`,
      });
    case 'failed':
      return careless('fails-on-token', assessed);
    case 'busy':
      return unclear(`The server, or a proxy before it, answers nothing now (${named}).`);
    case 'refused':
      break;
    case 'nothing':
      return unclear('There was no answer.');
  }
  if (row.allowed === null || row.allowed.includes(response.status)) return right(`Refused with ${named}.`);
  return careless('rejection-with-other-status', assessed, {
    text: `The server refuses it with ${named}. Clients act on ${row.allowed.join(' or ')}.`,
  });
}

/** Whether the challenge of the 401 to a request without a token can be used (RFC 6750 section 3, RFC 9728 section 5.1). */
export function assessChallenge(assessed: AssessedAnswer): Assessment {
  const { answer, revision } = assessed;
  const byStatus = assess(assessed);
  if (byStatus.outcome !== 'right' || answer.response === null) return byStatus;
  const { headers } = answer.response;
  const all = challengesOf(headers);
  const challenge = oauthChallenge(all);
  if (challenge === null)
    return careless('missing-token-without-challenge', assessed, {
      received: all.length === 0 ? 'no WWW-Authenticate' : all.map(({ scheme }) => scheme).join(', '),
    });
  const metadata = challenge.parameters.get('resource_metadata');
  if (metadata !== undefined && !isMetadataUrl(metadata))
    return careless('missing-token-challenge-unusable', assessed, { received: metadata });
  // A MUST of 2025-06-18. Since 2025-11-25 the well-known URL alone is enough, and earlier there is no resource metadata.
  if (metadata === undefined && revision === '2025-06-18')
    return careless('missing-token-challenge-unusable', assessed, { received: 'no resource_metadata' });
  const note =
    metadata === undefined && isKnownRevision(revision) && revisionAtLeast(revision, '2025-11-25')
      ? ' It names no resource_metadata, so clients try the well-known URL.'
      : '';
  return right(`${byStatus.why}${note}`);
}

const isMetadataUrl = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/**
 * What a server says to a token without a scope (RFC 6750 section 3.1).
 *
 * @param missing the scopes that the server demands and the token has not; empty if that is not known
 */
export function assessScope(assessed: AssessedAnswer, missing: readonly string[]): Assessment {
  const { answer, reception } = assessed;
  if (reception === 'accepted') {
    if (missing.length === 0)
      return unclear('The server answers it. To list tools may need no scope that the token has not.');
    return careless('scope-not-enforced', assessed, {
      text: `The server demands the scope ${missing.join(' ')} in its challenge, and accepts a token without it.`,
    });
  }
  const byStatus = assess(assessed);
  if (byStatus.outcome !== 'right' || answer.response === null) return byStatus;
  const challenge = oauthChallenge(challengesOf(answer.response.headers));
  const error = challenge?.parameters.get('error') ?? null;
  const scope = challenge?.parameters.get('scope') ?? null;
  if (error === 'insufficient_scope' && scope !== null)
    return right(`${byStatus.why} It names the scope ${scope}.`);
  return careless('scope-rejection-unusable', assessed, {
    received: `error ${error ?? 'missing'}, scope ${scope ?? 'missing'}`,
  });
}

/** `HTTP 401 Unauthorized`. */
export const statusText = ({ status }: Pick<FlowResponse, 'status'>): string =>
  `HTTP ${status} ${statusName(status)}`.trim();

/** `HTTP 401 Unauthorized: invalid_token: The token expired`; the status alone where the server said nothing. */
export function statusAndWords(response: FlowResponse): string {
  const words = wordsOf(response);
  return words === '' ? statusText(response) : `${statusText(response)}: ${words}`;
}

const receivedOf = ({ response }: TestAnswer): string | null =>
  response === null ? null : statusAndWords(response);

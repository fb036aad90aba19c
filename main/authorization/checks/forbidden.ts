import { revisionAtLeast } from '#shared/protocol/revisions.ts';
import type { Revision } from '#shared/protocol/revisions.ts';
import { type Demand, type DemandingResponse, readDemand } from './challenge.ts';
import { type Checked, Findings } from './findings.ts';
import { checkStatus } from './json-response.ts';
import { scopeNames, wordsOf } from './scopes.ts';

export interface ForbiddenContext {
  readonly revision: Revision;
  /** Authorizations of this operation so far, the first one included. */
  readonly authorizations: number;
  /** The scope that was asked for last, separated by spaces; null if none was. */
  readonly scope: string | null;
}

/** Authorizations at most for one operation (MCP 2025-11-25 authorization, step-up flow). */
export const MAX_AUTHORIZATIONS = 3;

/** Checks a 403 of the MCP server, which may demand more scope (RFC 6750 section 3.1). */
export function checkForbidden(
  response: DemandingResponse,
  { revision, authorizations, scope }: ForbiddenContext,
): Checked<Demand> {
  const found = new Findings(response);
  if (!checkStatus(response, found)) return found.checked<Demand>(null);
  const demand = readDemand(response, { revision, hadToken: true }, found);
  if (demand.error !== 'insufficient_scope') {
    const values = { expected: 'insufficient_scope', received: demand.error };
    found.add('forbidden-without-challenge', { ...values, stops: demand.scope === null });
    if (demand.scope === null) return found.checked<Demand>(null);
  }
  if (demand.scope === null)
    found.add('forbidden-names-no-scope', {
      // Since the step-up flow, a client cannot know what to ask for without it.
      severity: revisionAtLeast(revision, '2025-11-25') ? 'warning' : 'info',
      stops: authorizations > 1,
    });
  const asked = wordsOf(scope);
  const demanded = scopeNames(demand.scope, asked);
  if (demanded.length > 0 && demanded.every((one) => asked.includes(one)))
    found.add('forbidden-after-step-up', {
      text: `The server answers ${response.status} although the scope that it demands was asked for.`,
      stops: authorizations > 1,
      expected: scope,
      received: demand.scope,
    });
  if (authorizations >= MAX_AUTHORIZATIONS) found.add('step-up-limit', { received: demand.scope });
  return found.checked(demand);
}

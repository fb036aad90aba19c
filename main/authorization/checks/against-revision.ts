import {
  type AuthorizationFinding,
  type AuthorizationFlow,
  type AuthorizationStep,
  MAX_BODY,
  type RevisionCheck,
} from '#shared/contract/authorization.ts';
import { MANUAL } from '#shared/authorization/manual-entry.ts';
import { isKnownRevision, newestModernRevision, type Revision } from '#shared/protocol/revisions.ts';
import { serverCandidates } from '#authorization/metadata-candidates.ts';
import { NEXT_SERVER } from '#authorization/no-metadata.ts';
import type { RawResponse } from '#authorization/exchange.ts';
import { listOf } from '#authorization/metadata.ts';
import { rulesOf } from '#authorization/revision-rules.ts';
import { checkChallenge } from './challenge.ts';
import type { Checked } from './findings.ts';
import { checkForbidden } from './forbidden.ts';
import { parseJson } from './json-response.ts';
import { checkMetadataFound, checkServerMetadata } from './server-metadata.ts';

/**
 * What a recorded flow breaks of another revision, from its recorded exchanges alone. Secrets in them were replaced, so each step is
 * checked for both revisions, and only what differs between the two comes or goes; everything else stays as it was recorded.
 */
export function checkAgainst(flow: AuthorizationFlow, revision: Revision): RevisionCheck {
  return { revision, steps: flow.steps.map((step) => checkStep(flow, step, revision)) };
}

type CheckedStep = RevisionCheck['steps'][number];

function checkStep(flow: AuthorizationFlow, step: AuthorizationStep, revision: Revision): CheckedStep {
  const { id, findings: recorded } = step;
  const own = isKnownRevision(flow.revision) ? flow.revision : newestModernRevision;
  const [before, after] = [own, revision].map((one) => recomputed(flow, step, one));
  const difference = own === revision ? null : differenceOf(step, revision);
  if (before == null || after == null || own === revision)
    return { id, findings: unchanged(recorded), stops: false, difference };
  const goes = before.findings.filter((one) => !has(after.findings, one));
  const comes = after.findings.filter((one) => !has(before.findings, one) && !has(recorded, one));
  const library = recorded.find((one) => one.library !== null)?.library ?? null;
  return {
    id,
    findings: [
      ...recorded.map((finding) => ({
        finding,
        change: has(goes, finding) ? ('goes' as const) : ('same' as const),
      })),
      ...comes.map((finding) => ({
        finding: { ...finding, row: step.row, library },
        change: 'comes' as const,
      })),
    ],
    stops: after.stop !== null && before.stop === null,
    difference,
  };
}

const unchanged = (findings: readonly AuthorizationFinding[]): CheckedStep['findings'] =>
  findings.map((finding) => ({ finding, change: 'same' }));

/** Whether the same is found: of the same rule, as severe, in the same words. */
const has = (findings: readonly AuthorizationFinding[], { rule, severity, text }: AuthorizationFinding) =>
  findings.some((one) => one.rule === rule && one.severity === severity && one.text === text);

/** What the checks of a revision find in a step; null if the step has nothing that depends on it. */
function recomputed(
  flow: AuthorizationFlow,
  step: AuthorizationStep,
  revision: Revision,
): Checked<unknown> | null {
  // What an identity provider answers is not for a revision of MCP to say.
  if (step.parties.includes('identity-provider')) return null;
  const response = responseOf(step);
  switch (step.name) {
    case 'challenge':
      return response && checkChallenge(response, { revision, hadToken: false, hadFreshToken: false });
    case 'use-token':
      return response?.status === 401
        ? checkChallenge(response, { revision, hadToken: true, hadFreshToken: true })
        : null;
    case 'step-up':
      return response && checkForbidden(response, { revision, authorizations: 1, scope: null });
    case 'server-metadata': {
      if (step.label.startsWith('scan') || step.label === MANUAL) return null;
      if (response !== null)
        return checkServerMetadata(response, {
          revision,
          issuer: issuerFor(flow, step),
          usesBrowser: flow.grant === 'authorization-code',
          needsRegistration: false,
        });
      const tried = triedBefore(flow, step);
      const isEnd =
        step.request === null && step.label !== NEXT_SERVER && step.findings.length > 0 && tried.length > 0;
      return isEnd ? checkMetadataFound(tried, { revision, row: step.row }) : null;
    }
    default:
      return null;
  }
}

/** The recorded response, as the checks read it. */
function responseOf({ request, response, row, duration }: AuthorizationStep): RawResponse | null {
  if (response === null) return null;
  const { status, headers } = response;
  const body = response.body ?? '';
  const url = request !== null && URL.canParse(request.url) ? new URL(request.url) : NO_URL;
  return {
    url,
    status,
    headers,
    body: Buffer.from(body),
    isCut: body.length >= MAX_BODY,
    row: row ?? 0,
    duration: duration ?? 0,
  };
}

/** Of a response whose request was the session's. */
const NO_URL = new URL('https://server.invalid/');

/** The steps before one, the nearest first. */
function stepsBefore({ steps }: AuthorizationFlow, { after }: AuthorizationStep): AuthorizationStep[] {
  const found: AuthorizationStep[] = [];
  for (let id = after; id !== null; ) {
    const step = steps.find((one) => one.id === id);
    if (step === undefined) break;
    found.push(step);
    id = step.after;
  }
  return found;
}

/** The issuer that metadata was requested for: the one in the resource metadata that leads to its URL, else the origin. */
function issuerFor(flow: AuthorizationFlow, step: AuthorizationStep): string {
  const url = step.request?.url ?? '';
  const named = stepsBefore(flow, step).flatMap(({ name, response }) => {
    const json = name === 'resource-metadata' ? parseJson(response?.body ?? '') : null;
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
    return isObject ? (listOf({ ...json }, 'authorization_servers') ?? []) : [];
  });
  const leads = named.filter(
    (issuer) => URL.canParse(issuer) && serverCandidates(issuer, true).some((one) => one.url === url),
  );
  return leads[0] ?? (URL.canParse(url) ? new URL(url).origin : '');
}

/** The URLs of server metadata that were tried before a step. */
const triedBefore = (flow: AuthorizationFlow, step: AuthorizationStep) =>
  stepsBefore(flow, step)
    .filter(({ name, request }) => name === 'server-metadata' && request !== null)
    .toReversed()
    .map(({ request, outcome }) => ({
      url: request?.url ?? '',
      outcome: outcome.replace(/^Not usable: /, '').replace(/\.$/, ''),
    }));

/** What a client of this revision would do otherwise at a step; null if nothing. */
function differenceOf({ name, label, request }: AuthorizationStep, revision: Revision): string | null {
  const rules = rulesOf(revision);
  const names = new Set((request?.body ?? []).map((one) => one.name));
  switch (name) {
    case 'resource-metadata':
      return rules.usesResourceMetadata ? null : `${revision} does not have resource metadata.`;
    case 'server-metadata':
      return !rules.triesOpenId && label.startsWith('OpenID')
        ? `${revision} does not look for metadata of OpenID Connect.`
        : null;
    case 'client-metadata':
      return rules.hasMetadataDocuments ? null : `${revision} does not have client ID metadata documents.`;
    case 'registration':
      return rules.namesApplicationType && names.has('redirect_uris') && !names.has('application_type')
        ? `${revision} demands application_type in a registration.`
        : null;
    case 'authorization-request':
    case 'token':
      return !rules.usesResourceMetadata &&
        [...(request?.query ?? []), ...(request?.body ?? [])].some(
          (one) => one.name === 'resource' && one.isOn,
        )
        ? `${revision} does not have the parameter resource.`
        : null;
    default:
      return null;
  }
}

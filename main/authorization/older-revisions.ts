import type { AuthorizationFinding } from '#shared/contract/authorization.ts';
import { Findings } from './checks/findings.ts';
import { differenceOf } from './checks/urls.ts';
import type { FlowEnvironment, Metadata } from './flow-types.ts';
import { listOf, textOf } from './metadata.ts';
import type { RevisionRules } from './revision-rules.ts';

/** What revisions disagree about, and what a client of each does. */
const differences = {
  'no-resource-metadata':
    'There is no usable resource metadata. From 2025-06-18 on a client stops here; one of 2025-03-26 takes the origin of the server for its authorization server.',
  'no-server-metadata':
    'There is no metadata at all. From 2025-06-18 on a client stops here; one of 2025-03-26 uses /authorize, /token and /register at the origin of the server.',
  'no-pkce':
    'PKCE with S256 is not advertised. From 2025-11-25 on a client stops here; one of an earlier revision goes on, and uses it.',
  'issuer-slash':
    'The issuer of the metadata differs by a slash at its end. A client of 2026-07-28 stops here; one of an earlier revision goes on.',
} as const;

type Difference = keyof typeof differences;

/**
 * Says what each revision does about something that only some of them go on after.
 *
 * @param row of the response; null without one
 * @param isStopped whether the flow stops, and its user decides
 */
export function revisionFindings(
  { isRevisionKnown }: Pick<FlowEnvironment, 'isRevisionKnown'>,
  names: readonly Difference[],
  { row = null, isStopped = false }: { readonly row?: number | null; readonly isStopped?: boolean } = {},
): readonly AuthorizationFinding[] {
  const found = new Findings({ row });
  const end = isStopped ? 'and you decide.' : 'so the flow goes on.';
  const why = isRevisionKnown
    ? `The session was authorized like this before its revision was known, ${end}`
    : `The revision of the server is not known yet, ${end}`;
  for (const name of names) found.add('revisions-differ', { text: `${differences[name]} ${why}` });
  return found.all;
}

/** What revisions disagree about in the metadata of an authorization server. @param issuer the one that was asked for */
export function differencesIn(
  { rules, settings }: Pick<FlowEnvironment, 'rules' | 'settings'>,
  { issuer, metadata }: { readonly issuer: string; readonly metadata: Metadata },
): readonly Difference[] {
  const isSlash = differenceOf(issuer, textOf(metadata, 'issuer') ?? '') === 'slash';
  const usesPkce = settings.grant === 'authorization-code';
  return [
    ...(isSlash && !rules.allowsIssuerSlash ? ['issuer-slash' as const] : []),
    ...(usesPkce && lacksPkce(rules, metadata) ? ['no-pkce' as const] : []),
  ];
}

/** Whether metadata must be refused because it does not advertise PKCE with S256. */
export const lacksPkce = ({ mustAdvertisePkce }: RevisionRules, metadata: Metadata): boolean =>
  mustAdvertisePkce && listOf(metadata, 'code_challenge_methods_supported')?.includes('S256') !== true;

import {
  isKnownRevision,
  newestModernRevision,
  type Revision,
  revisionAtLeast,
} from '#shared/protocol/revisions.ts';

/** What a revision demands of a client that authorizes. */
export interface RevisionRules {
  readonly revision: Revision;
  /** Whether resource metadata (RFC 9728) is used; else the origin of the server is the issuer. */
  readonly usesResourceMetadata: boolean;
  /** Whether a flow stops without resource metadata. */
  readonly mustHaveResourceMetadata: boolean;
  /** Whether metadata of OpenID Connect Discovery is tried, too. */
  readonly triesOpenId: boolean;
  /** Whether `/authorize`, `/token` and `/register` are used without metadata. */
  readonly hasDefaultEndpoints: boolean;
  /** Whether metadata without `code_challenge_methods_supported` must be refused. */
  readonly mustAdvertisePkce: boolean;
  readonly hasMetadataDocuments: boolean;
  /** Whether an issuer may differ from its metadata by a slash at the end, as that of Google does; never by more. */
  readonly allowsIssuerSlash: boolean;
  /** Whether `application_type` must be registered. */
  readonly namesApplicationType: boolean;
  /** Whether `offline_access` is requested if the authorization server advertises it. */
  readonly requestsOfflineAccess: boolean;
}

/** @param revision one that is not known counts as the newest */
export function rulesOf(revision: string | null): RevisionRules {
  const named = revision !== null && isKnownRevision(revision) ? revision : newestModernRevision;
  const since = (first: Revision) => revisionAtLeast(named, first);
  const is2025June = since('2025-06-18');
  const is2025November = since('2025-11-25');
  const is2026 = since('2026-07-28');
  return {
    revision: named,
    // 2024-11-05 has no authorization, so what the server offers is used.
    usesResourceMetadata: is2025June || named === '2024-11-05',
    mustHaveResourceMetadata: is2025June,
    triesOpenId: is2025November,
    hasDefaultEndpoints: named === '2025-03-26',
    mustAdvertisePkce: is2025November,
    hasMetadataDocuments: is2025November,
    allowsIssuerSlash: !is2026,
    namesApplicationType: is2026,
    requestsOfflineAccess: is2026,
  };
}

import { isObject } from './jsonrpc.ts';

/** The two ways a session can work: with an `initialize` handshake, or with `_meta` on every request. */
export type Era = 'legacy' | 'modern';

interface RevisionFacts {
  readonly id: string;
  readonly era: Era;
}

/** Every published revision, oldest first (MCP versioning). */
export const revisions = [
  { id: '2024-11-05', era: 'legacy' },
  { id: '2025-03-26', era: 'legacy' },
  { id: '2025-06-18', era: 'legacy' },
  { id: '2025-11-25', era: 'legacy' },
  { id: '2026-07-28', era: 'modern' },
] as const satisfies readonly RevisionFacts[];

export type Revision = (typeof revisions)[number]['id'];

/** What `initialize` offers unless the user chose otherwise: the newest revision that has a handshake. */
export const newestLegacyRevision: Revision = '2025-11-25';

/** What requests of the modern era declare unless the user chose otherwise. */
export const newestModernRevision: Revision = '2026-07-28';

export const isKnownRevision = (text: string): text is Revision =>
  revisions.some((revision) => revision.id === text);

/** Revisions are compared by their place in the table, never as dates (MCP 2025-06-18 versioning). */
export const revisionAtLeast = (revision: Revision, atLeast: Revision): boolean =>
  revisions.findIndex(({ id }) => id === revision) >= revisions.findIndex(({ id }) => id === atLeast);

/** The era of a revision; null when the app does not know it. */
export const eraOf = (text: string): Era | null => revisions.find(({ id }) => id === text)?.era ?? null;

/** The revisions that can be agreed on with `initialize`, newest first. */
export const legacyRevisions: readonly Revision[] = revisions
  .filter(({ era }) => era === 'legacy')
  .map(({ id }) => id)
  .reverse();

/** The revisions that the data of a refusal names (MCP lifecycle, error handling); null if it has no list of them. */
export const supportedRevisions = (data: unknown): string[] | null =>
  isObject(data) && Array.isArray(data.supported)
    ? data.supported.filter((version) => typeof version === 'string')
    : null;

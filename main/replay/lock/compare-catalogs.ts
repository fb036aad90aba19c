import type { Result } from '#shared/contract/index.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import {
  type Catalog,
  catalogChanges,
  lostLists,
  uncomparedLists,
  unreadLists,
} from '#replay/compare/catalog-changes.ts';
import type { ComparingEffort } from '#replay/compare/compare-sides.ts';
import { withoutHopeless } from '#replay/compare/compare-sessions.ts';
import { lockText, readLock } from './lock-file.ts';

/** A lock file, or what a session or a trace has. `name` is for errors. */
export type CatalogSide =
  | { readonly name: string; readonly lock: string }
  | { readonly name: string; readonly catalog: Catalog; readonly calls: readonly TracedCall[] };

export interface CatalogsToCompare {
  readonly recorded: CatalogSide;
  readonly other: CatalogSide;
}

/** Compares two catalogs as lock files have them: with their references resolved. @throws FaultError for a bad lock file */
export function comparedCatalogs(
  { recorded, other }: CatalogsToCompare,
  { validate, ...effort }: ComparingEffort,
): Result<'lock/compare'> {
  const [left, right] = [catalogOf(recorded), catalogOf(other)];
  const calls = 'lock' in recorded ? [] : recorded.calls;
  return {
    catalog: catalogChanges(left, right, calls, withoutHopeless(validate, effort), effort.budget),
    uncomparedLists: uncomparedLists(left, right),
    lostLists: lostLists(left, right),
  };
}

const catalogOf = (side: CatalogSide): Catalog =>
  readLock(side.name, 'lock' in side ? side.lock : lockText(side.catalog));

export interface LockToWrite {
  readonly catalog: Catalog;
  /** The file that it replaces; null if there is none. */
  readonly replaces: { readonly name: string; readonly lock: string } | null;
}

/** The text of a lock file, the lists that it lacks, and those of them that the replaced file has. @throws FaultError */
export function writtenLock({ catalog, replaces }: LockToWrite): Result<'lock/text'> {
  const before = replaces === null ? null : readLock(replaces.name, replaces.lock);
  const missing = unreadLists(catalog);
  const lost = missing.filter((kind) => before !== null && before.lists[kind] !== null);
  return { text: lockText(catalog), missing, lost };
}

import type { Validation } from '#shared/contract/calls.ts';
import type { Handlers } from '#shared/contract/index.ts';
import type { CatalogSide } from '#shared/contract/lock.ts';
import { catalogChanges, lostLists, uncomparedLists, unreadLists } from '#replay/compare/catalog-changes.ts';
import type { ComparedSession } from '#replay/compare/compare-sessions.ts';
import { readSide, type SideOptions } from '#replay/read-sides.ts';
import { lockText, readLock } from './lock-file.ts';

interface LockOptions extends SideOptions {
  readonly validate: (schema: string, value: string) => Validation;
}

/** Writes lock files as text, and compares with them. Lists were read from the trace, or redacted by the list they are from. */
export function lockHandlers(
  options: LockOptions,
): Pick<Handlers, Extract<keyof Handlers, `lock/${string}`>> {
  return {
    'lock/text': async ({ sessionId, replaces }) => {
      const before = replaces === null ? null : readLock(replaces.name, replaces.lock);
      const { catalog } = await readSide(sessionId, options);
      const missing = unreadLists(catalog);
      const lost = missing.filter((kind) => before !== null && before.lists[kind] !== null);
      return { text: lockText(catalog), missing, lost };
    },
    'lock/compare': async ({ recorded, other }) => {
      const [left, right] = await Promise.all([sideOf(recorded, options), sideOf(other, options)]);
      return {
        catalog: catalogChanges(left.catalog, right.catalog, left.calls, options.validate),
        uncomparedLists: uncomparedLists(left.catalog, right.catalog),
        lostLists: lostLists(left.catalog, right.catalog),
      };
    },
  };
}

async function sideOf(side: CatalogSide, options: LockOptions): Promise<ComparedSession> {
  if ('lock' in side) return { calls: [], catalog: readLock(side.name, side.lock) };
  const read = await readSide(side.sessionId, options);
  // A lock file was written the same way, with its references resolved.
  return { ...read, catalog: readLock(side.sessionId, lockText(read.catalog)) };
}

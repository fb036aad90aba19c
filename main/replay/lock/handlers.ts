import type { Handlers, Result } from '#shared/contract/index.ts';
import type { CatalogSide as NamedSide } from '#shared/contract/lock.ts';
import { readSide, type SideOptions } from '#replay/read-sides.ts';
import type { CatalogSide, CatalogsToCompare, LockToWrite } from './compare-catalogs.ts';

interface LockOptions extends SideOptions {
  readonly compareCatalogs: (catalogs: CatalogsToCompare) => Promise<Result<'lock/compare'>>;
  readonly writeLock: (lock: LockToWrite) => Promise<Result<'lock/text'>>;
}

/** Writes lock files as text, and compares with them. Lists were read from the trace, or redacted by the list they are from. */
export function lockHandlers(
  options: LockOptions,
): Pick<Handlers, Extract<keyof Handlers, `lock/${string}`>> {
  const sideOf = async (side: NamedSide): Promise<CatalogSide> =>
    'lock' in side ? side : { name: side.sessionId, ...(await readSide(side.sessionId, options)) };
  return {
    'lock/text': async ({ sessionId, replaces }) => {
      const { catalog } = await readSide(sessionId, options);
      return options.writeLock({ catalog, replaces });
    },
    'lock/compare': async ({ recorded, other }) => {
      const [left, right] = await Promise.all([sideOf(recorded), sideOf(other)]);
      return options.compareCatalogs({ recorded: left, other: right });
    },
  };
}

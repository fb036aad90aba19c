import { TRACE_VERSION } from '#shared/trace/record.ts';

/** Turns a parsed line of one version of the format into what the next version would have written. */
export interface Upgrade {
  header(header: unknown): unknown;
  record(record: unknown): unknown;
}

/** From version 1 to 2, from 2 to 3 and so on; the shapes of a version that is over are frozen beside it. */
const upgrades: readonly Upgrade[] = [];

/** What turns lines of a version into those of the newest; null when there is nothing to do. */
export function upgradeFrom(version: number, steps: readonly Upgrade[] = upgrades): Upgrade | null {
  const ahead = steps.slice(version - 1);
  if (ahead.length === 0) return null;
  return {
    header: (header) => ahead.reduce((line, step) => step.header(line), header),
    record: (record) => ahead.reduce((line, step) => step.record(line), record),
  };
}

/** Whether lines of this version can be read at all. */
export const isReadable = (version: number): boolean =>
  Number.isInteger(version) && version >= 1 && version <= TRACE_VERSION;

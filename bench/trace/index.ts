import type { App, Host } from '../app/app.ts';
import type { Table } from '../report/table.ts';
import { transports } from '../servers/flood-server.ts';
import { callTable } from './calls.ts';
import { filterTable } from './filters.ts';
import { floodTable } from './floods.ts';
import { largeUnitTable } from './large-unit.ts';
import { openTables } from './open-file.ts';
import { overviewTable } from './overview.ts';
import { scrollTable } from './scroll.ts';
import { sortTable } from './sorts.ts';
import { startTable } from './start.ts';

/** How much of everything. */
export interface TraceBenchSize {
  readonly floods: readonly { readonly count: number; readonly rounds: number }[];
  readonly calls: number;
  readonly starts: number;
  /** Records of the file that is opened, and MiB of the large unit. */
  readonly records: number;
  readonly largeUnit: number;
}

export const fullSize: TraceBenchSize = {
  floods: [
    { count: 1000, rounds: 3 },
    { count: 10_000, rounds: 3 },
    { count: 100_000, rounds: 3 },
    { count: 1_000_000, rounds: 1 },
  ],
  calls: 40,
  starts: 5,
  records: 1_000_000,
  largeUnit: 100,
};

/** Shows in a minute that everything can be measured; its figures are worth little. */
export const quickSize: TraceBenchSize = {
  floods: [{ count: 1000, rounds: 1 }],
  calls: 5,
  starts: 1,
  records: 20_000,
  largeUnit: 4,
};

const BYTES = 200;

/** A part of the benchmark. It hands each table on as soon as it has it, for the whole takes its time. */
type Part = (host: Host, size: TraceBenchSize, done: (table: Table) => void) => Promise<void>;

const floods: Part = async (host, { floods: sizes }, done) => {
  const largest = Math.max(...sizes.map(({ count }) => count));
  for (const { count, rounds } of sizes) {
    for (const transport of transports) {
      const later: Table[] = [];
      const isLargest = count === largest && transport === 'stdio';
      const after = async (app: App) => {
        later.push(await scrollTable(app), await filterTable(app, count), await overviewTable(app));
        later.push(await sortTable(app));
      };
      const flood = { transport, count, size: BYTES, rounds };
      done(await floodTable(host, { ...flood, view: 'messages', ...(isLargest && { after }) }));
      for (const table of later) done(table);
    }
  }
};

/** The same in the view that new users see. */
const floodsOfCalls: Part = async (host, { floods: sizes }, done) => {
  for (const { count, rounds } of sizes)
    done(await floodTable(host, { transport: 'stdio', count, size: BYTES, rounds, view: 'calls' }));
};

/** Every part of the benchmark of the trace, by name. */
export const traceParts: Readonly<Record<string, Part>> = {
  start: async (host, { starts }, done) => done(await startTable(host, starts)),
  calls: async (host, { calls }, done) => done(await callTable(host, calls)),
  floods,
  'floods-of-calls': floodsOfCalls,
  open: async (host, { records }, done) => {
    for (const table of await openTables(host, records)) done(table);
  },
  'large-unit': async (host, { largeUnit }, done) => done(await largeUnitTable(host, largeUnit)),
};

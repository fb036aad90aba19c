import type { Table } from '../report/table.ts';
import { replayTable } from './calls.ts';
import { compareTable } from './compare.ts';

const CALLS = 100_000;
const FEW_CALLS = 2000;
const ROUNDS = 3;

/** A recording of 100,000 calls is replayed next to a bare client, and two are compared. */
export async function replayTables(isQuick: boolean, print: (table: Table) => void): Promise<void> {
  const calls = isQuick ? FEW_CALLS : CALLS;
  print(await replayTable(calls, isQuick ? 1 : ROUNDS));
  print(await compareTable(calls));
}

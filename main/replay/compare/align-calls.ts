import type { TracedCall } from '#shared/contract/trace.ts';
import type { ReplayRun, SkipReason } from '#shared/contract/replay.ts';
import { memberTexts } from '#shared/json/members.ts';

/** A call of both sides, or of one alone. */
export interface CallPair {
  readonly recorded: TracedCall | null;
  readonly other: TracedCall | null;
  /** Why the call was not made on the other side; null unless a replay skipped it. */
  readonly skipped: SkipReason | null;
}

/**
 * Finds for each call the one it corresponds to: with the same method, target and params, otherwise with the same method and
 * target; of several in their order. A replay knows its own pairs. In the order of the first side; calls of the other alone come where they were made.
 */
export function alignCalls(
  recorded: readonly TracedCall[],
  other: readonly TracedCall[],
  replay: ReplayRun | null = null,
): CallPair[] {
  const partners = partnersIn(replay, recorded, other);
  const taken = new Set(partners.values());
  const skipped = new Map(replay?.calls.map((call) => [call.recordedRow, call.skipped]));
  for (const keyOf of [writtenKey, exactKey, looseKey]) {
    const waiting = new Map<string, TracedCall[]>();
    for (const call of other) {
      if (taken.has(call)) continue;
      const key = keyOf(call);
      const list = waiting.get(key);
      if (list === undefined) waiting.set(key, [call]);
      else list.push(call);
    }
    // Read from the end, so that a long list is not moved for each call.
    for (const list of waiting.values()) list.reverse();
    for (const call of recorded) {
      if (partners.has(call) || skipped.get(call.row) != null) continue;
      const partner = waiting.get(keyOf(call))?.pop();
      if (partner === undefined) continue;
      partners.set(call, partner);
      taken.add(partner);
    }
  }
  return inOrder(recorded, other, partners).map((pair) => ({
    ...pair,
    skipped: (pair.recorded && skipped.get(pair.recorded.row)) ?? null,
  }));
}

/** The calls that a replay made of recorded ones. */
function partnersIn(
  replay: ReplayRun | null,
  recorded: readonly TracedCall[],
  other: readonly TracedCall[],
): Map<TracedCall, TracedCall> {
  const byRow = (calls: readonly TracedCall[]) => new Map(calls.map((call) => [call.row, call]));
  const [left, right] = [byRow(recorded), byRow(other)];
  const partners = new Map<TracedCall, TracedCall>();
  for (const { recordedRow, row } of replay?.calls ?? []) {
    const [call, partner] = [left.get(recordedRow), row === null ? undefined : right.get(row)];
    if (call !== undefined && partner !== undefined) partners.set(call, partner);
  }
  return partners;
}

/** Walks the first side; before a partner come the calls of the other side that precede it and have none. */
function inOrder(
  recorded: readonly TracedCall[],
  other: readonly TracedCall[],
  partners: ReadonlyMap<TracedCall, TracedCall>,
): Omit<CallPair, 'skipped'>[] {
  const taken = new Set(partners.values());
  const extra = other.filter((call) => !taken.has(call));
  const pairs: Omit<CallPair, 'skipped'>[] = [];
  let next = 0;
  for (const call of recorded) {
    const partner = partners.get(call) ?? null;
    const before = partner?.row ?? Number.NEGATIVE_INFINITY;
    for (let one = extra[next]; one !== undefined && one.row < before; one = extra[++next]) {
      pairs.push({ recorded: null, other: one });
    }
    pairs.push({ recorded: call, other: partner });
  }
  return [...pairs, ...extra.slice(next).map((one) => ({ recorded: null, other: one }))];
}

const looseKey = ({ direction, method, target }: TracedCall): string =>
  JSON.stringify([direction, method, target]);

/** Finds most calls, and takes a tenth of the time of `exactKey`. */
const writtenKey = (call: TracedCall): string => `${looseKey(call)} ${call.params}`;

const exactKey = (call: TracedCall): string => `${looseKey(call)} ${canonical(call.params)}`;

/** The params with their members in order, as far as the outer two levels. */
function canonical(params: string | null): string {
  if (params === null) return '';
  const sorted = (text: string, depth: number): string => {
    if (depth === 0 || !text.trimStart().startsWith('{')) return text;
    const members = [...memberTexts(text)].sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${sorted(value, depth - 1)}`).join()}}`;
  };
  return sorted(params, 3);
}

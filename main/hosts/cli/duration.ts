import { UsageError } from './exit-codes.ts';
import { quoted } from './given.ts';

const units: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
const LONGEST = 24 * 3_600_000;

/**
 * Milliseconds of a time such as `500ms`, `30s`, `2m`, `1.5h`; a bare number counts seconds.
 *
 * @param option what it was given for, to name it in the complaint
 * @throws UsageError
 */
export function readDuration(option: string, text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)([a-z]+)?$/.exec(text) ?? [];
  const milliseconds = Math.round(Number(number) * (units.get(unit) ?? Number.NaN));
  if (milliseconds >= 1 && milliseconds <= LONGEST) return milliseconds;
  throw new UsageError(`${option} wants a time such as 500ms, 30s or 2m, at most 24h; it is ${quoted(text)}`);
}

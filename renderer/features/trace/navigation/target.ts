import { agoUnits, readQuantity } from '#shared/trace/filter/numbers.ts';
import { instantIn, readInstant, type TraceClock } from '#shared/trace/filter/instants.ts';

/** Where someone wants to go: a row, counted from 0, or an instant in microseconds of the trace. */
export type NavigationTarget =
  | { readonly to: 'row'; readonly row: number }
  | { readonly to: 'at'; readonly at: number };

/** Reads `1204`, `#1,204`, `10:42:03`, a date, `+1.5s` since the first row or `-5m` before the last; null else. */
export function readTarget(written: string, clock: TraceClock): NavigationTarget | null {
  const text = written.trim();
  if (/^#?\d[\d,]*$/.test(text)) {
    const number = Number(text.replaceAll(/[#,]/g, ''));
    return number > 0 ? { to: 'row', row: number - 1 } : null;
  }
  if (text.startsWith('+')) {
    const since = readQuantity(text.slice(1).trim(), agoUnits);
    return since === null ? null : { to: 'at', at: clock.at + since };
  }
  const instant = readInstant(text);
  return instant === null ? null : { to: 'at', at: Math.round(instantIn(instant, clock)) };
}

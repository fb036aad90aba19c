import { logLevels, severityOf } from '#shared/protocol/log-levels.ts';
import type { Range } from './filter.ts';

/** Units, largest first, each with its size in the smallest unit. */
export interface Units {
  readonly factors: readonly (readonly [name: string, factor: number])[];
  /** Other ways to write them, in lower case. */
  readonly aliases: Readonly<Record<string, string>>;
  /** The default unit. */
  readonly bare: string;
}

export const durationUnits: Units = {
  factors: [
    ['m', 60_000_000],
    ['s', 1_000_000],
    ['ms', 1000],
    ['us', 1],
  ],
  aliases: { µs: 'us', μs: 'us', min: 'm' },
  bare: 'ms',
};

/** Spans of time before the end of a trace. */
export const agoUnits: Units = {
  factors: [['h', 3_600_000_000], ...durationUnits.factors],
  aliases: durationUnits.aliases,
  bare: 's',
};

/** Powers of 1000, as sizes are shown. */
export const sizeUnits: Units = {
  factors: [
    ['GB', 1_000_000_000],
    ['MB', 1_000_000],
    ['kB', 1000],
    ['B', 1],
  ],
  aliases: { g: 'GB', m: 'MB', k: 'kB' },
  bare: 'B',
};

/** Numbers of rows, as they are shown. */
export const countUnits: Units = { factors: [['', 1]], aliases: { '#': '' }, bare: '' };

const NUMBER = /^#?(\d+(?:\.\d+)?|\.\d+)\s*([a-zµμ]*)$/i;

/** A quantity in the smallest unit; null for other text. */
export function readQuantity(written: string, units: Units): number | null {
  const [, digits, name = ''] = NUMBER.exec(written) ?? [];
  if (digits === undefined) return null;
  const factor = factorOf(name, units);
  const exact = factor === null ? Number.NaN : Number(digits) * factor;
  // There is nothing smaller than a microsecond or a byte.
  const value = Math.round(exact);
  if (units === countUnits && value !== exact) return null;
  return value <= Number.MAX_SAFE_INTEGER ? value : null;
}

function factorOf(name: string, units: Units): number | null {
  const wanted = name.toLowerCase();
  const known = wanted === '' ? units.bare : (units.aliases[wanted] ?? wanted);
  const found = units.factors.find(([unit]) => unit.toLowerCase() === known.toLowerCase());
  return found?.[1] ?? null;
}

/** Prints a quantity for `readQuantity`, in the largest unit without decimals. */
export function printQuantity(value: number, units: Units): string {
  for (const [name, factor] of units.factors) {
    const written = `${value / factor}${name}`;
    if (Number.isInteger(value / factor) && readQuantity(written, units) === value) return written;
  }
  return `${value}${units.factors.at(-1)?.[0] ?? ''}`;
}

/** Whether a number is within a range. */
export function isWithin(value: number, { low, high, lowOpen, highOpen }: Range): boolean {
  return (lowOpen ? value > low : value >= low) && (highOpen ? value < high : value <= high);
}

const COMPARISON = /^(>=|<=|>|<|=)(.*)$/s;

/** How the bounds of a range are written. */
export interface Scale {
  /** Null for other text. */
  readonly read: (written: string) => number | null;
  readonly print: (value: number) => string;
}

export const inUnits = (units: Units): Scale => ({
  read: (written) => readQuantity(written, units),
  print: (value) => printQuantity(value, units),
});

/** Levels of log messages, the least severe first. */
export const levelScale: Scale = {
  read: (written) => severityOf(written.trim().toLowerCase()),
  print: (value) => logLevels[value] ?? '',
};

/** A range such as `>200ms`, `1..5` or `7`; null for other text. */
export function readRange(written: string, { read }: Scale): Range | null {
  const [, sign, bound = ''] = COMPARISON.exec(written) ?? [];
  if (sign !== undefined) {
    const value = read(bound);
    return value === null ? null : (compared[sign]?.(value) ?? null);
  }
  const dots = written.indexOf('..');
  if (dots === -1) {
    const value = read(written);
    return value === null ? null : { low: value, high: value };
  }
  const [before, after] = [written.slice(0, dots), written.slice(dots + 2)];
  if (before === '' && after === '') return null;
  const low = before === '' ? Number.NEGATIVE_INFINITY : read(before);
  const high = after === '' ? Number.POSITIVE_INFINITY : read(after);
  return low === null || high === null || low > high ? null : { low, high };
}

const compared: Readonly<Record<string, (value: number) => Range>> = {
  '>': (low) => ({ low, lowOpen: true, high: Number.POSITIVE_INFINITY }),
  '>=': (low) => ({ low, high: Number.POSITIVE_INFINITY }),
  '<': (high) => ({ low: Number.NEGATIVE_INFINITY, high, highOpen: true }),
  '<=': (high) => ({ low: Number.NEGATIVE_INFINITY, high }),
  '=': (value) => ({ low: value, high: value }),
};

export function printRange({ low, high, lowOpen, highOpen }: Range, { print }: Scale): string {
  if (high === Number.POSITIVE_INFINITY) return `${lowOpen ? '>' : '>='}${print(low)}`;
  if (low === Number.NEGATIVE_INFINITY) return `${highOpen ? '<' : '<='}${print(high)}`;
  if (low === high) return print(low);
  return `${print(low)}..${print(high)}`;
}

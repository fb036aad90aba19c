import type { Instant } from './filter.ts';
import { agoUnits, printQuantity, readQuantity } from './numbers.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The length of a date with a year of four digits. */
const ISO_LENGTH = '1970-01-01T00:00:00.000Z'.length;

const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?$/;
const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,3})?)?)?(Z|[+-]\d{2}:\d{2})?$/i;

/** A time of day, an ISO date with or without time, or a span before the end; null for other text. */
export function readInstant(written: string): Instant | null {
  if (written.startsWith('-')) {
    const microseconds = readQuantity(written.slice(1), agoUnits);
    return microseconds === null ? null : { type: 'ago', microseconds };
  }
  const [, hours, minutes, seconds = '0', fraction = ''] = CLOCK.exec(written) ?? [];
  if (hours !== undefined) {
    const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)];
    if (h > 23 || m > 59 || s > 59) return null;
    return { type: 'clock', ms: h * HOUR + m * MINUTE + s * 1000 + Number(fraction.padEnd(3, '0')) };
  }
  const [, day, time = '00:00', rest = ':00', zone = ''] = DATE.exec(written) ?? [];
  // Without a zone it is local time. JavaScript would read a date alone as UTC.
  const ms = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${rest}${zone}`.toUpperCase());
  if (Number.isNaN(ms) || new Date(ms).toISOString().length !== ISO_LENGTH) return null;
  return { type: 'wall', ms };
}

export function printInstant(instant: Instant): string {
  switch (instant.type) {
    case 'ago':
      return `-${printQuantity(instant.microseconds, agoUnits)}`;
    case 'wall':
      return new Date(instant.ms).toISOString();
    case 'clock':
      // In UTC, so that the result does not depend on the time zone.
      return new Date(instant.ms).toISOString().slice('1970-01-01T'.length, -1);
  }
}

/** Maps the times of a trace to the wall clock, and holds the end of the trace. */
export interface TraceClock {
  /** The instant of the first record: microseconds of the trace, milliseconds since the epoch. */
  readonly at: number;
  readonly wall: number;
  /** The time of the last row, in microseconds of the trace. */
  readonly lastAt: number;
}

/**
 * An instant in microseconds of a trace. A time of day is that of the day on which the trace began, or of the next
 * if the trace extends to it.
 */
export function instantIn(instant: Instant, { at, wall, lastAt }: TraceClock): number {
  const ofWall = (ms: number) => at + (ms - wall) * 1000;
  switch (instant.type) {
    case 'ago':
      return lastAt - instant.microseconds;
    case 'wall':
      return ofWall(instant.ms);
    case 'clock': {
      const first = ofWall(localTime(wall, 0, instant.ms));
      const next = ofWall(localTime(wall, 1, instant.ms));
      return first < at && next <= lastAt ? next : first;
    }
  }
}

/** A time of day some days after the day of an instant, in local time. */
function localTime(wall: number, days: number, ms: number): number {
  const day = new Date(wall);
  const midnight = new Date(day.getFullYear(), day.getMonth(), day.getDate() + days);
  // By the local clock, because days on which daylight saving time changes have 23 or 25 hours.
  midnight.setHours(0, 0, 0, ms % DAY);
  return midnight.getTime();
}

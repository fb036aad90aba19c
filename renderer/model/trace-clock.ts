import { formatClock } from '#shared/format.ts';

/** One instant by both clocks: the trace's in microseconds, the wall clock's in milliseconds since the epoch. */
export interface Clock {
  readonly at: number;
  readonly wall: number;
}

/** Milliseconds since the Unix epoch. */
export const wallTime = (clock: Clock, at: number): number => clock.wall + (at - clock.at) / 1000;

/** The local time of day, `14:05:01` and `.204`. The milliseconds are separate, because a narrow table omits them. */
export function timeOfDay(clock: Clock, at: number): { toSecond: string; milliseconds: string } {
  const time = formatClock(wallTime(clock, at));
  return { toSecond: time.slice(0, 8), milliseconds: time.slice(8) };
}

/** Date, time, and seconds since the trace began. */
export const instantInFull = (clock: Clock, at: number): string => instantParts(clock, at).join(' · ');

/** Date and time, and the seconds since the trace began. */
export function instantParts(clock: Clock, at: number): readonly [instant: string, sinceStart: string] {
  const wall = wallTime(clock, at);
  const seconds = ((at - clock.at) / 1_000_000).toFixed(6);
  return [`${new Date(wall).toLocaleDateString('en-CA')} ${formatClock(wall)}`, `+${seconds} s`];
}

/** The time since the trace began, `+1.204`, `+1:15.204`, `+2:01:15.204`: as precise as a time of day. */
export function sinceStart(clock: Clock, at: number): string {
  const ms = Math.max(0, Math.round((at - clock.at) / 1000));
  const two = (number: number) => String(number).padStart(2, '0');
  const [hours, minutes, seconds] = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map(Math.floor);
  const fraction = String(ms % 1000).padStart(3, '0');
  if (hours) return `+${hours}:${two(minutes ?? 0)}:${two(seconds ?? 0)}.${fraction}`;
  if (minutes) return `+${minutes}:${two(seconds ?? 0)}.${fraction}`;
  return `+${seconds}.${fraction}`;
}

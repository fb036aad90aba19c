/** Numbers as the screen writes them, the same everywhere. */

const counts = new Intl.NumberFormat('en-US');

/** `12,408` */
export const formatCount = (count: number): string => counts.format(count);

/** `1 error`, `12,408 records` */
export const formatQuantity = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** Microseconds as `312 µs`, `1.1 ms`, `412 ms`, `5.012 s`, `2 min 05 s`. */
export function formatDuration(microseconds: number): string {
  if (microseconds < 999.5) return `${Math.round(microseconds)} µs`;
  const ms = microseconds / 1000;
  if (ms < 99.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const s = ms / 1000;
  if (s < 59.9995) return `${s.toFixed(3)} s`;
  const whole = Math.round(s);
  return `${formatCount(Math.floor(whole / 60))} min ${pad(whole % 60)} s`;
}

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** `312 B`, `4.1 kB`, `20.0 MB`: powers of 1000. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= (unit === 0 ? 1000 : 999.95) && unit < byteUnits.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${byteUnits[unit]}`;
}

/** Milliseconds since the epoch as local time of day: `14:05:01.204`. */
export function formatClock(wall: number): string {
  const time = new Date(wall);
  return `${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}

/** Milliseconds since the epoch as local day and time: `2026-03-12 14:02`. */
export function formatMinute(wall: number): string {
  const time = new Date(wall);
  const day = `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`;
  return `${day} ${pad(time.getHours())}:${pad(time.getMinutes())}`;
}

/** Milliseconds as a running clock: `0:07`, `3:12`, `1:03:12`. */
export function formatUptime(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`;
}

/** How long something ran, milliseconds: `61 ms` below a second, then as an uptime. */
export const formatRunTime = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.max(0, Math.round(milliseconds))} ms` : formatUptime(milliseconds);

/** A text of at most `max` characters; a longer one ends with an ellipsis. */
export const truncate = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max - 1)}…` : text;

const pad = (number: number): string => String(number).padStart(2, '0');

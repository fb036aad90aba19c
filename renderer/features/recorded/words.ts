/** `38`, `12.4k`, `1.0M`: how many, where there is room for few digits. */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_950) return `${(count / 1000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** When, in a word: `14:02` today, `yest.`, `12 Mar` this year, `2024-03-12` before. Milliseconds since the epoch. */
export function shortTime(wall: number, now: number): string {
  const time = new Date(wall);
  const today = new Date(now);
  if (dayOf(time) === dayOf(today)) return timeOfDay(time);
  if (dayOf(time) === dayOf(new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1))) {
    return 'yest.';
  }
  if (time.getFullYear() === today.getFullYear()) return `${time.getDate()} ${months[time.getMonth()]}`;
  return dayOf(time);
}

/** `2026-03-12 14:02` */
export function fullTime(wall: number): string {
  const time = new Date(wall);
  return `${dayOf(time)} ${timeOfDay(time)}`;
}

/** The last part of a path. */
export const fileNameOf = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

const dayOf = (time: Date): string =>
  `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`;

const timeOfDay = (time: Date): string => `${pad(time.getHours())}:${pad(time.getMinutes())}`;

const pad = (number: number): string => String(number).padStart(2, '0');

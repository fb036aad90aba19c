/** Text that was put where the other kind of transport is described. */
import { isRunner } from '#shared/server-names.ts';

/** The URL that was written where a command line belongs; null when none was. */
export const urlIn = (commandLine: string): string | null =>
  /^["'<]?(https?:\/\/[^\s"'<>]+)["'>]?$/i.exec(commandLine.trim())?.[1] ?? null;

/** The command line that was written where a URL belongs; null when none was. */
export function commandLineIn(url: string): string | null {
  const text = url.trim();
  const [first = '', second] = text.split(/\s+/);
  if (first.includes('://')) return null;
  const isPath = /^(?:\.{0,2}[\\/]|~\/|[a-z]:\\)/i.test(first);
  return second !== undefined || isPath || isRunner(first) ? text : null;
}

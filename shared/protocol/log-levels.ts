/** Levels of log messages, the least severe first (MCP 2024-11-05 logging; RFC 5424 section 6.2.1). */
export const logLevels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;
export type LogLevel = (typeof logLevels)[number];

/** The index of a level in `logLevels`; null for any other value. */
export function severityOf(level: unknown): number | null {
  const severity = logLevels.findIndex((one) => one === level);
  return severity === -1 ? null : severity;
}

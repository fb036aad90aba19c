import { parseFilter } from '#shared/trace/filter/index.ts';

/** Why a filter cannot be read, and where. */
export interface Problem {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** Null when the filter can be read. */
export function problemOf(text: string): Problem | null {
  const parsed = parseFilter(text);
  return parsed.ok ? null : parsed.problem;
}

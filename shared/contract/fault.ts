import { z } from 'zod';
import { truncate } from '../format.ts';

/** A fault, for the user: what happened, the likely cause, what to do. */
export const faultSchema = z.object({
  /** Stable name for programs, such as `command-not-found`. */
  code: z.string(),
  /** What happened, in one sentence. */
  what: z.string(),
  /** What the server said about it, some lines, shown before the likely cause. Untrusted text. */
  quote: z.string().optional(),
  /** The likely cause. */
  why: z.string().optional(),
  /** What to do next. */
  next: z.string().optional(),
  /** The evidence, such as the last lines of stderr. Untrusted text. */
  evidence: z.string().optional(),
  /** Whether the evidence says it best, such as the stack trace of a crash, so that it is shown at once. */
  showsEvidence: z.literal(true).optional(),
  /** The row of the trace of its session that shows it. */
  row: z.number().int().optional(),
});
export type Fault = z.infer<typeof faultSchema>;

/** Limit of characters of the words of a server on one line, and in a report. */
const MAX_LINE = 300;
const MAX_SAID = 4000;

/** What happened, what the server said about it, and the likely cause, on one line. */
export function faultLine({ what, quote, evidence, why }: Fault): string {
  // Of a server that ended, its last words say more than what we say.
  const said = quote ?? evidence?.trimEnd().split('\n').at(-1);
  return [
    what,
    ...(said ? [`It said: ${lineOf(said).replace(/\.?$/, '.')}`] : []),
    ...(why === undefined ? [] : [why]),
  ]
    .map((part) => part.replaceAll(/\s+/g, ' '))
    .join(' ');
}

const lineOf = (text: string): string => truncate(text.trim().replaceAll(/\s+/g, ' '), MAX_LINE);

/** All that a server said about a fault, without its beginning if it is long; null if it said nothing. */
export function faultQuote({ quote, evidence }: Fault): string | null {
  const whole = evidence ?? quote ?? '';
  return whole === '' ? null : whole.slice(-MAX_SAID);
}

/** The message of anything that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The system's code of an error, such as `ENOENT`; null if it has none. */
export const systemCodeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error ? String(error.code) : null;

/** The fault for a bug of ours. */
export const internalFault = (doing: string, error: unknown): Fault => ({
  code: 'internal',
  what: `Something went wrong inside Sightglass while it ${doing}.`,
  why: messageOf(error),
  next: 'This is a bug. What was recorded is safe.',
  ...(error instanceof Error && error.stack !== undefined && { evidence: error.stack }),
});

/** The fault of a `FaultError`; any other error is a bug of ours. */
export const faultOf = (doing: string, error: unknown): Fault =>
  error instanceof FaultError ? error.fault : internalFault(doing, error);

/** Carries a fault through code that can only throw. */
export class FaultError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.what);
    this.name = 'FaultError';
    this.fault = fault;
  }
}

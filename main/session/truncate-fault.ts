import type { Fault } from '#shared/contract/fault.ts';

/** Characters kept of each text: a server may send any number. */
const LONGEST = 10_000;

/** Shortens the texts of a fault to what fits a screen. The trace has all of them. */
export const truncateFault = ({ code, what, quote, why, next, evidence }: Fault): Fault => ({
  code,
  what: cut(what),
  ...(quote !== undefined && { quote: cut(quote) }),
  ...(why !== undefined && { why: cut(why) }),
  ...(next !== undefined && { next: cut(next) }),
  ...(evidence !== undefined && { evidence: cut(evidence) }),
});

const cut = (text: string): string =>
  text.length <= LONGEST
    ? text
    : `${text.slice(0, LONGEST)}… (${text.length - LONGEST} more characters; the trace has the whole)`;

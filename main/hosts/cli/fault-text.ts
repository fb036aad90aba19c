import type { Fault } from '#shared/contract/fault.ts';

/** A fault as lines for a person: what happened, what the server said, why, what to try, and the evidence. */
export function faultText({ what, quote, why, next, evidence }: Fault): string {
  return [
    what,
    ...quoteLines(quote),
    ...(why === undefined ? [] : [`  why: ${why}`]),
    ...(next === undefined ? [] : [`  next: ${next}`]),
    ...(evidence === undefined ? [] : ['  evidence:', ...evidence.split('\n').map((line) => `    ${line}`)]),
  ].join('\n');
}

/** What the server said, as lines to stand below what happened. */
export const quoteLines = (quote: string | undefined): string[] =>
  quote === undefined ? [] : ['  it said:', ...quote.split('\n').map((line) => `    ${line}`)];

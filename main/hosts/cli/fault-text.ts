import type { Fault } from '#shared/contract/fault.ts';

/** A fault as lines for a person: what happened, why, what to try, and the evidence. */
export function faultText({ what, why, next, evidence }: Fault): string {
  return [
    what,
    ...(why === undefined ? [] : [`  why: ${why}`]),
    ...(next === undefined ? [] : [`  next: ${next}`]),
    ...(evidence === undefined ? [] : ['  evidence:', ...evidence.split('\n').map((line) => `    ${line}`)]),
  ].join('\n');
}

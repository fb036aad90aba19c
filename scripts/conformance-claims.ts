/** What the engine cannot do yet, by the beginning of the names of the scenarios that test it. All others must pass. */
const lacking: readonly (readonly [beginning: string, what: string])[] = [
  ['sep-2640-', 'the skills extension'],
];

/** Why a scenario is not run; null if it must pass. */
export const whyNotClaimed = (scenario: string): string | null =>
  lacking.find(([beginning]) => scenario.startsWith(beginning))?.[1] ?? null;

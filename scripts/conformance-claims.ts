import type { Revision } from './conformance-report.ts';

/** The scenarios of the official suite that the engine must pass, by the revision whose wire they run on. */
export const claims: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': [
    'initialize',
    'tools_call',
    'elicitation-sep1034-client-defaults',
    'sse-retry',
    'json-schema-2020-12-preservation',
  ],
  '2026-07-28': [
    'tools_call',
    'request-metadata',
    'sep-2322-client-request-state',
    'http-standard-headers',
    'http-custom-headers',
    'http-invalid-tool-headers',
    'json-schema-ref-no-deref',
    'json-schema-2020-12-preservation',
  ],
};

/** What the engine has to learn first, by the beginning of a scenario's name; the first that fits says it. */
const lacking: readonly (readonly [beginning: string, what: string])[] = [
  ['auth/', 'authorization'],
  ['sep-2640-', 'the skills extension'],
];

/**
 * Why a scenario is not claimed.
 *
 * @throws Error for one that nobody has judged, so that none goes missing with a new suite
 */
export function whyNotClaimed(scenario: string): string {
  const found = lacking.find(([beginning]) => scenario.startsWith(beginning));
  if (found === undefined) throw new Error(`nobody has said what is lacking for "${scenario}"`);
  return found[1];
}

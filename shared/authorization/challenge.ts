import type { HeaderLines } from '../trace/record.ts';

/** One challenge of `WWW-Authenticate` (RFC 9110 section 11.6.1). Untrusted. */
export interface Challenge {
  /** The scheme as it was written. */
  readonly scheme: string;
  /** The parameters by name in lower case; the first one if a name is repeated. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Parameters with a quoted or bare value, and bare words, which begin the next challenge. */
const PART = /([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))|([\w!#$%&'*+.^`|~-]+)/g;

/** Limit of characters read of one header line. */
const MAX_LINE = 16 * 1024;

/** The challenges of a response, in their order. */
export function challengesOf(headers: HeaderLines): Challenge[] {
  return headers
    .filter(([name]) => name.toLowerCase() === 'www-authenticate')
    .flatMap(([, value]) => readChallenges(value.slice(0, MAX_LINE)));
}

function readChallenges(value: string): Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  for (const [, name = '', quoted, token, scheme] of value.matchAll(PART)) {
    if (scheme !== undefined) {
      challenges.push({ scheme, parameters: new Map() });
      continue;
    }
    const parameters = challenges.at(-1)?.parameters;
    const key = name.toLowerCase();
    if (parameters !== undefined && !parameters.has(key)) {
      parameters.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? token ?? '');
    }
  }
  return challenges;
}

/** The challenge that OAuth applies to: the first of `Bearer` or `DPoP`; null without one. */
export const oauthChallenge = (challenges: readonly Challenge[]): Challenge | null =>
  challenges.find(({ scheme }) => /^(?:bearer|dpop)$/i.test(scheme)) ?? null;

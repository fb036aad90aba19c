import { type Findings, shown } from './findings.ts';
import { containsUrl, differenceOf } from './urls.ts';

/** How the audience of a token differs from the resource that it is for. */
type AudienceDifference = 'none' | 'slash' | 'spelling' | 'parent' | 'other';

/** From the smallest on. */
const differences: readonly AudienceDifference[] = ['none', 'slash', 'spelling', 'parent', 'other'];

/** The texts of `aud` (RFC 7519 section 4.1.3); null without any. */
export function audiencesOf(aud: unknown): readonly string[] | null {
  const values: unknown[] = Array.isArray(aud) ? aud : [aud];
  const texts = values.flatMap((one) => (typeof one === 'string' && one !== '' ? [one] : []));
  return texts.length === 0 ? null : texts;
}

/** The smallest difference between one of the audiences and the resource. */
export function audienceDifference(audiences: readonly string[], resource: string): AudienceDifference {
  const own = new Set(audiences.map((audience) => differenceFrom(resource, audience)));
  return differences.find((one) => own.has(one)) ?? 'other';
}

function differenceFrom(resource: string, audience: string): AudienceDifference {
  const difference = differenceOf(resource, audience);
  if (difference !== 'other' || !URL.canParse(audience) || !URL.canParse(resource)) return difference;
  const [parent, child] = [new URL(audience), new URL(resource)];
  return isWeb(parent) && containsUrl(parent, child) ? 'parent' : 'other';
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:';

/** Compares the audience of a token with the resource that was asked for. */
export function checkAudience(audiences: readonly string[], resource: string, found: Findings): void {
  const names = audiences.join(', ');
  const values = { expected: resource, received: names };
  switch (audienceDifference(audiences, resource)) {
    case 'none':
      return;
    case 'slash':
      return found.add('token-audience-slash-differs', {
        text: `The token's audience is ${names}, the server ${resource}: only the slash at the end differs.`,
        ...values,
      });
    case 'spelling':
      return found.add('token-audience-spelling-differs', {
        text: `The token's audience is ${names}, the server ${resource}: the same URL, written in another way.`,
        ...values,
      });
    case 'parent':
      return found.add('token-audience-is-parent', {
        text: `The token's audience is ${names}, which contains the server ${resource}.`,
        ...values,
      });
    case 'other':
      return found.add('token-audience-differs', {
        text: `The token's audience is ${names}, the server ${resource}.`,
        ...values,
      });
  }
}

/** Reports a JWT access token that does not say for whom it is. */
export function addMissingAudience(aud: unknown, resource: string | null, found: Findings): void {
  found.add('token-without-audience', {
    expected: resource ?? 'aud',
    received: aud === undefined ? null : shown(aud),
  });
}

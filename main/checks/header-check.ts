import type { Found, SeenStep } from '#trace/inspector.ts';
import { broken } from './rules.ts';

/**
 * Header values that a tool which replaces secrets wherever they stand would be led astray by: the message on record
 * would be damaged, or what the user is to see of it hidden. Sightglass replaces them in their own header only.
 */
export function checkHeaders({ row, record }: SeenStep): readonly Found[] {
  const place = { row, direction: 'in' as const };
  if (record.kind === 'http-response') {
    return (record.tornJson ?? []).map((name) =>
      broken('http/header-hides-content', place, `${TORN} ${name}: ${CREDENTIAL}`),
    );
  }
  if (record.kind !== 'http-end') return [];
  return (record.alsoInMessages ?? []).map((name) =>
    broken('http/header-hides-content', place, `The value of the header ${name} ${REPEATED}`),
  );
}

const TORN = 'Punctuation of JSON in the header';
const CREDENTIAL =
  'a tool that takes such a value for a secret, and replaces it wherever it stands, would damage every message';
const REPEATED =
  'stands in a message too: a tool that takes it for a secret, and replaces it wherever it stands, would hide that';

import { redactUntrusted } from './redact-http.ts';
import type { Redactor } from './redaction.ts';

/** Plain data with all texts in it redacted, the keys of objects too. */
export function redactTexts<T>(redactor: Redactor, value: T): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only texts are exchanged, for texts
  return redacted(redactor, value) as T;
}

function redacted(redactor: Redactor, value: unknown): unknown {
  if (typeof value === 'string') return redactUntrusted(redactor, value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => redacted(redactor, element));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [redactor.redact(key), redacted(redactor, member)]),
  );
}

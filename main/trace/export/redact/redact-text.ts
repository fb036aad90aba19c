import { Redactor } from '#trace/recorder/redaction.ts';
import { Patterns } from './patterns.ts';
import { Redaction } from './redaction.ts';
import { Removals } from './spans.ts';
import { UnitRedaction } from './unit-redaction.ts';

/**
 * Replaces secrets in a text that is not part of a trace, such as the log of another client: the given values, and what
 * an export would find by itself.
 *
 * @param secrets values with what they are, such as `env:API_KEY`
 * @param patterns the user's own regular expressions
 */
export function redactText(
  text: string,
  secrets: readonly (readonly [kind: string, value: string])[],
  patterns: readonly string[] = [],
): string {
  const redactor = new Redactor(new Map());
  for (const [kind, value] of secrets) redactor.learn(kind, value);
  const own = redactor.redact(text);
  const learned = Redaction.toLearn(true, new Patterns(patterns));
  learned.text(own, 0);
  return learned.toReplace(new Removals()).text(own, 0);
}

/**
 * Replaces what an export would find by itself in JSON texts, which stay JSON; what is a secret in one is one in all.
 *
 * @returns the texts in the same order, and how many values were replaced
 */
export function redactJsonTexts(
  texts: readonly string[],
  patterns: readonly string[] = [],
): {
  readonly texts: readonly string[];
  readonly replaced: number;
} {
  const learned = Redaction.toLearn(true, new Patterns(patterns));
  const through = (redaction: Redaction) =>
    texts.map((text) => new UnitRedaction(redaction, true, 0).push({ text }, false).text ?? text);
  through(learned);
  const removals = new Removals();
  const redacted = through(learned.toReplace(removals));
  return { texts: redacted, replaced: removals.count };
}

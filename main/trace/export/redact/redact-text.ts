import { Redactor } from '#trace/recorder/redaction.ts';
import { Patterns } from './patterns.ts';
import { Redaction } from './redaction.ts';
import { Removals } from './spans.ts';

/**
 * Replaces secrets in a text that is not part of a trace, such as the log of another client: the given values, and what
 * an export would find by itself.
 *
 * @param secrets values with what they are, such as `env:API_KEY`
 */
export function redactText(
  text: string,
  secrets: readonly (readonly [kind: string, value: string])[],
): string {
  const redactor = new Redactor(new Map());
  for (const [kind, value] of secrets) redactor.learn(kind, value);
  const own = redactor.redact(text);
  const learned = Redaction.toLearn(true, new Patterns([]));
  learned.text(own, 0);
  return learned.toReplace(new Removals()).text(own, 0);
}

import { isSchema } from '#ui/schema-form/schema.ts';
import type { Question } from './read-question.ts';

/** Words for what a server must not ask for by a form (MCP 2025-06-18 elicitation, security considerations). */
const secret = new RegExp(
  [
    'pass ?(?:word|phrase|code|wd|key)s?',
    'pwd',
    '(?:access|auth|bearer|refresh|id)? ?tokens?',
    '(?:api|private|secret|access|ssh|encryption) ?keys?',
    'secrets?',
    'credentials?',
    'pins?',
    'pin ?(?:code|number)',
    'otp',
    'one time (?:code|password)',
    '(?:credit|debit|bank)? ?card ?(?:number|no)',
    '(?:credit|debit) card',
    'cvv|cvc',
    'ssn',
    'social security(?: number)?',
    'iban',
    'seed phrase',
  ]
    .map((words) => `\\b(?:${words})\\b`)
    .join('|'),
  'i',
);

/** `apiKey`, `API_KEY` and `api-key` as `api key`. */
const asWords = (text: string): string =>
  text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/[\s_.-]+/g, ' ');

const isSecret = (text: unknown): boolean => typeof text === 'string' && secret.test(asWords(text));

/**
 * What in a form looks as if it asked for a secret: names of its fields, and `the message`. A warning is made of it,
 * so it errs on the side of seeing one.
 */
export function secretsAskedFor(question: Question): string[] {
  if (question.kind !== 'form') return [];
  const properties = question.schema?.properties;
  const fields = isSchema(properties) ? Object.entries(properties) : [];
  const found = fields
    .filter(
      ([name, field]) =>
        isSecret(name) ||
        (isSchema(field) &&
          (field.format === 'password' || isSecret(field.title) || isSecret(field.description))),
    )
    .map(([name]) => name);
  return isSecret(question.message) ? [...found, 'the message'] : found;
}

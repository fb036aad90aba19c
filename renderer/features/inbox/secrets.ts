import { isSchema } from '#shared/json-schema/schema.ts';
import type { Question } from './read-question.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/**
 * The parts of a form that seem to ask for a secret: names of fields, or `the message`. It only leads to a warning, so
 * it prefers false positives.
 */
export function secretsAskedFor(question: Question): string[] {
  if (question.kind !== 'form') return [];
  const properties = question.schema?.properties;
  const fields = isObject(properties) ? Object.entries(properties) : [];
  const found = fields
    .filter(
      ([name, field]) =>
        isSecret(name) ||
        (isSchema(field) &&
          (field.format === 'password' || asksForSecret(field.title) || asksForSecret(field.description))),
    )
    .map(([name]) => name);
  return asksForSecret(question.message) ? [...found, 'the message'] : found;
}

/**
 * Whether a text asks for a secret. Checked clause by clause: a clause that warns against revealing it does not count.
 */
const asksForSecret = (text: unknown): boolean =>
  typeof text === 'string' &&
  text
    .split(/[,;:!?\n]|\.(?=\s|$)/)
    .some((clause) => isSecret(clause.replace(declined, ' ').replace(unneeded, ' ')));

const isSecret = (text: unknown): boolean => typeof text === 'string' && secret.test(asWords(text));

/** `apiKey`, `API_KEY` and `api-key` as `api key`. */
const asWords = (text: string): string =>
  text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/[\s_.-]+/g, ' ');

/** Names of secrets that a server must not ask for in a form (MCP 2025-06-18 elicitation, security considerations). */
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

/**
 * A clause that tells the user not to reveal something, such as "do not give us your PIN". The negation must be
 * followed by a verb of giving or asking: "do not hesitate to enter your PIN" is still a request.
 */
const declined = new RegExp(
  [
    String.raw`\b(?:do not|do ?n['’]?t|never|must not|must ?n['’]?t|should not|should ?n['’]?t|(?:will|would|can) ?not|wo ?n['’]?t)`,
    String.raw`(?: ever| please| be)? (?:give|enter|type|send|share|provide|tell|put|paste|include|submit|write|reveal|disclose|use|ask|asked|need|require|request|want|store|keep)\b`,
    String.raw`(?:(?!\b(?:and|but|then|unless|until|except|before|instead)\b).)*`,
  ].join(''),
  'gi',
);

/** "No password is needed", "your PIN is not required". */
const unneeded =
  /\bno (?:\w+ ){1,3}(?:is |are )?(?:needed|required|necessary)\b|\b(?:\w+ ){1,3}(?:is|are) not (?:needed|required|necessary)\b/gi;

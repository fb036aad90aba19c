import { isSchema } from '#ui/schema-form/schema.ts';
import type { Question } from './read-question.ts';

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
          (field.format === 'password' || asksForSecret(field.title) || asksForSecret(field.description))),
    )
    .map(([name]) => name);
  return asksForSecret(question.message) ? [...found, 'the message'] : found;
}

/** Whether a text for people asks for a secret, clause by clause: one that only warns against telling it does not. */
const asksForSecret = (text: unknown): boolean =>
  typeof text === 'string' &&
  text
    .split(/[,;:!?\n]|\.(?=\s|$)/)
    .some((clause) => isSecret(clause.replace(declined, ' ').replace(unneeded, ' ')));

const isSecret = (text: unknown): boolean => typeof text === 'string' && secret.test(asWords(text));

/** `apiKey`, `API_KEY` and `api-key` as `api key`. */
const asWords = (text: string): string =>
  text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/[\s_.-]+/g, ' ');

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

/**
 * What a text tells the user not to do, up to where it may turn to something else: "do not give us your PIN". Only with
 * a verb of giving or asking right behind the negation, so that "do not hesitate to enter your PIN" is still a request.
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

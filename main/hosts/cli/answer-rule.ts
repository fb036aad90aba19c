import type { InboxAnswer, InboxMethod, InboxRule } from '#shared/contract/inbox.ts';
import { UsageError } from './exit-codes.ts';
import { quoted } from './given.ts';
import { readJsonObject } from './json-input.ts';

/** What a question of the server is called in options. */
export const questionNames = {
  sampling: 'sampling/createMessage',
  elicitation: 'elicitation/create',
  roots: 'roots/list',
} as const satisfies Record<string, InboxMethod>;
type QuestionName = keyof typeof questionNames;

/** The name in options of a question of the server. */
export function questionNameOf(method: InboxMethod): string {
  return Object.entries(questionNames).find(([, one]) => one === method)?.[0] ?? method;
}

const words: ReadonlyMap<string, InboxAnswer> = new Map([
  ['defaults', { kind: 'defaults' }],
  ['decline', { kind: 'decline' }],
  ['cancel', { kind: 'cancel' }],
]);

/**
 * Reads a rule such as `elicitation=defaults`, `sampling=@answer.json` or `roots=error:-32603:No disk`.
 *
 * @param delay milliseconds to wait before it answers
 * @throws UsageError
 */
export function readAnswerRule(text: string, delay: number): InboxRule {
  const equals = text.indexOf('=');
  const name = text.slice(0, equals);
  if (equals < 1 || !isQuestionName(name)) {
    const names = Object.keys(questionNames).join(', ');
    throw new UsageError(
      `--answer wants QUESTION=ANSWER, the question being one of: ${names}; it is ${quoted(text)}`,
    );
  }
  const answer = readAnswer(name, text.slice(equals + 1));
  return { method: questionNames[name], answer, delay };
}

function readAnswer(name: QuestionName, given: string): InboxAnswer {
  const option = `--answer ${name}`;
  if (name === 'sampling' && given === 'defaults') {
    throw new UsageError(`${option}: nothing follows from the question by itself; give the result as JSON`);
  }
  const word = words.get(given);
  if (word !== undefined) return word;
  if (given.startsWith('error:')) return readError(option, given);
  return { kind: 'result', json: readJsonObject(option, given) };
}

function readError(option: string, given: string): InboxAnswer {
  const [, code, message] = /^error:(-?\d+):(.+)$/s.exec(given) ?? [];
  if (code === undefined || message === undefined || !Number.isSafeInteger(Number(code))) {
    throw new UsageError(
      `${option}: an error is error:CODE:MESSAGE, such as error:-32603:No disk; it is ${quoted(given)}`,
    );
  }
  return { kind: 'error', code: Number(code), message };
}

const isQuestionName = (name: string): name is QuestionName => Object.hasOwn(questionNames, name);

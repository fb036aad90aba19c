import { z } from 'zod';
import {
  type InboxAnswer,
  type InboxMethod,
  type InboxRule,
  MAX_ANSWER_DELAY,
} from '#shared/contract/inbox.ts';
import { type ClientProfile, clientProfileSchema, defaultClientProfile } from '#shared/contract/servers.ts';
import type { CliOption } from './command.ts';
import { UsageError } from './exit.ts';
import { readDuration, quoted, readJsonObject } from './option-values.ts';

/** Options about the client's behavior, for every command that connects to a server. */
export const clientOptions: readonly CliOption[] = [
  [
    '--answer <question=answer>',
    'answer what the server asks: sampling=, elicitation= or roots=, followed by the result as JSON, ' +
      '@FILE, defaults, decline, cancel or error:CODE:MESSAGE; may be repeated',
    'repeatable',
  ],
  ['--answer-delay <time>', 'delay before each answer of --answer'],
  [
    '--root <uri=name>',
    'a root to tell the server of: a file:// address; =NAME may be left out; may be repeated',
    'repeatable',
  ],
  ['--capabilities <json>', 'announce these capabilities: a JSON object, @FILE, none, or default'],
];

export const clientNotes = `Requests of the server without an --answer are put to you by "call" and "request" on a terminal; else they are
declined and reported on stderr. Roots are answered with those of --root.`;

export const clientOptionsSchema = z.object({
  answer: z.array(z.string()).default([]),
  answerDelay: z.string().optional(),
  root: z.array(z.string()).default([]),
  capabilities: z.string().optional(),
});
type ClientOptions = z.infer<typeof clientOptionsSchema>;

/** The option names, to reject them if no server is named. */
export const clientOptionNames = ['answer', 'answerDelay', 'root', 'capabilities'] as const;

/** The client profile, as far as it differs from the default. @throws UsageError */
export function readClient({
  answer,
  answerDelay,
  root,
  capabilities,
}: ClientOptions): Partial<ClientProfile> {
  if (answerDelay !== undefined && answer.length === 0) {
    throw new UsageError('--answer-delay is about --answer, and none is given');
  }
  const delay = answerDelay === undefined ? 0 : readDelay(answerDelay);
  // The first matching rule applies, so that a rule can override the default.
  const rules = answer.map((text) => readAnswerRule(text, delay));
  const twice = rules.find(({ method }, index) => rules.findIndex((one) => one.method === method) < index);
  if (twice !== undefined) {
    throw new UsageError(`--answer ${questionNameOf(twice.method)}= is given twice`);
  }
  return {
    ...(rules.length > 0 && { rules: [...rules, ...defaultClientProfile.rules] }),
    ...(root.length > 0 && { roots: root.map(readRoot) }),
    ...(capabilities !== undefined && { capabilities: readCapabilities(capabilities) }),
  };
}

function readDelay(text: string): number {
  const delay = readDuration('--answer-delay', text);
  if (delay > MAX_ANSWER_DELAY) throw new UsageError('--answer-delay is at most 10m');
  return delay;
}

function readRoot(text: string): ClientProfile['roots'][number] {
  const equals = text.indexOf('=');
  const [uri, name] = equals === -1 ? [text, null] : [text.slice(0, equals), text.slice(equals + 1)];
  // Any other root can be sent with --answer roots=, where the whole result is the user's own (MCP roots: "MUST be a file:// URI").
  if (!uri.startsWith('file://') || !URL.canParse(uri)) {
    throw new UsageError(
      `--root wants URI or URI=NAME, the URI a file:// address such as file:///work; it is ${quoted(text)}. ` +
        'To answer with anything else: --answer \'roots={"roots": […]}\'',
    );
  }
  return { uri, name };
}

function readCapabilities(text: string): ClientProfile['capabilities'] {
  if (text === 'default') return null;
  if (text === 'none') return {};
  return clientProfileSchema.shape.capabilities.parse(JSON.parse(readJsonObject('--capabilities', text)));
}

/** The names of the server's requests in options. */
const questionNames = {
  sampling: 'sampling/createMessage',
  elicitation: 'elicitation/create',
  roots: 'roots/list',
} as const satisfies Record<string, InboxMethod>;
type QuestionName = keyof typeof questionNames;

/** The option name of a server request. */
export function questionNameOf(method: string): string {
  return Object.entries(questionNames).find(([, one]) => one === method)?.[0] ?? method;
}

const namedAnswers: ReadonlyMap<string, InboxAnswer> = new Map([
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
  const word = namedAnswers.get(given);
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

import { z } from 'zod';
import { type ClientProfile, clientProfileSchema, defaultClientProfile } from '#shared/contract/servers.ts';
import { questionNameOf, readAnswerRule } from './answer-rule.ts';
import type { CliOption } from './command.ts';
import { readDuration } from './duration.ts';
import { UsageError } from './exit-codes.ts';
import { quoted } from './given.ts';
import { readJsonObject } from './json-input.ts';

/** What we are to a server: options of every command that connects to one. */
export const clientOptions: readonly CliOption[] = [
  [
    '--answer <question=answer>',
    'answer what the server asks: sampling=, elicitation= or roots=, and behind it the result as JSON, ' +
      '@FILE, defaults, decline, cancel or error:CODE:MESSAGE; may be repeated',
    'repeatable',
  ],
  ['--answer-delay <time>', 'wait so long before each answer of --answer'],
  [
    '--root <uri=name>',
    'a root to tell the server of: a file:// address; =NAME may be left out; may be repeated',
    'repeatable',
  ],
  ['--capabilities <json>', 'announce these capabilities: a JSON object, @FILE, none, or default'],
];

export const clientNotes = `What the server asks and no --answer answers, "call" and "request" put to you on a terminal; else it is
declined and told on stderr. Roots are answered with those of --root.`;

export const clientOptionsSchema = z.object({
  answer: z.array(z.string()).default([]),
  answerDelay: z.string().optional(),
  root: z.array(z.string()).default([]),
  capabilities: z.string().optional(),
});
export type ClientOptions = z.infer<typeof clientOptionsSchema>;

/** The options by name, to say that they are given in vain where no server is. */
export const clientOptionNames = ['answer', 'answerDelay', 'root', 'capabilities'] as const;

/** What of us is not as usual. @throws UsageError */
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
  // The first rule that fits counts, so that one may stand in the way of what is done by default.
  const rules = answer.map((text) => readAnswerRule(text, delay));
  const twice = rules.find(({ method }, place) => rules.findIndex((one) => one.method === method) < place);
  if (twice !== undefined) {
    throw new UsageError(`--answer ${questionNameOf(twice.method)}= is given twice`);
  }
  return {
    ...(rules.length > 0 && { rules: [...rules, ...defaultClientProfile.rules] }),
    ...(root.length > 0 && { roots: root.map(readRoot) }),
    ...(capabilities !== undefined && { capabilities: readCapabilities(capabilities) }),
  };
}

const LONGEST_DELAY = 600_000;

function readDelay(text: string): number {
  const delay = readDuration('--answer-delay', text);
  if (delay > LONGEST_DELAY) throw new UsageError('--answer-delay is at most 10m');
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

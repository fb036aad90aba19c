import type { Launch } from '#shared/contract/sessions.ts';
import { createLineQuestions } from './line-questions.ts';
import { visibleText } from './visible-text.ts';

/** Asks questions on the terminal, one after the other. */
export interface Asker {
  /** Whether the user said yes; no when there is nobody to ask. */
  confirmLaunch(launch: Launch): Promise<boolean>;
  close(): void;
}

/** Asks on the given streams; what the page sends can never answer there. */
export function createAsker(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Asker {
  const questions = createLineQuestions(input, output);
  return {
    async confirmLaunch(launch) {
      const line = await questions.ask(questionOf(launch));
      return line !== null && /^\s*y(es)?\s*$/i.test(line);
    },
    close: () => questions.close(),
  };
}

function questionOf({ command, args, cwd, env, resolved }: Launch): string {
  const facts = [
    ['command', command],
    ...args.map((arg, index) => [`argument ${index + 1}`, arg]),
    ['found at', resolved ?? 'nowhere on the PATH'],
    ['folder', cwd],
    ['variables', env.length === 0 ? 'none set' : env.join(', ')],
  ];
  const list = facts.map(([name, value]) => `  ${name}: ${visibleText(value ?? '')}\n`).join('');
  return `The page asks to run a command line for the first time:\n${list}Run it? [y/N] `;
}

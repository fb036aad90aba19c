import type { Launch } from '#shared/contract/sessions.ts';
import { riskOfVariable } from '#shared/risky-variables.ts';
import { createLineQuestions } from './line-questions.ts';
import { visibleText } from './visible-text.ts';

/** Asks questions on the terminal, one after the other. */
export interface Asker {
  /** Whether the user answered the question with yes; no when there is nobody to ask. */
  confirm(question: string): Promise<boolean>;
  /** Whether the user said yes; no when there is nobody to ask. */
  confirmLaunch(launch: Launch): Promise<boolean>;
  close(): void;
}

/** Asks on the given streams; what the page sends can never answer there. */
export function createAsker(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  intro = 'The page asks to run a command line for the first time:',
): Asker {
  const questions = createLineQuestions(input, output);
  const confirm = async (question: string) => {
    const line = await questions.ask(`${question} [y/N] `);
    return line !== null && /^\s*y(es)?\s*$/i.test(line);
  };
  return {
    confirm,
    confirmLaunch: (launch) => confirm(`${intro}\n${launchLines(launch)}Run it?`),
    close: () => questions.close(),
  };
}

/** What would be run, a fact a line, safe to print. */
function launchLines({ command, args, cwd, env, inherit, resolved }: Launch): string {
  const facts = [
    ['command', command],
    ...args.map((arg, index) => [`argument ${index + 1}`, arg]),
    ['found at', resolved ?? 'nowhere on the PATH'],
    ['folder', cwd],
    ...(env.length === 0 ? [['variables', 'none set']] : env.map(variableFact)),
    ...(inherit === 'all' ? [['inherits', 'every variable of Sightglass']] : []),
  ];
  return facts.map(([name = '', value = '']) => `  ${visibleText(name)}: ${visibleText(value)}\n`).join('');
}

function variableFact({ name, value }: Launch['env'][number]): string[] {
  const risk = riskOfVariable(name);
  return [`variable ${name}`, `${value ?? '(secret)'}${risk === null ? '' : `   <- ${risk}`}`];
}

import { createInterface } from 'node:readline';
import type { Launch } from '#shared/contract/sessions.ts';
import { visibleText } from './visible-text.ts';

/** Asks questions on the terminal, one after the other. */
export interface Asker {
  /** Whether the user said yes; no when there is nobody to ask. */
  confirmLaunch(launch: Launch): Promise<boolean>;
  close(): void;
}

/** Asks on the given streams; what the page sends can never answer there. */
export function createAsker(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Asker {
  const lines = createInterface({ input, terminal: false });
  const waiting: { launch: Launch; answer: (isYes: boolean) => void }[] = [];
  let isOpen = true;

  function askNext(): void {
    const [next] = waiting;
    if (next === undefined) return;
    if (isOpen) output.write(questionOf(next.launch));
    else settle(false);
  }

  function settle(isYes: boolean): void {
    waiting.shift()?.answer(isYes);
    askNext();
  }

  lines.on('line', (line) => {
    if (waiting.length > 0) settle(/^\s*y(es)?\s*$/i.test(line));
  });
  lines.once('close', () => {
    isOpen = false;
    askNext();
  });

  return {
    confirmLaunch(launch) {
      return new Promise((answer) => {
        waiting.push({ launch, answer });
        if (waiting.length === 1) askNext();
      });
    },
    close: () => lines.close(),
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

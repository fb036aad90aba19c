import { createInterface } from 'node:readline';
import type { Launch, SentVariables } from '#shared/contract/sessions.ts';
import { riskOfVariable } from '#shared/risky-variables.ts';
import { visibleText } from './output.ts';

/** Asks questions on the terminal, one after the other. */
export interface Asker {
  /** Whether the user answered yes; false without a terminal. */
  confirm(question: string): Promise<boolean>;
  /** Whether the user allowed the launch; false without a terminal. */
  confirmLaunch(launch: Launch): Promise<boolean>;
  /** Whether the user allowed the variables to be sent; false without a terminal. */
  confirmVariables(sent: SentVariables, serverName: string): Promise<boolean>;
  close(): void;
}

/** Whether somebody can be asked here: on a terminal, but not in CI. */
export const canAsk = (): boolean => process.stdin.isTTY && process.stderr.isTTY && !process.env.CI;

/** Asks on the given streams; the page can never answer there. */
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
    confirmVariables: ({ origin, variables }, serverName) => {
      const facts = variables.map(({ variable, places }) => [variable, `sent in: ${places.join(', ')}`]);
      const lines = factLines([['host', origin], ...facts]);
      return confirm(
        `The settings of the server "${visibleText(serverName)}" send values of this machine to its host:\n${lines}Send them?`,
      );
    },
    close: () => questions.close(),
  };
}

/** What would be run, one fact per line, safe to print. */
function launchLines({ command, args, cwd, env, inherit, resolved }: Launch): string {
  const facts = [
    ['command', command],
    ...args.map((arg, index) => [`argument ${index + 1}`, arg]),
    ['found at', resolved ?? 'nowhere on the PATH'],
    ['folder', cwd],
    ...(env.length === 0 ? [['variables', 'none set']] : env.map(variableFact)),
    ...(inherit === 'all' ? [['inherits', 'every variable of Sightglass']] : []),
  ];
  return factLines(facts);
}

const factLines = (facts: readonly (readonly string[])[]): string =>
  facts.map(([name = '', value = '']) => `  ${visibleText(name)}: ${visibleText(value)}\n`).join('');

function variableFact({ name, value }: Launch['env'][number]): string[] {
  const risk = riskOfVariable(name);
  return [`variable ${name}`, `${value ?? '(secret)'}${risk === null ? '' : `   <- ${risk}`}`];
}

/** Asks for lines on a terminal, one after the other. */
export interface LineQuestions {
  /** The typed line; null if the input ended or the question was withdrawn. */
  ask(question: string, signal?: AbortSignal): Promise<string | null>;
  /** Passes on every line, such as several that arrive at once, until the input ends or the signal aborts. */
  read(question: string, onLine: (line: string) => void, signal: AbortSignal): Promise<void>;
  close(): void;
}

interface Waiting {
  readonly question: string;
  readonly settle: (line: string | null) => void;
  /** Takes each line in place of `settle`. */
  readonly onLine: ((line: string) => void) | null;
}

/** Asks on the given streams. */
export function createLineQuestions(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): LineQuestions {
  const lines = createInterface({ input, terminal: false });
  const waiting: Waiting[] = [];
  let isOpen = true;

  function askNext(): void {
    const [next] = waiting;
    if (next === undefined) return;
    if (isOpen) output.write(next.question);
    else settleFirst(null);
  }

  function settleFirst(line: string | null): void {
    waiting.shift()?.settle(line);
    askNext();
  }

  function withdraw(one: Waiting): void {
    const place = waiting.indexOf(one);
    if (place === -1) return;
    waiting.splice(place, 1);
    one.settle(null);
    if (place === 0) askNext();
  }

  lines.on('line', (line) => {
    const [first] = waiting;
    if (first === undefined) return;
    if (first.onLine === null) settleFirst(line);
    else first.onLine(line);
  });
  lines.once('close', () => {
    isOpen = false;
    askNext();
  });

  const wait = (
    question: string,
    onLine: Waiting['onLine'],
    signal: AbortSignal | undefined,
  ): Promise<string | null> =>
    new Promise((resolve) => {
      const drop = () => withdraw(one);
      const one: Waiting = {
        question,
        onLine,
        settle: (line) => {
          signal?.removeEventListener('abort', drop);
          resolve(line);
        },
      };
      if (signal?.aborted) return resolve(null);
      signal?.addEventListener('abort', drop);
      waiting.push(one);
      if (waiting.length === 1) askNext();
    });

  return {
    ask: (question, signal) => wait(question, null, signal),
    async read(question, onLine, signal) {
      await wait(question, onLine, signal);
    },
    close: () => lines.close(),
  };
}

import { createInterface } from 'node:readline';

/** Asks for lines on a terminal, one after the other. */
export interface LineQuestions {
  /** The line that was typed; null when there is nobody to ask, or the question is of no use any more. */
  ask(question: string, signal?: AbortSignal): Promise<string | null>;
  close(): void;
}

interface Waiting {
  readonly question: string;
  readonly settle: (line: string | null) => void;
}

/** Asks on the given streams; what comes from anywhere else can never answer there. */
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
    if (waiting.length > 0) settleFirst(line);
  });
  lines.once('close', () => {
    isOpen = false;
    askNext();
  });

  return {
    ask(question, signal) {
      return new Promise((resolve) => {
        const drop = () => withdraw(one);
        const one: Waiting = {
          question,
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
    },
    close: () => lines.close(),
  };
}

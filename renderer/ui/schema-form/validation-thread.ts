import { validate, type Verdict } from './validate.ts';
import type { ValidationAnswer, ValidationRequest } from './validation.worker.ts';

/**
 * Schemas come from servers, and one regular expression can keep a thread busy for ever. So they are judged
 * in a thread of their own, which is ended when it takes too long.
 */

const TIMEOUT_MS = 2000;

const tooSlow: Verdict = {
  state: 'unusable',
  why: `Judging by this schema takes more than ${TIMEOUT_MS / 1000} s.`,
};

let worker: Worker | undefined;
let lastId = 0;
/** One after the other: a slow schema must not be blamed on the one behind it. */
let queue: Promise<unknown> = Promise.resolve();

/** Judges a value by a JSON Schema off the page. Never rejects. */
export function validateInThread(schema: object, value: unknown): Promise<Verdict> {
  if (typeof Worker === 'undefined') return Promise.resolve(validate(schema, value));
  const verdict = queue.then(() => ask(schema, value));
  queue = verdict;
  return verdict;
}

function ask(schema: object, value: unknown): Promise<Verdict> {
  const asked = (worker ??= new Worker(new URL('./validation.worker.ts', import.meta.url), {
    type: 'module',
  }));
  const id = ++lastId;
  return new Promise((resolve) => {
    const settle = (verdict: Verdict) => {
      clearTimeout(timer);
      asked.removeEventListener('message', onMessage);
      asked.removeEventListener('error', onError);
      resolve(verdict);
    };
    const replace = (verdict: Verdict) => {
      asked.terminate();
      worker = undefined;
      settle(verdict);
    };
    const onMessage = ({ data }: MessageEvent<ValidationAnswer>) => {
      if (data.id === id) settle(data.verdict);
    };
    const onError = ({ message }: ErrorEvent) => replace({ state: 'unusable', why: message });
    const timer = setTimeout(() => replace(tooSlow), TIMEOUT_MS);
    asked.addEventListener('message', onMessage);
    asked.addEventListener('error', onError);
    asked.postMessage({ id, schema, value } satisfies ValidationRequest);
  });
}

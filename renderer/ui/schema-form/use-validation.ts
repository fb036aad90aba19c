import { useEffect, useState } from 'react';
import { readJson, withPlainNumbers } from './exact-json.ts';
import { type Validation, validate } from './validate.ts';
import type { ValidationResponse, ValidationRequest } from './validation.worker.ts';

/**
 * What a schema says of JSON text; null before the first validation, and when there is nothing to validate. The last
 * validation stays until the next one is there, so that nothing flickers while typing.
 */
export function useValidation(schema: object | undefined, text: string | null): Validation | null {
  const [validated, setValidated] = useState<{ schema: object; validation: Validation } | null>(null);
  useEffect(() => {
    if (schema === undefined || text === null) return;
    const read = readJson(text);
    if (!read.ok) return;
    let isWanted = true;
    void validateInThread(schema, withPlainNumbers(read.value)).then((validation) => {
      if (isWanted) setValidated({ schema, validation });
    });
    return () => {
      isWanted = false;
    };
  }, [schema, text]);
  return text !== null && validated !== null && validated.schema === schema ? validated.validation : null;
}

/**
 * Schemas come from servers, and one regular expression can keep a thread busy for ever. So they are validated
 * in a thread of their own, which is ended when it takes too long.
 */

const TIMEOUT_MS = 2000;

const tooSlow: Validation = {
  state: 'unusable',
  why: `Validating against this schema takes more than ${TIMEOUT_MS / 1000} s.`,
};

let worker: Worker | undefined;
let lastId = 0;
/** One after the other: a slow schema must not be blamed on the one behind it. */
let queue: Promise<unknown> = Promise.resolve();

/** Validates a value by a JSON Schema off the page. Never rejects. */
function validateInThread(schema: object, value: unknown): Promise<Validation> {
  if (typeof Worker === 'undefined') return Promise.resolve(validate(schema, value));
  const validation = queue.then(() => ask(schema, value));
  queue = validation;
  return validation;
}

function ask(schema: object, value: unknown): Promise<Validation> {
  const asked = (worker ??= new Worker(new URL('./validation.worker.ts', import.meta.url), {
    type: 'module',
  }));
  const id = ++lastId;
  return new Promise((resolve) => {
    const settle = (validation: Validation) => {
      clearTimeout(timer);
      asked.removeEventListener('message', onMessage);
      asked.removeEventListener('error', onError);
      resolve(validation);
    };
    const replace = (validation: Validation) => {
      asked.terminate();
      worker = undefined;
      settle(validation);
    };
    const onMessage = ({ data }: MessageEvent<ValidationResponse>) => {
      if (data.id === id) settle(data.validation);
    };
    const onError = ({ message }: ErrorEvent) => replace({ state: 'unusable', why: message });
    const timer = setTimeout(() => replace(tooSlow), TIMEOUT_MS);
    asked.addEventListener('message', onMessage);
    asked.addEventListener('error', onError);
    asked.postMessage({ id, schema, value } satisfies ValidationRequest);
  });
}

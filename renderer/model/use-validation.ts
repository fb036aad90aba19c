import { useEffect, useMemo, useState } from 'react';
import { call } from '#bridge';
import type { Validation } from '#shared/contract/calls.ts';
import { faultOf } from './faults.ts';

/** Milliseconds without typing after which a text is validated. */
const PAUSE = 100;

/** What the engine says of JSON text against a schema; `unknown` if it cannot be asked. */
const validate = (schema: string, value: string): Promise<Validation> =>
  call('calls/validate', { schema, value }).catch((error: unknown) => ({
    state: 'unknown',
    reason: faultOf(error).what,
  }));

interface TextValidation {
  /** Null before the first answer, and without a schema or a text. */
  readonly validation: Validation | null;
  /** Validates the current text, unless that is done; null without a schema or a text. */
  readonly validateNow: (() => Validation | Promise<Validation>) | null;
}

/**
 * Validates JSON text against a schema as it changes. The last answer stays until the next one arrives, so that nothing
 * flickers while typing.
 *
 * @param isTouched an answer about the text before it was touched does not stay
 */
export function useTextValidation(
  schema: object | undefined,
  text: string | null,
  isTouched = true,
): TextValidation {
  const [checked, setChecked] = useState<{
    readonly schema: string;
    readonly text: string;
    readonly isTouched: boolean;
    readonly validation: Validation;
  } | null>(null);
  const schemaText = useMemo(() => (schema === undefined ? null : JSON.stringify(schema)), [schema]);
  useEffect(() => {
    if (schemaText === null || text === null) return;
    let isWanted = true;
    const check = async () => {
      const validation = await validate(schemaText, text);
      if (isWanted) setChecked({ schema: schemaText, text, isTouched, validation });
    };
    const timer = setTimeout(() => void check(), PAUSE);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [schemaText, text, isTouched]);
  if (schemaText === null || text === null) return { validation: null, validateNow: null };
  const isOfSchema = checked?.schema === schemaText;
  return {
    validation: isOfSchema && checked.isTouched === isTouched ? checked.validation : null,
    validateNow: () =>
      isOfSchema && checked.text === text ? checked.validation : validate(schemaText, text),
  };
}

/** The answer of `useTextValidation`. */
export const useValidation = (
  schema: object | undefined,
  text: string | null,
  isTouched = true,
): Validation | null => useTextValidation(schema, text, isTouched).validation;

import { useEffect, useMemo, useState } from 'react';
import { call } from '#bridge';
import type { Validation } from '#shared/contract/calls.ts';
import { faultOf } from './faults.ts';

/** Milliseconds without typing after which a text is validated. */
const PAUSE = 100;

/**
 * What the engine says of JSON text against a schema; null before the first answer, and without a schema or a text. The
 * last answer stays until the next one arrives, so that nothing flickers while typing.
 *
 * @param isTouched an answer about the text before it was touched does not stay
 */
export function useValidation(
  schema: object | undefined,
  text: string | null,
  isTouched = true,
): Validation | null {
  const [checked, setChecked] = useState<{
    readonly schema: string;
    readonly isTouched: boolean;
    readonly validation: Validation;
  } | null>(null);
  const schemaText = useMemo(() => (schema === undefined ? null : JSON.stringify(schema)), [schema]);
  useEffect(() => {
    if (schemaText === null || text === null) return;
    let isWanted = true;
    const check = async () => {
      const validation = await call('calls/validate', { schema: schemaText, value: text }).catch(
        (error: unknown): Validation => ({ state: 'unknown', reason: faultOf(error).what }),
      );
      if (isWanted) setChecked({ schema: schemaText, isTouched, validation });
    };
    const timer = setTimeout(() => void check(), PAUSE);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [schemaText, text, isTouched]);
  const isAnswered = checked?.schema === schemaText && checked.isTouched === isTouched;
  return text !== null && isAnswered ? checked.validation : null;
}

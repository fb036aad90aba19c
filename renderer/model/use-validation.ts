import { useEffect, useMemo, useState } from 'react';
import { call } from '#bridge';
import type { Validation } from '#shared/contract/calls.ts';
import { faultOf } from './faults.ts';

/** Milliseconds without typing after which a text is validated. */
const PAUSE = 100;

/**
 * What the engine says of JSON text against a schema; null before the first answer, and without a schema or a text. The
 * last answer stays until the next one arrives, so that nothing flickers while typing.
 */
export function useValidation(schema: object | undefined, text: string | null): Validation | null {
  const [checked, setChecked] = useState<{ schema: string; validation: Validation } | null>(null);
  const schemaText = useMemo(() => (schema === undefined ? null : JSON.stringify(schema)), [schema]);
  useEffect(() => {
    if (schemaText === null || text === null) return;
    let isWanted = true;
    const check = async () => {
      const validation = await call('calls/validate', { schema: schemaText, value: text }).catch(
        (error: unknown): Validation => ({ state: 'unknown', reason: faultOf(error).what }),
      );
      if (isWanted) setChecked({ schema: schemaText, validation });
    };
    const timer = setTimeout(() => void check(), PAUSE);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [schemaText, text]);
  return text !== null && checked !== null && checked.schema === schemaText ? checked.validation : null;
}

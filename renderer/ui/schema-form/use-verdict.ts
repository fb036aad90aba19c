import { useEffect, useState } from 'react';
import { readJson, withPlainNumbers } from './exact-json.ts';
import type { Verdict } from './validate.ts';
import { validateInThread } from './validation-thread.ts';

/**
 * What a schema says of JSON text; null before the first verdict, and when there is nothing to judge. The last
 * verdict stays until the next one is there, so that nothing flickers while typing.
 */
export function useVerdict(schema: object | undefined, text: string | null): Verdict | null {
  const [judged, setJudged] = useState<{ schema: object; verdict: Verdict } | null>(null);
  useEffect(() => {
    if (schema === undefined || text === null) return;
    const read = readJson(text);
    if (!read.ok) return;
    let isWanted = true;
    void validateInThread(schema, withPlainNumbers(read.value)).then((verdict) => {
      if (isWanted) setJudged({ schema, verdict });
    });
    return () => {
      isWanted = false;
    };
  }, [schema, text]);
  return text !== null && judged !== null && judged.schema === schema ? judged.verdict : null;
}

import { useEffect, useState } from 'react';
import { call } from '#bridge';
import type { RowDetail } from '#shared/contract/trace.ts';
import { prettyJson } from '#ui/pretty-json.ts';
import { compactJson } from './compact-json.ts';
import { type DiffLine, diffLines } from './diff-lines.ts';

export type Pair = readonly [left: number, right: number];

export interface Comparison {
  readonly details: readonly [RowDetail, RowDetail];
  readonly texts: readonly [readonly string[], readonly string[]];
  /** Null when the texts have too little in common to be lined up. */
  readonly lines: readonly DiffLine[] | null;
}

interface State {
  /** The last comparison that was made, also while the next one is. */
  readonly comparison: Comparison | null;
  readonly failure: unknown;
  readonly isReading: boolean;
}

/** Two rows side by side, line by line. */
export function useComparison(sessionId: string, [left, right]: Pair, sortsKeys: boolean): State {
  const key = `${sessionId} ${left} ${right} ${sortsKeys}`;
  const [made, setMade] = useState<{ key: string; comparison: Comparison | null; failure: unknown } | null>(
    null,
  );
  useEffect(() => {
    let isCurrent = true;
    compareRows(sessionId, [left, right], sortsKeys).then(
      (comparison) => isCurrent && setMade({ key, comparison, failure: null }),
      (failure: unknown) => isCurrent && setMade({ key, comparison: null, failure }),
    );
    return () => {
      isCurrent = false;
    };
  }, [key, sessionId, left, right, sortsKeys]);
  return {
    comparison: made?.comparison ?? null,
    failure: made?.failure ?? null,
    isReading: made?.key !== key,
  };
}

async function compareRows(sessionId: string, rows: Pair, sortsKeys: boolean): Promise<Comparison> {
  const read = (row: number) => call('trace/detail', { sessionId, row });
  const details = await Promise.all([read(rows[0]), read(rows[1])]);
  const texts = [linesOf(details[0], sortsKeys), linesOf(details[1], sortsKeys)] as const;
  return { details, texts, lines: await diffLines(texts[0], texts[1]) };
}

/** The message over lines, from its raw text; what is no JSON as it is, and of what has no text what the table says. */
function linesOf({ text, truncated, row }: RowDetail, sortsKeys: boolean): readonly string[] {
  if (text === null) return [row.summary];
  const raw = (sortsKeys && !truncated ? compactJson(text, { sortsKeys }) : null) ?? text;
  const pretty = prettyJson(raw, truncated);
  return (pretty?.map((piece) => piece.text).join('') ?? text).split(/\r?\n/);
}

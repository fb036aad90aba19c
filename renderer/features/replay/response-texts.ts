import type { CallComparison, IgnoredPath } from '#shared/contract/comparison.ts';
import { parsePath } from '#shared/json/path.ts';
import { pointerOf } from '#shared/json/pointer.ts';
import { lineAtPointer } from '#ui/json-view/line-pointers.ts';
import type { DiffText } from '#ui/json-editor/monaco-diff.ts';
import { JsonLines } from '#ui/json-lines.ts';
import { prettyJson } from '#ui/pretty-json.ts';

/** A response as it is shown, and where paths are in it. */
export interface ShownResponse extends DiffText {
  /** The line of a JSON path, from 1; of the value around it, if the path goes on inside a string that holds JSON. */
  readonly lineOf: (path: string) => number | null;
}

/** A response as pretty-printed lines, with the paths that are not compared. */
export function shownResponse(
  json: string,
  { ignored, isTruncated }: { readonly ignored: CallComparison['ignored']; readonly isTruncated: boolean },
): ShownResponse {
  const pretty = prettyJson(json, isTruncated);
  if (pretty === null) return { text: json, ignored: [], lineOf: () => 1 };
  const lines = new JsonLines(json, isTruncated);
  lines.read();
  const lineOf = (path: string): number | null => {
    const steps = parsePath(path);
    return steps === null ? null : lineAtPointer(lines, pointerOf(steps.map(String))) + 1;
  };
  const notes = new Map<number, Set<string>>();
  for (const { path, why } of ignored) {
    const line = isOfParams(path) ? null : lineOf(path);
    if (line !== null) notes.set(line, (notes.get(line) ?? new Set()).add(ignoredText(why)));
  }
  return {
    text: pretty.map((piece) => piece.text).join(''),
    ignored: [...notes].map(([line, texts]) => ({ line, note: `ignored: ${[...texts].join(', ')}` })),
    lineOf,
  };
}

/** Whether a path is in what was sent, not in what came. */
export const isOfParams = (path: string): boolean => path === '$.params' || path.startsWith('$.params.');

const texts: Readonly<Record<IgnoredPath['why'], string>> = {
  id: 'id',
  time: 'time',
  cursor: 'cursor',
  secret: 'secret',
  meta: '_meta',
  era: 'of one era only',
  replaced: 'replaced in this run',
  rule: 'by you',
};

export const ignoredText = (why: IgnoredPath['why']): string => texts[why];

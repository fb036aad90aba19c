import { call } from '#bridge';
import { compactJson } from '../compare/compact-json.ts';
import { wholeText } from '../copy/whole-text.ts';

/** The most characters put on the clipboard. */
const MOST_CHARS = 64 * 1024 * 1024;
/** Rows asked for at a time. */
const AT_A_TIME = 16;

export interface JsonLines {
  readonly text: string;
  /** Rows that are in it. */
  readonly count: number;
  /** There was more than a clipboard should take. */
  readonly isCut: boolean;
}

/**
 * The messages of these rows, a line each and as they were sent but for space between tokens. Others are left out.
 *
 * @throws FaultError when one of them is too long for a clipboard
 */
export async function jsonLinesOf(sessionId: string, rows: readonly number[]): Promise<JsonLines> {
  const lines: string[] = [];
  let chars = 0;
  for (let from = 0; from < rows.length; from += AT_A_TIME) {
    const texts = await Promise.all(
      rows.slice(from, from + AT_A_TIME).map((row) => messageOf(sessionId, row)),
    );
    for (const text of texts) {
      if (text === null) continue;
      chars += text.length;
      if (chars > MOST_CHARS) return { text: lines.join(''), count: lines.length, isCut: true };
      lines.push(`${text}\n`);
    }
  }
  return { text: lines.join(''), count: lines.length, isCut: false };
}

/** A row's message on one line; null when it carries none. */
async function messageOf(sessionId: string, row: number): Promise<string | null> {
  const detail = await call('trace/detail', { sessionId, row });
  return detail.text === null ? null : compactJson(await wholeText(sessionId, detail));
}

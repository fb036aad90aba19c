import { messageOf } from '#shared/contract/fault.ts';

/** A pattern that is being edited. */
export interface PatternDraft {
  readonly id: number;
  readonly text: string;
}

let lastId = 0;

export const draftOf = (text: string): PatternDraft => ({ id: ++lastId, text });

/** What is wrong with a pattern, in one sentence; null when it can be used. */
export function problemOf(text: string): string | null {
  try {
    void new RegExp(text, 'g');
    return null;
  } catch (error) {
    // `Invalid regular expression: /a(/g: Unterminated group`
    const why = messageOf(error).split(': ').at(-1) ?? '';
    return `This is no regular expression: ${why.charAt(0).toLowerCase()}${why.slice(1)}.`;
  }
}

/** The patterns to use; null while one of them cannot be. */
export function patternsOf(drafts: readonly PatternDraft[]): string[] | null {
  const texts = drafts.map(({ text }) => text).filter((text) => text !== '');
  return texts.some((text) => problemOf(text) !== null) ? null : [...new Set(texts)];
}

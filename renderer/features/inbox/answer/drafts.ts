import { create } from 'zustand';

/** What the user has written for an answer and not sent, by entry. */
const useDrafts = create<Readonly<Record<string, string>>>()(() => ({}));

/** The text of an answer: what was written, or what it begins with. */
export const useDraft = (entryId: string, first: string): string =>
  useDrafts((drafts) => drafts[entryId] ?? first);

export const keepDraft = (entryId: string, text: string): void => useDrafts.setState({ [entryId]: text });

export const dropDraft = (entryId: string): void =>
  useDrafts.setState(({ [entryId]: _, ...others }) => others, true);

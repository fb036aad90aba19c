import { create } from 'zustand';
import type { Draft } from './draft/draft.ts';

/** Unsaved settings by server id; `new` is the key of a server not added yet. They survive closing the form. */
export const useDrafts = create<{ drafts: Readonly<Record<string, Draft>> }>()(() => ({ drafts: {} }));

export const draftKey = (serverId: string | null): string => serverId ?? 'new';

export const keepDraft = (key: string, draft: Draft): void =>
  useDrafts.setState(({ drafts }) => ({ drafts: { ...drafts, [key]: draft } }));

export const dropDraft = (key: string): void =>
  useDrafts.setState(({ drafts: { [key]: _, ...others } }) => ({ drafts: others }));

import { create } from 'zustand';
import type { Sampling } from './read-question.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** What the user changed of a sampling request before a model gets it (MCP 2025-06-18 sampling: clients may modify it). */
export interface PromptDraft {
  /** Empty to leave it out. Undefined here and below: as requested. */
  readonly systemPrompt?: string;
  /** Texts by `textKey`. */
  readonly texts: Readonly<Record<string, string>>;
  /** The limit as entered; empty to leave it out. */
  readonly maxTokens?: string;
  readonly temperature?: string;
  /** One on each line. */
  readonly stopSequences?: string;
  /** The model to ask; undefined for the one that the hints match. */
  readonly model?: string;
  /** Whose context the model gets: none unless the user chooses it, whatever the server requests. */
  readonly context: PromptContext;
}

export const promptContexts = ['none', 'thisServer', 'allServers'] as const;
export type PromptContext = (typeof promptContexts)[number];

const unchanged: PromptDraft = { texts: {}, context: 'none' };

/** Changed prompts by entry id. */
const useDrafts = create<Readonly<Record<string, PromptDraft>>>()(() => ({}));

export const usePromptDraft = (entryId: string): PromptDraft =>
  useDrafts((drafts) => drafts[entryId] ?? unchanged);

export const changePrompt = (entryId: string, part: Partial<PromptDraft>): void =>
  useDrafts.setState((drafts) => ({ [entryId]: { ...(drafts[entryId] ?? unchanged), ...part } }));

/** Takes back what the user changed of the request; the choice of the model and its context stays. */
export const restorePrompt = (entryId: string): void =>
  useDrafts.setState((drafts) => {
    const { model, context } = drafts[entryId] ?? unchanged;
    return { [entryId]: { texts: {}, context, ...(model !== undefined && { model }) } };
  });

export const textKey = (message: number, block: number): string => `${message}/${block}`;

/** The request with the changes of the user. */
export function changedSampling(sampling: Sampling, draft: PromptDraft): Sampling {
  const { systemPrompt, maxTokens, temperature, stopSequences, ...others } = sampling;
  const prompt = draft.systemPrompt ?? systemPrompt ?? '';
  const tokens = numberOr(draft.maxTokens, maxTokens);
  const heat = numberOr(draft.temperature, temperature);
  const stops = draft.stopSequences?.split('\n').filter((line) => line !== '') ?? stopSequences ?? [];
  return {
    ...others,
    messages: sampling.messages.map((message, at) => ({
      ...message,
      content: message.content.map((block, index) => {
        const text = draft.texts[textKey(at, index)];
        return text === undefined || !isObject(block) ? block : { ...block, text };
      }),
    })),
    ...(prompt !== '' && { systemPrompt: prompt }),
    ...(tokens !== undefined && { maxTokens: tokens }),
    ...(heat !== undefined && { temperature: heat }),
    ...(stops.length > 0 && { stopSequences: stops }),
  };
}

/** The entered number; undefined if it is left out or not a number. */
function numberOr(entered: string | undefined, requested: number | undefined): number | undefined {
  if (entered === undefined) return requested;
  return entered.trim() === '' || !Number.isFinite(Number(entered)) ? undefined : Number(entered);
}

/** What the user changed, by the name of the part. */
export function changedParts(sampling: Sampling, draft: PromptDraft): string[] {
  const changed = changedSampling(sampling, draft);
  const parts: readonly (readonly [name: string, before: unknown, after: unknown])[] = [
    ['system prompt', sampling.systemPrompt ?? '', changed.systemPrompt ?? ''],
    ['messages', sampling.messages, changed.messages],
    ['max tokens', sampling.maxTokens, changed.maxTokens],
    ['temperature', sampling.temperature, changed.temperature],
    ['stop sequences', sampling.stopSequences ?? [], changed.stopSequences ?? []],
  ];
  return parts.flatMap(([name, before, after]) =>
    JSON.stringify(before) === JSON.stringify(after) ? [] : [name],
  );
}

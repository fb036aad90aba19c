import { useState } from 'react';
import { call } from '#bridge';
import type { Vocabulary } from '#shared/contract/trace.ts';
import { type Completion, completeFilter } from '#shared/trace/filter/index.ts';

const nothing: Vocabulary = { methods: [], tools: [], names: [], rules: [] };
/** Milliseconds for which what a trace has to offer is good enough. */
const FRESH_FOR = 5000;

export interface Completing {
  /** What can be put where the caret is; null while nothing is offered. */
  readonly completion: Completion | null;
  /** The option that Enter takes; -1 for none. */
  readonly active: number;
  readonly setActive: (place: number) => void;
  /** Offers what fits at the caret. */
  readonly offer: (text: string, caret: number) => void;
  readonly stop: () => void;
  /** Fetches what there is in the trace to offer. */
  readonly prepare: () => void;
}

/** Completion of a filter as it is typed, with the methods, tools and names that the trace has. */
export function useCompletion(sessionId: string): Completing {
  const [vocabulary, setVocabulary] = useState({ words: nothing, readAt: Number.NEGATIVE_INFINITY });
  const [at, setAt] = useState<{ readonly text: string; readonly caret: number } | null>(null);
  const [active, setActive] = useState(-1);
  const completion = at === null ? null : completeFilter(at.text, at.caret, vocabulary.words);
  return {
    completion: completion !== null && completion.options.length > 0 ? completion : null,
    active,
    setActive,
    offer: (text, caret) => {
      setActive(-1);
      setAt({ text, caret });
    },
    stop: () => setAt(null),
    prepare: () => {
      const now = performance.now();
      if (now - vocabulary.readAt < FRESH_FOR) return;
      setVocabulary({ ...vocabulary, readAt: now });
      call('trace/vocabulary', { sessionId }).then(
        (words) => setVocabulary({ words, readAt: now }),
        // The fields can be completed without it.
        () => undefined,
      );
    },
  };
}

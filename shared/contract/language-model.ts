import { withoutEnd } from '../trim.ts';
import { z } from 'zod';
import { defineArea } from './area.ts';

/** Limit of characters of a request to a model. */
export const MAX_MODEL_REQUEST = 32_000_000;

/** The API of a language model of the user's own, which may answer sampling. Its address is `modelUrl` of the settings. */
export const languageModelArea = defineArea({
  commands: {
    /** Whether a key is stored. The page never gets the key. */
    'model/has-key': { params: z.object({}), result: z.object({ hasKey: z.boolean() }) },
    /** Stores the key as the secrets of servers are stored; null removes it. */
    'model/set-key': { params: z.object({ key: z.string().min(1).nullable() }), result: z.null() },
    /**
     * Sends a request that the user has read and approved to the model, for a question that waits. It is not an answer
     * to the server. Both sides go into the trace, as a note on the row of the question.
     */
    'model/ask': {
      params: z.object({
        sessionId: z.string(),
        entryId: z.string(),
        /** JSON text of a chat completion request, sent as it is. */
        body: z.string().max(MAX_MODEL_REQUEST),
      }),
      result: z.object({
        /** JSON text of the chat completion. */
        text: z.string(),
        /** Milliseconds from request to response. */
        duration: z.number(),
      }),
    },
  },
  events: {},
});

/** Where chat completions are requested: `/v1/chat/completions` of a host, below any other path. */
export function completionsUrl(base: string): string {
  const [, origin = base, path = '', rest = ''] =
    /^(https?:\/\/[^/?#]+)([^?#]*)(.*)$/is.exec(base.trim()) ?? [];
  const trimmed = withoutEnd(path, '/');
  if (trimmed.endsWith('/chat/completions')) return origin + trimmed + rest;
  return `${origin}${trimmed === '' ? '/v1' : trimmed}/chat/completions${rest}`;
}

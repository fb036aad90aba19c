import { z } from 'zod';

/** Limit of requests to the redirect URI that a step keeps; the others are only counted. A page can send any number. */
export const MAX_CALLBACKS = 10;

/** What was compared in a callback, before its code goes anywhere. */
const comparisonSchema = z.object({
  /** `none`: nothing was expected, and nothing came. `missing`: it was expected. */
  result: z.enum(['equal', 'different', 'missing', 'none']),
  expected: z.string().nullable(),
  received: z.string().nullable(),
  /** The rule by which it was compared, and where it stands. */
  rule: z.string(),
  source: z.string(),
});
export type CallbackComparison = z.infer<typeof comparisonSchema>;

/** A request to the redirect URI, or a URL that the user pasted. Anybody may have sent it: all texts in it are untrusted. */
export const callbackSchema = z.object({
  /** Whether the browser came to our port, or the user pasted the URL. */
  by: z.enum(['listener', 'pasted']),
  method: z.string(),
  /** Without query and fragment. */
  url: z.string(),
  parameters: z.array(
    z.object({
      name: z.string(),
      /** Null for a secret, such as the code. */
      value: z.string().nullable(),
      /** Of a secret, as that of a parameter of a request; null if it is none. */
      fingerprint: z.string().nullable(),
      /** Whether it came behind the `#`, which no server gets to see. */
      isInFragment: z.boolean(),
    }),
  ),
  /** How many parameters are not listed. */
  moreParameters: z.number().int(),
  /** `expected` and `received` are fingerprints. */
  state: comparisonSchema,
  iss: comparisonSchema,
  /** Why nothing of it was used or is to be believed; null for the answer to our request. */
  untrusted: z.string().nullable(),
  /** Row of the trace; null if it was one of too many. */
  row: z.number().int().nullable(),
});
export type ReceivedCallback = z.infer<typeof callbackSchema>;

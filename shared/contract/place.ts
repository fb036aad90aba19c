import { z } from 'zod';
import { defineArea } from './area.ts';

/** Limit of characters of one text in an entry; a longer one is not kept. */
export const MAX_TYPED = 256 * 1024;

/** Limit of entries; the ones that were changed longest ago are dropped. */
export const MAX_ENTRIES = 1000;

/** Something about the window that survives a restart: what is shown, the sizes of a split, a draft. */
export const placeEntrySchema = z.object({
  /** The server that it belongs to; it is forgotten with the server. */
  serverId: z.string().nullable(),
  /** What was chosen: names, sizes, switches. */
  chosen: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  /** What was typed: JSON or other text. Secrets in it are not kept. */
  typed: z.record(z.string(), z.string()),
});
export type PlaceEntry = z.infer<typeof placeEntrySchema>;

/** How results of tools are shown, which the window keeps: as content blocks, or as raw JSON. */
export const resultViews = ['content', 'raw'] as const;
export type ResultView = (typeof resultViews)[number];

export const placeArea = defineArea({
  commands: {
    /** Everything that was kept. `isOfThisRun`: whether a page of this run of the app has changed it. */
    'place/read': {
      params: z.object({}),
      result: z.object({ entries: z.record(z.string(), placeEntrySchema), isOfThisRun: z.boolean() }),
    },
    /** Keeps entries by their names; null drops one. */
    'place/keep': {
      params: z.object({ entries: z.record(z.string(), placeEntrySchema.nullable()) }),
      result: z.null(),
    },
  },
  events: {},
});

import { z } from 'zod';
import { defineArea } from './area.ts';

/** Everything the user set that is not about one server. */
export const settingsSchema = z.object({
  /** Which traces are deleted by themselves: older than so many days, or the oldest beyond so many bytes in all. */
  retention: z.object({
    days: z.number().int().positive().nullable(),
    bytes: z.number().int().positive().nullable(),
  }),
  /** Regular expressions whose matches exports leave out. */
  redactionPatterns: z.array(z.string().min(1)),
  /** The columns of the trace table in their order, with widths in pixels; empty for those of the app. */
  traceColumns: z.array(
    z.object({ name: z.string(), isShown: z.boolean(), width: z.number().positive().nullable() }),
  ),
  /** How the trace tells times: of the day, or since its first row. */
  traceTimes: z.enum(['wall', 'relative']),
  savedFilters: z.array(z.object({ name: z.string().min(1), text: z.string().min(1) })),
});
export type Settings = z.infer<typeof settingsSchema>;

export const defaultSettings: Settings = {
  retention: { days: null, bytes: null },
  redactionPatterns: [],
  traceColumns: [],
  traceTimes: 'wall',
  savedFilters: [],
};

export const settingsArea = defineArea({
  commands: {
    'settings/read': { params: z.object({}), result: settingsSchema },
    /** Sets what is given and leaves the rest. */
    'settings/write': { params: settingsSchema.partial(), result: settingsSchema },
  },
  events: { 'settings/changed': settingsSchema },
});

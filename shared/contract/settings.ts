import { z } from 'zod';
import { defineArea } from './area.ts';

/** All settings that are not about one server. */
export const settingsSchema = z.object({
  /** Deletes traces automatically: those older than `days`, and the oldest beyond `bytes` in total. */
  retention: z.object({
    days: z.number().int().positive().nullable(),
    bytes: z.number().int().positive().nullable(),
  }),
  /** Regular expressions; exports replace their matches. */
  redactionPatterns: z.array(z.string().min(1)),
  /** The columns of the trace table in order, with widths in pixels; empty for the default columns. */
  traceColumns: z.array(
    z.object({ name: z.string(), isShown: z.boolean(), width: z.number().positive().nullable() }),
  ),
  /** How the trace shows times: time of day, or since its first row. */
  traceTimes: z.enum(['wall', 'relative']),
  savedFilters: z.array(z.object({ name: z.string().min(1), text: z.string().min(1) })),
  /** Destructive tools that run without a question. */
  allowedTools: z.array(z.object({ serverId: z.string(), tool: z.string() })),
});
export type Settings = z.infer<typeof settingsSchema>;

export const defaultSettings: Settings = {
  retention: { days: null, bytes: null },
  redactionPatterns: [],
  traceColumns: [],
  traceTimes: 'wall',
  savedFilters: [],
  allowedTools: [],
};

export const settingsArea = defineArea({
  commands: {
    'settings/read': { params: z.object({}), result: settingsSchema },
    /** Changes the given settings and keeps the rest. */
    'settings/write': { params: settingsSchema.partial(), result: settingsSchema },
  },
  events: { 'settings/changed': settingsSchema },
});

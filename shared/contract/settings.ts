import { z } from 'zod';
import { defineArea } from './area.ts';
import { traceViews } from './trace.ts';

/** Which runs of tools the user confirms, the strictest first. */
export const confirmationLevels = [
  /** The first run of each tool since the app started, and each run of a destructive one. */
  'first-run',
  /** Each run of a tool with `destructiveHint: true`, unless it also has `readOnlyHint: true`. */
  'destructive',
  /** Never asks, because the user trusts the server. */
  'never',
] as const;
export type ConfirmationLevel = (typeof confirmationLevels)[number];

/** The colours of the window: those of the system, or always the same. High contrast is light or dark as the system is. */
export const themes = ['system', 'light', 'dark', 'high-contrast'] as const;
export type Theme = (typeof themes)[number];

/** Something that was opened. Names and paths only. */
export const recentItemSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('trace'), path: z.string().min(1) }),
  z.object({ kind: z.literal('server'), serverId: z.string().min(1) }),
  z.object({ kind: z.literal('calls'), path: z.string().min(1), serverId: z.string().min(1) }),
]);
export type RecentItem = z.infer<typeof recentItemSchema>;

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
  /** Whether the trace lists calls, with what belongs to them folded, or every message. */
  traceView: z.enum(traceViews),
  savedFilters: z.array(z.object({ name: z.string().min(1), text: z.string().min(1) })),
  /** Tools that run without a question. */
  allowedTools: z.array(z.object({ serverId: z.string(), tool: z.string() })),
  /** Which runs of tools the user confirms, by server; `destructive` for the others. */
  toolConfirmations: z.array(z.object({ serverId: z.string(), level: z.enum(confirmationLevels) })),
  theme: z.enum(themes),
  /** The keys that the user gave commands, by the command's id; null for none. */
  shortcuts: z.array(z.object({ command: z.string(), keys: z.string().min(1).nullable() })),
  /** What was opened last, the latest first: trace files, servers, and files of saved calls, each with its server. */
  recent: z.array(recentItemSchema),
  /** The language models that the user has, the preferred one first: the hints of sampling are matched against them. */
  modelNames: z.array(z.string().min(1)),
  /** The base URL of an OpenAI-compatible API that may answer sampling; null for none. Its key is a secret. */
  modelUrl: z
    .url({ protocol: /^https?$/, error: 'an address that begins with http:// or https://' })
    .nullable(),
});
export type Settings = z.infer<typeof settingsSchema>;

export const defaultSettings: Settings = {
  retention: { days: null, bytes: null },
  redactionPatterns: [],
  traceColumns: [],
  traceTimes: 'wall',
  traceView: 'calls',
  savedFilters: [],
  allowedTools: [],
  toolConfirmations: [],
  theme: 'system',
  shortcuts: [],
  recent: [],
  modelNames: [],
  modelUrl: null,
};

/** Which runs of a server's tools the user confirms. */
export const confirmationLevel = (
  { toolConfirmations }: Pick<Settings, 'toolConfirmations'>,
  serverId: string,
): ConfirmationLevel => toolConfirmations.find((one) => one.serverId === serverId)?.level ?? 'destructive';

export const settingsArea = defineArea({
  commands: {
    'settings/read': { params: z.object({}), result: settingsSchema },
    /** Changes the given settings and keeps the rest. */
    'settings/write': { params: settingsSchema.partial(), result: settingsSchema },
  },
  events: { 'settings/changed': settingsSchema },
});

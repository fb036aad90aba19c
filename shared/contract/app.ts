import { z } from 'zod';
import { defineArea } from './area.ts';

export const hostKinds = ['electron', 'web', 'cli'] as const;

export const appInfoSchema = z.object({
  version: z.string(),
  host: z.enum(hostKinds),
  /** `process.platform` of the engine, for the names of keys and paths. */
  platform: z.string(),
  /** The folder of traces and settings. */
  dataFolder: z.string(),
  /** The server to show first, if the app was opened with one. */
  initialServerId: z.string().nullable(),
  /** The trace to show first, if the app was opened with its file. */
  initialTraceId: z.string().nullable(),
  /** Whether secrets survive a restart in a key store of the operating system, or live in memory only. */
  keepsSecrets: z.boolean(),
});
export type AppInfo = z.infer<typeof appInfoSchema>;

export const appArea = defineArea({
  commands: {
    'app/info': { params: z.object({}), result: appInfoSchema },
  },
  events: {},
});

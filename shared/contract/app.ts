import { z } from 'zod';
import { defineArea } from './area.ts';

export const hostKinds = ['electron', 'web', 'cli'] as const;

export const appInfoSchema = z.object({
  version: z.string(),
  host: z.enum(hostKinds),
  /** `process.platform` of the engine, for the names of keys and paths. */
  platform: z.string(),
  /** Where traces and settings are kept. */
  dataFolder: z.string(),
  /** The server to show first, when the app was opened on one. */
  initialServerId: z.string().nullable(),
  /** The opened trace to show first, when the app was opened on its file. */
  initialTraceId: z.string().nullable(),
  /** Whether secrets survive a restart (an operating-system key store is there) or live in memory only. */
  keepsSecrets: z.boolean(),
});
export type AppInfo = z.infer<typeof appInfoSchema>;

export const appArea = defineArea({
  commands: {
    'app/info': { params: z.object({}), result: appInfoSchema },
  },
  events: {},
});

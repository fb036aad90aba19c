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
    /**
     * What a report about Sightglass itself needs: versions, the system, and how the sessions are, without names, addresses and
     * secrets.
     */
    'app/diagnostics': {
      params: z.object({
        /** What the window has to add, such as the error that it shows; secrets in it are replaced. */
        notes: z.string().max(100_000),
      }),
      result: z.object({ text: z.string() }),
    },
  },
  events: {},
});

import { z } from 'zod';
import { defineArea } from './area.ts';

/** What is at the URI of a root. Only `folder` is one that a server can work in. */
export const rootConditions = [
  /** A folder that Sightglass may read. */
  'folder',
  'missing',
  /** Something else, such as a file. */
  'not-a-folder',
  /** The system does not let Sightglass look, or the path cannot be followed. */
  'unreadable',
  /** Its path has a `..` segment, which servers resolve in different ways. */
  'parent-segment',
  /** Roots are `file://` URIs of this machine (MCP 2025-06-18 roots, data types). */
  'not-a-file-uri',
] as const;

export const rootStateSchema = z.object({
  /** The URI as it is declared to the server. */
  uri: z.string(),
  condition: z.enum(rootConditions),
  /** Its path on this machine; null unless it is a file URI. */
  path: z.string().nullable(),
  /** The path with every symbolic link followed; null if nothing is there. */
  realPath: z.string().nullable(),
});
export type RootState = z.infer<typeof rootStateSchema>;

/** The folders that the user declares to servers. */
export const rootsArea = defineArea({
  commands: {
    /** The state of each root of the configured servers. They are watched from the first call on. */
    'roots/states': { params: z.object({}), result: z.array(rootStateSchema) },
    /** The state of one URI, declared or not. It is not watched. */
    'roots/check': { params: z.object({ uri: z.string() }), result: rootStateSchema },
  },
  events: {
    /** All states, when one of them has changed. */
    'roots/changed': z.array(rootStateSchema),
  },
});

import { z } from 'zod';
import { catalogLists } from './catalog.ts';

/** Differences between two lists of the same server, such as of its tools. A changed list may be an attack. */
export const listChangesSchema = z.object({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(
    z.object({
      /** The name of a tool or prompt, the URI of a resource or template. */
      name: z.string(),
      /** The members that differ, such as `description`. */
      members: z.array(z.string()),
      before: z.string(),
      after: z.string(),
    }),
  ),
});
export type ListChanges = z.infer<typeof listChangesSchema>;

/** The parts of what a server defines; `handshake`: revision, server info, instructions, capabilities. */
export const definitionParts = ['handshake', ...catalogLists] as const;
export type DefinitionPart = (typeof definitionParts)[number];

/** What a server defines differently from its last connection. */
export const definitionChangesSchema = z.object({
  /** When the last connection was: milliseconds since the Unix epoch. */
  since: z.number(),
  /** The parts that differ. */
  changes: z.partialRecord(z.enum(definitionParts), listChangesSchema),
});
export type DefinitionChanges = z.infer<typeof definitionChangesSchema>;

import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { catalogLists } from '#shared/contract/catalog.ts';
import { type DefinitionChanges, definitionParts } from '#shared/contract/definitions.ts';
import { changesBetween, textsByName } from '#shared/list-changes.ts';
import type { Session } from './session.ts';

/** What a server declared and listed, as JSON texts without secrets. */
const definitionSchema = z.object({
  version: z.literal(1),
  /** Milliseconds since the Unix epoch. */
  at: z.number(),
  parts: z.record(z.string(), z.record(z.string(), z.string())),
});
type Definition = z.infer<typeof definitionSchema>;

interface DefinitionsOptions {
  readonly folder: string;
  /** Writes a file as a whole, readable by its owner only. */
  readonly replaceFile: (path: string, text: string) => Promise<void>;
}

/**
 * What each server defined when it was connected last: its info, instructions, capabilities and lists, one file for each server. A
 * server that changes them unseen may attack (MCP 2025-06-18 security best practices), so each connection is compared with the last.
 */
export class Definitions {
  readonly #options: DefinitionsOptions;
  /** The last write; writes happen one after the other. */
  #writing: Promise<void> = Promise.resolve();

  constructor(options: DefinitionsOptions) {
    this.#options = options;
  }

  /** What differs from the last connection; null if there was none. Keeps the definition for the next connection. */
  async compare(session: Session): Promise<DefinitionChanges | null> {
    const now = definitionOf(session);
    const before = await this.#read(session.serverId);
    this.#write(session.serverId, now);
    if (before === null) return null;
    const changes: DefinitionChanges['changes'] = {};
    for (const part of definitionParts) {
      const old = before.parts[part];
      const current = now.parts[part];
      // A list that could not be read says nothing.
      if (old === undefined || current === undefined) continue;
      const found = changesBetween(new Map(Object.entries(old)), new Map(Object.entries(current)));
      if (found !== null) changes[part] = found;
    }
    return { since: before.at, changes };
  }

  /** Forgets a removed server. */
  async forget(serverId: string): Promise<void> {
    await this.#writing;
    const path = this.#pathOf(serverId);
    if (path !== null) await rm(path, { force: true });
  }

  /** Waits until everything is written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  /** The path of the file; null if the id of the server, which may have been edited manually, is not a file name. */
  #pathOf(serverId: string): string | null {
    return /^[\w-]{1,100}$/.test(serverId) ? join(this.#options.folder, `${serverId}.json`) : null;
  }

  /** Null if the file is missing, damaged or of another version: the next connection has nothing to compare with. */
  async #read(serverId: string): Promise<Definition | null> {
    const path = this.#pathOf(serverId);
    if (path === null) return null;
    await this.#writing;
    try {
      return definitionSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    } catch {
      return null;
    }
  }

  #write(serverId: string, definition: Definition): void {
    const path = this.#pathOf(serverId);
    if (path === null) return;
    const { folder, replaceFile } = this.#options;
    this.#writing = this.#writing.then(async () => {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await replaceFile(path, JSON.stringify(definition));
      } catch {
        // Without the file, only the next comparison is missing.
      }
    });
  }
}

function definitionOf({ features, agreement }: Session): Definition {
  const { server, instructions, serverCapabilities, revision } = agreement ?? {};
  const handshake = { revision, server, instructions, capabilities: serverCapabilities };
  return {
    version: 1,
    at: Date.now(),
    parts: {
      handshake: Object.fromEntries(
        Object.entries(handshake).flatMap(([name, value]) =>
          value === null || value === undefined ? [] : [[name, JSON.stringify(value)]],
        ),
      ),
      ...Object.fromEntries(
        catalogLists.flatMap((list) => {
          const { state, entries, nextCursor } = features[list];
          const isKnown = (state === 'ready' && nextCursor === null) || state === 'not-declared';
          return isKnown ? [[list, Object.fromEntries(textsByName(entries))]] : [];
        }),
      ),
    },
  };
}

import { z } from 'zod';
import type { Authorizations } from '#authorization/authorizations.ts';
import type { Approvals } from '#config/approvals.ts';
import { removedApprovalSchema, removedServerSchema } from '#config/removed-kinds.ts';
import type { NoteRemoval, Removals } from '#config/removals.ts';
import type { Secrets } from '#config/secrets.ts';
import type { ServerList } from '#config/server-list.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { RemovedCall } from '#shared/contract/saved-calls.ts';
import { removedCallSchema } from '#shared/contract/saved-calls.ts';

/** A secret that waits in the store under another name. */
const heldSecretSchema = z.object({ id: z.string(), heldAs: z.string() });

/** A trace file that waits in a folder beside the others. */
const heldTraceSchema = z.object({ path: z.string(), heldAt: z.string() });

interface Parts {
  readonly removals: Removals;
  readonly servers: ServerList;
  readonly approvals: Approvals;
  readonly authorizations: Authorizations;
  readonly secrets: Secrets;
  /** Brings back a trace file. @throws FaultError if it is gone */
  readonly restoreTrace: (held: z.infer<typeof heldTraceSchema>) => Promise<void>;
  readonly eraseTrace: (heldAt: string) => Promise<void>;
  readonly restoreCall: (removed: RemovedCall) => Promise<void>;
  /** Deletes what else is kept of a removed server. */
  readonly eraseServer: (serverId: string) => Promise<void>;
}

/** Declares everything that can be removed and brought back; returns what notes the removal of each kind. */
export function declareRemovals({
  removals,
  servers,
  approvals,
  authorizations,
  secrets,
  restoreTrace,
  eraseTrace,
  restoreCall,
  eraseServer,
}: Parts): {
  readonly server: NoteRemoval<z.infer<typeof removedServerSchema>>;
  readonly approval: NoteRemoval<z.infer<typeof removedApprovalSchema>>;
  readonly credentials: NoteRemoval<z.infer<typeof heldSecretSchema>>;
  readonly modelKey: NoteRemoval<z.infer<typeof heldSecretSchema>>;
  readonly trace: NoteRemoval<z.infer<typeof heldTraceSchema>>;
  readonly savedCall: NoteRemoval<RemovedCall>;
} {
  return {
    server: removals.define('server', removedServerSchema, {
      restore: async ({ approvals: granted, ...server }) => {
        await servers.restore(server);
        if (granted.length > 0) await approvals.restore(granted);
      },
      erase: async ({ server }) => {
        if (await servers.has(server.id)) return;
        await servers.forget(server);
        await authorizations.store.forgetServer(server.id);
        await eraseServer(server.id);
      },
    }),
    approval: removals.define('approval', removedApprovalSchema, {
      restore: ({ approval }) => approvals.restore([approval]),
      erase: async () => {},
    }),
    credentials: removals.define('credentials', heldSecretSchema, {
      restore: async ({ id, heldAs }) => {
        const { serverId } = await authorizations.store.bringBack(id, heldAs);
        await authorizations.reload(serverId);
      },
      erase: ({ heldAs }) => authorizations.store.dropAside(heldAs),
    }),
    modelKey: removals.define('model-key', heldSecretSchema, {
      restore: async ({ id, heldAs }) => {
        const held = await secrets.get(heldAs);
        if (held === null) throw new FaultError(keyNotHeld);
        if ((await secrets.get(id)) !== null) throw new FaultError(hasNewerKey);
        await secrets.set(id, held);
        await secrets.remove(heldAs);
      },
      erase: ({ heldAs }) => secrets.remove(heldAs),
    }),
    trace: removals.define('trace', heldTraceSchema, {
      restore: restoreTrace,
      erase: ({ heldAt }) => eraseTrace(heldAt),
    }),
    savedCall: removals.define('saved-call', removedCallSchema, {
      restore: restoreCall,
      erase: async () => {},
    }),
  };
}

const keyNotHeld = { code: 'no-model-key', what: 'The key is no longer held.', next: 'Enter it again.' };

const hasNewerKey = {
  code: 'newer-model-key',
  what: 'Another key was entered since, so the removed one was not brought back.',
  next: 'Remove that key first.',
};

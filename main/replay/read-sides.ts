import { setTimeout as delay } from 'node:timers/promises';
import {
  type CatalogEntry,
  type CatalogListName,
  entryName,
  listMethods,
  UNKNOWN_METHOD,
} from '#shared/contract/catalog.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Handlers, Params, Result } from '#shared/contract/index.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { MAX_TRACED_CALLS, type TracedCall } from '#shared/contract/trace.ts';
import { mayHaveCapability } from '#shared/protocol/capabilities.ts';
import { capabilityOf } from '#shared/protocol/methods.ts';
import type { Catalog } from './compare/catalog-changes.ts';
import type { ComparedSession } from './compare/compare-sessions.ts';
import type { ListedKind } from './compare/entry-changes.ts';
import { joinRounds } from './rounds.ts';

export interface SideOptions {
  /** The requests of a session or an opened trace. */
  readonly readCalls: (
    params: Params<'trace/calls'>,
  ) => Promise<Result<'trace/calls'>> | Result<'trace/calls'>;
  /** A session that runs, ran in this run of the app, or was recorded. @throws FaultError if there is none */
  readonly session: (sessionId: string) => Promise<SessionView> | SessionView;
  readonly lists: Pick<
    Handlers,
    'catalog/tools' | 'catalog/resources' | 'catalog/templates' | 'catalog/prompts' | 'catalog/refresh'
  >;
}

/** What is compared of a session or an opened trace. */
export async function readSide(sessionId: string, options: SideOptions): Promise<ComparedSession> {
  const session = await options.session(sessionId);
  const calls = await readAllCalls(sessionId, options);
  return { calls, catalog: await readCatalog(sessionId, session, options.lists) };
}

/** All requests of a session or an opened trace in their order, with the rounds of each call joined. */
export async function readAllCalls(sessionId: string, options: SideOptions): Promise<TracedCall[]> {
  const calls: TracedCall[] = [];
  for (let from: number | null = 0; from !== null; ) {
    const page: Result<'trace/calls'> = await options.readCalls({ sessionId, from, count: MAX_TRACED_CALLS });
    calls.push(...page.calls);
    from = page.next;
  }
  return joinRounds(calls);
}

/**
 * Reads one call again, so that the texts of a large trace need not be kept; null if the trace no longer has it.
 *
 * @param responseRow that of its last round
 */
export async function readCall(
  sessionId: string,
  { row, responseRow }: Pick<TracedCall, 'row' | 'responseRow'>,
  options: SideOptions,
): Promise<TracedCall | null> {
  const calls: TracedCall[] = [];
  const last = responseRow ?? row;
  for (let from: number | null = row; from !== null && from <= last; ) {
    const page: Result<'trace/calls'> = await options.readCalls({ sessionId, from, count: FEW_CALLS });
    calls.push(...page.calls);
    from = page.next;
  }
  const isIt = (call: TracedCall): boolean => call.row === row && call.responseRow === responseRow;
  // A question of a round is found with the call before it only.
  return joinRounds(calls).find(isIt) ?? (await readAllCalls(sessionId, options)).find(isIt) ?? null;
}

/** Calls that are read at once to find one of them. */
const FEW_CALLS = 20;

/** What is compared of a list. */
interface ReadList {
  readonly state: 'not-declared' | 'waiting' | 'loading' | 'ready' | 'failed';
  readonly nextCursor: string | null;
  readonly entries: readonly CatalogEntry[];
  readonly fault: Fault | null;
}

async function readCatalog(
  sessionId: string,
  { agreement, phase }: SessionView,
  lists: SideOptions['lists'],
): Promise<Catalog> {
  const capabilities = agreement?.serverCapabilities ?? null;
  const isReady = phase === 'ready';
  const wholeOf = async (name: CatalogListName, read: () => Promise<ReadList> | ReadList) => {
    const isDeclared = mayHaveCapability(capabilities, capabilityOf(listMethods[name]) ?? name);
    // Of a server that declared nothing, only a request shows whether it has the list.
    if (capabilities === null) {
      if (isReady && isUnread(await read())) await tryToRead({ sessionId, list: name }, lists);
      const list = await read();
      if (isUnread(list)) return null;
      if (list.state === 'failed' && list.fault?.code === UNKNOWN_METHOD) return [];
    }
    return readWhole(read, { isDeclared, isReady });
  };
  const read: Record<ListedKind, readonly CatalogEntry[] | null> = {
    tool: await wholeOf('tools', () => lists['catalog/tools']({ sessionId })),
    resource: await wholeOf('resources', () => lists['catalog/resources']({ sessionId })),
    template: await wholeOf('templates', () => lists['catalog/templates']({ sessionId })),
    prompt: await wholeOf('prompts', () => lists['catalog/prompts']({ sessionId })),
  };
  return { revision: agreement?.revision ?? null, capabilities, lists: read };
}

/** Asks the server for a list. A recording has no server, and the list says itself why it could not be read. */
async function tryToRead(params: Params<'catalog/refresh'>, lists: SideOptions['lists']): Promise<void> {
  try {
    await lists['catalog/refresh'](params);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
  }
}

/** Before it is read, a list has the state of one that the server does not have. */
const isUnread = ({ state }: ReadList): boolean => state === 'not-declared';

/** Milliseconds to wait for a list that a session is reading, and between two looks. */
const MAX_LIST_WAIT = 30_000;
const LIST_POLL = 50;

/** The entries of a list; null if it was not read whole. Waits for a session that has just become ready. */
async function readWhole(
  read: () => Promise<ReadList> | ReadList,
  { isDeclared, isReady }: { readonly isDeclared: boolean; readonly isReady: boolean },
): Promise<readonly CatalogEntry[] | null> {
  for (let waited = 0; ; waited += LIST_POLL) {
    const { state, nextCursor, entries } = await read();
    const isComing = state === 'loading' || state === 'waiting' || (state === 'not-declared' && isDeclared);
    if (isComing && isReady && waited < MAX_LIST_WAIT) await delay(LIST_POLL);
    else if (isComing || state === 'failed' || nextCursor !== null) return null;
    else return entries.filter((entry) => entryName(entry) !== null);
  }
}

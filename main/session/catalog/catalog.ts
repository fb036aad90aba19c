import type { PendingRequest, Peer } from '#session/rpc/peer.ts';
import type { SessionState } from '#session/session-state.ts';
import {
  type CacheHint,
  type CatalogListName,
  type PromptList,
  type ResourceList,
  type TemplateList,
  type ToolList,
  UNKNOWN_METHOD,
} from '#shared/contract/catalog.ts';
import { type Fault, faultOf } from '#shared/contract/fault.ts';
import type { Origin } from '#shared/trace/record.ts';
import { entryKinds, type EntryKind, type Unusable, readEntry } from './entries.ts';
import { type NextPage, type Page, type PageSource, readPage } from './paging.ts';

interface CatalogOptions {
  readonly state: SessionState;
  readonly peer: Peer;
  readonly onChange: (list: CatalogListName) => void;
  /** Why a tool with this input schema must not be used; null if it may. */
  readonly checkSchema: (inputSchema: Readonly<Record<string, unknown>>) => string | null;
}

/** The lists of the server. Reads a list again when the server reports a change. */
export class Catalog {
  readonly #lists;

  constructor({ state, peer, onChange, checkSchema }: CatalogOptions) {
    const reading = (list: CatalogListName) => ({ state, peer, onChange: () => onChange(list) });
    const { tools, resources, templates, prompts } = entryKinds(checkSchema);
    this.#lists = {
      tools: new Listing(tools, reading('tools')),
      resources: new Listing(resources, reading('resources')),
      templates: new Listing(templates, reading('templates')),
      prompts: new Listing(prompts, reading('prompts')),
    };
  }

  get tools(): ToolList {
    return this.#lists.tools.list;
  }

  get resources(): ResourceList {
    return this.#lists.resources.list;
  }

  get templates(): TemplateList {
    return this.#lists.templates.list;
  }

  get prompts(): PromptList {
    return this.#lists.prompts.list;
  }

  /** Entries in a list, including unusable ones; null until it was read. */
  count(list: CatalogListName): number | null {
    const { state, entries } = this.#lists[list].list;
    return state === 'ready' || entries.length > 0 ? entries.length : null;
  }

  /** Reads a list from the first page on. If it is being read, reads it once more afterwards. */
  read(list: CatalogListName, origin: Origin): Promise<void> {
    return this.#lists[list].read(origin);
  }

  /** Reads the next page of a list, or all that are left; nothing at its end, or while it is being read. */
  readMore(list: CatalogListName, pages: 'next' | 'all'): Promise<void> {
    return this.#lists[list].readMore(pages === 'next' ? 1 : Number.POSITIVE_INFINITY);
  }

  /** Stops reading a list. What was read stays. */
  stop(list: CatalogListName): void {
    this.#lists[list].stop();
  }

  /** Updates the lists after the setting to read them page by page has changed. */
  pagingChanged(): void {
    for (const listing of Object.values(this.#lists)) listing.pagingChanged();
  }

  /** Handles a `list_changed` notification. */
  noteChanged(list: CatalogListName): void {
    this.#lists[list].noteChanged();
    // Templates have no notification of their own. They are fetched again only if they were fetched before.
    if (list === 'resources' && this.templates.state !== 'not-declared') this.#lists.templates.noteChanged();
  }

  /** Starts no further reading. A reading in progress continues. */
  close(): void {
    for (const listing of Object.values(this.#lists)) listing.close();
  }
}

/** Milliseconds from a `list_changed` until the list is read again, so that several notifications cause one reading. */
const SETTLE = 100;

/** One list of the server, with any kind of entry. */
export interface EntryList<E> extends Omit<ToolList, 'entries'> {
  entries: E[];
}

/** A list of which nothing was read. */
export const unreadList = (state: 'not-declared' | 'waiting' | 'loading' | 'failed'): EntryList<never> => ({
  state,
  entries: [],
  pages: 0,
  pageEnds: [],
  nextCursor: null,
  pageByPage: false,
  fault: null,
  cache: null,
});

/** A list as far as it was read, page by page. */
export class ListReading<T, E> {
  readonly #kind: EntryKind<T, E>;
  readonly #before: Pick<EntryList<E | Unusable>, 'entries' | 'cache'>;
  readonly #entries: (E | Unusable)[] = [];
  readonly #pageEnds: number[] = [];
  /** Keys of the entries so far. */
  readonly #taken = new Set<string>();
  #next: NextPage | null = null;
  #cache: CacheHint | null = null;

  /** @param before what stays in the list if not even its first page can be read */
  constructor(kind: EntryKind<T, E>, before: Pick<EntryList<E | Unusable>, 'entries' | 'cache'>) {
    this.#kind = kind;
    this.#before = before;
  }

  get pages(): number {
    return this.#pageEnds.length;
  }

  /** The cursor of the next page as the server wrote it; null if there is none. */
  get nextRaw(): string | null {
    return this.#next?.raw ?? null;
  }

  /** The list so far: ready, although it may have more pages. */
  list(fault: Fault | null): EntryList<E | Unusable> {
    return {
      state: 'ready',
      entries: [...this.#entries],
      pages: this.pages,
      pageEnds: [...this.#pageEnds],
      nextCursor: this.#next?.cursor ?? null,
      pageByPage: false,
      fault,
      cache: this.#cache,
    };
  }

  /**
   * Reads the next page. Never rejects: a failure becomes the fault of the list, and the page can be read again.
   *
   * @param read reads a page; null for the first
   */
  async readPage(read: (at: NextPage | null) => Promise<Page>): Promise<EntryList<E | Unusable>> {
    try {
      const page = await read(this.#next);
      for (const { value, raw } of page.entries) {
        this.#entries.push(readEntry(this.#kind, value, raw, this.#taken));
      }
      this.#pageEnds.push(this.#entries.length);
      this.#next = page.next;
      this.#cache = page.cache;
      return this.list(page.fault);
    } catch (error) {
      const fault = faultOf(`read ${this.#kind.words}`, error);
      if (fault.code === UNKNOWN_METHOD && this.#kind.mayBeUnknown)
        return { ...unreadList('loading'), state: 'ready' };
      const kept = this.pages === 0 ? { ...unreadList('failed'), ...this.#before } : this.list(fault);
      return { ...kept, state: 'failed', fault };
    }
  }
}

interface ListingOptions {
  readonly state: SessionState;
  readonly peer: Peer;
  readonly onChange: () => void;
}

/** One list of the server: its last state, and when to read it again. */
class Listing<T, E> {
  readonly #kind: EntryKind<T, E>;
  readonly #options: ListingOptions;
  #list: EntryList<E | Unusable> = unreadList('not-declared');
  /** The last reading, which may have more pages. */
  #latest: ListReading<T, E> | null = null;
  /** The request for a page that has no response yet. */
  #pending: PendingRequest | null = null;
  /** Ends the wait for a session that is being opened. */
  #waiting: AbortController | null = null;
  #isStopped = false;
  #reading: Promise<void> | undefined;
  /** Who wants the list read once more; null if nobody does. */
  #wanted: Origin | null = null;
  #settling: NodeJS.Timeout | undefined;

  constructor(kind: EntryKind<T, E>, options: ListingOptions) {
    this.#kind = kind;
    this.#options = options;
  }

  get list(): EntryList<E | Unusable> {
    return this.#list;
  }

  read(origin: Origin): Promise<void> {
    this.#wanted = origin;
    this.#reading ??= this.#readWhileWanted().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async readMore(pages: number): Promise<void> {
    const latest = this.#latest;
    if (latest === null || this.#reading !== undefined || this.#list.nextCursor === null) return;
    const { fault: _, ...list } = this.#list;
    this.#set({ ...list, state: 'loading', fault: null });
    this.#isStopped = false;
    this.#reading = this.#readPages(latest, pages, 'user')
      .then(() => this.#readWhileWanted())
      .finally(() => {
        this.#reading = undefined;
      });
    await this.#reading;
  }

  stop(): void {
    if (this.#reading === undefined) return;
    this.#wanted = null;
    this.#isStopped = true;
    this.#waiting?.abort();
    this.#pending?.cancel(undefined);
  }

  pagingChanged(): void {
    this.#set(this.#list);
  }

  noteChanged(): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined;
      void this.read('automatic');
    }, SETTLE).unref();
  }

  close(): void {
    clearTimeout(this.#settling);
    this.#wanted = null;
  }

  async #readWhileWanted(): Promise<void> {
    for (let origin = this.#wanted; origin !== null; origin = this.#wanted) {
      this.#wanted = null;
      await this.#read(origin);
    }
  }

  async #read(origin: Origin): Promise<void> {
    // Keep showing the old list until the first new page has arrived.
    const before = this.#list;
    const { entries, cache, pages } = before;
    this.#isStopped = false;
    const { state } = this.#options;
    if (!state.isReady) {
      this.#set({ ...unreadList('waiting'), entries, cache });
      const fault = await this.#untilReady();
      if (fault !== null) return this.#set({ ...unreadList('failed'), entries, cache, fault });
      if (this.#isStopped) return this.#set(before);
    }
    this.#set({ ...unreadList('loading'), entries, cache });
    this.#latest = new ListReading(this.#kind, { entries, cache });
    // If lists are read page by page, a changed list is read as far as before; a user who reads it again gets the first page.
    const count = origin === 'user' ? 1 : Math.max(1, pages);
    const { pageByPage } = state;
    await this.#readPages(this.#latest, pageByPage ? count : Number.POSITIVE_INFINITY, origin);
  }

  /** Returns null once the session is ready, or the reading was stopped; otherwise why it cannot be read. */
  async #untilReady(): Promise<Fault | null> {
    const { state } = this.#options;
    this.#waiting = new AbortController();
    const fault = await state.untilReady(this.#waiting.signal);
    this.#waiting = null;
    // This reading has not begun, so it also satisfies every other request to read the list.
    this.#wanted = null;
    return fault && state.redacted(fault);
  }

  async #readPages(reading: ListReading<T, E>, count: number, origin: Origin): Promise<void> {
    const { peer, state } = this.#options;
    const { method, member } = this.#kind;
    const source: PageSource = {
      request: (...request) => (this.#pending = peer.request(...request)),
    };
    for (let read = 1; ; read++) {
      const list = await reading.readPage((at) =>
        readPage(source, method, member, state.requestOptions(origin), at),
      );
      const isOver =
        read >= count ||
        this.#isStopped ||
        list.state === 'failed' ||
        list.fault !== null ||
        list.nextCursor === null;
      if (!isOver) this.#set({ ...list, state: 'loading' });
      else this.#set(this.#isStopped && reading.pages > 0 ? reading.list(null) : list);
      if (isOver) break;
    }
    this.#pending = null;
  }

  #set(list: EntryList<E | Unusable>): void {
    this.#list = { ...list, pageByPage: this.#options.state.pageByPage };
    this.#options.onChange();
  }
}

import type { Peer } from '#session/rpc/peer.ts';
import type { SessionState } from '#session/session-state.ts';
import type {
  CatalogListName,
  PromptList,
  ResourceList,
  TemplateList,
  ToolList,
  CacheHint,
} from '#shared/contract/catalog.ts';
import { type Fault, faultOf } from '#shared/contract/fault.ts';
import type { Origin } from '#shared/trace/record.ts';
import { entryKinds, type EntryKind, type Unusable, readEntry } from './entries.ts';
import { readPages, UnknownMethod } from './paging.ts';

interface CatalogOptions {
  readonly state: SessionState;
  readonly peer: Peer;
  readonly onChange: (list: CatalogListName) => void;
  /** Why a tool with this input schema must not be used; null if it may. */
  readonly checkSchema: (inputSchema: Readonly<Record<string, unknown>>) => string | null;
}

/** What the server offers, as far as it was asked. Asks again when the server says that a list changed. */
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

  /** How many entries the list of tools has, bad ones too; null until it was read. */
  get toolCount(): number | null {
    const { state, entries } = this.tools;
    return state === 'ready' || entries.length > 0 ? entries.length : null;
  }

  /** Reads a list from the first page on; a reading under way is followed by another one. */
  read(list: CatalogListName, origin: Origin): Promise<void> {
    return this.#lists[list].read(origin);
  }

  /** The server said that a list changed. */
  noteChanged(list: CatalogListName): void {
    this.#lists[list].noteChanged();
    // Templates have no notification of their own. They are fetched again only if they were fetched before.
    if (list === 'resources' && this.templates.state !== 'not-declared') this.#lists.templates.noteChanged();
  }

  /** Nothing is read any more but what is under way. */
  close(): void {
    for (const listing of Object.values(this.#lists)) listing.close();
  }
}

/** Milliseconds from a `list_changed` until the list is asked for again, for what comes meanwhile too. */
const SETTLE = 100;

/** A list of the server, whatever its entries are. */
interface EntryList<E> extends Omit<ToolList, 'entries'> {
  entries: E[];
}

interface ListingOptions {
  readonly state: SessionState;
  readonly peer: Peer;
  readonly onChange: () => void;
}

/** One list of the server: as it was read last, and read again when it is to be. */
class Listing<T, E> {
  readonly #kind: EntryKind<T, E>;
  readonly #options: ListingOptions;
  #list: EntryList<E | Unusable> = {
    state: 'not-declared',
    entries: [],
    pages: 0,
    fault: null,
    cache: null,
  };
  #reading: Promise<void> | undefined;
  /** For whom the list is to be read once more; null when it need not be. */
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
    const { method, member, words } = this.#kind;
    // The list shown before stays until the first new page is there.
    const { entries: before, cache: cacheBefore } = this.#list;
    this.#set({ state: 'loading', entries: before, pages: 0, fault: null, cache: cacheBefore });
    const options = this.#options.state.requestOptions(origin);
    const entries: (E | Unusable)[] = [];
    const taken = new Set<string>();
    let pages = 0;
    let fault: Fault | null = null;
    let cache: CacheHint | null = null;
    try {
      for await (const page of readPages(this.#options.peer, method, member, options)) {
        for (const { value, raw } of page.entries) entries.push(readEntry(this.#kind, value, raw, taken));
        pages++;
        ({ fault, cache } = page);
        this.#set({ state: 'loading', entries: [...entries], pages, fault, cache });
      }
      this.#set({ state: 'ready', entries, pages, fault, cache });
    } catch (error) {
      if (error instanceof UnknownMethod && this.#kind.mayBeUnknown) {
        this.#set({ state: 'ready', entries: [], pages: 0, fault: null, cache: null });
        return;
      }
      const kept = pages === 0 ? { entries: before, cache: cacheBefore } : { entries: [...entries], cache };
      this.#set({ state: 'failed', pages, fault: faultOf(`read ${words}`, error), ...kept });
    }
  }

  #set(list: EntryList<E | Unusable>): void {
    this.#list = list;
    this.#options.onChange();
  }
}

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
import { type Page, readPages, UnknownMethod } from './paging.ts';

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

  /** Handles a `list_changed` notification. */
  noteChanged(list: CatalogListName): void {
    this.#lists[list].noteChanged();
    // Templates have no notification of their own. They are fetched again only if they were fetched before.
    if (list === 'resources' && this.templates.state !== 'not-declared') this.#lists.templates.noteChanged();
  }

  /** Starts no further reading; one under way goes on. */
  close(): void {
    for (const listing of Object.values(this.#lists)) listing.close();
  }
}

/** Milliseconds from a `list_changed` until the list is read again, so that several cause one reading. */
const SETTLE = 100;

/** One list of the server, with any kind of entry. */
export interface EntryList<E> extends Omit<ToolList, 'entries'> {
  entries: E[];
}

/**
 * Reads the entries of a list, page by page. Never rejects: what fails is the list's fault.
 *
 * @param before what stays in the list if not even its first page can be read
 * @param onPage called with the list so far after each page
 */
export async function readList<T, E>(
  kind: EntryKind<T, E>,
  readingPages: AsyncIterable<Page>,
  before: Pick<EntryList<E | Unusable>, 'entries' | 'cache'>,
  onPage: (list: EntryList<E | Unusable>) => void,
): Promise<EntryList<E | Unusable>> {
  const entries: (E | Unusable)[] = [];
  const taken = new Set<string>();
  let pages = 0;
  let fault: Fault | null = null;
  let cache: CacheHint | null = null;
  try {
    for await (const page of readingPages) {
      for (const { value, raw } of page.entries) entries.push(readEntry(kind, value, raw, taken));
      pages++;
      ({ fault, cache } = page);
      onPage({ state: 'loading', entries: [...entries], pages, fault, cache });
    }
    return { state: 'ready', entries, pages, fault, cache };
  } catch (error) {
    if (error instanceof UnknownMethod && kind.mayBeUnknown) {
      return { state: 'ready', entries: [], pages: 0, fault: null, cache: null };
    }
    const kept = pages === 0 ? before : { entries, cache };
    return { state: 'failed', pages, fault: faultOf(`read ${kind.words}`, error), ...kept };
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
  #list: EntryList<E | Unusable> = {
    state: 'not-declared',
    entries: [],
    pages: 0,
    fault: null,
    cache: null,
  };
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
    const { peer, state } = this.#options;
    const { method, member } = this.#kind;
    // Keep showing the old list until the first new page has arrived.
    const { entries, cache } = this.#list;
    this.#set({ state: 'loading', entries, pages: 0, fault: null, cache });
    const pages = readPages(peer, method, member, state.requestOptions(origin));
    this.#set(await readList(this.#kind, pages, { entries, cache }, (list) => this.#set(list)));
  }

  #set(list: EntryList<E | Unusable>): void {
    this.#list = list;
    this.#options.onChange();
  }
}

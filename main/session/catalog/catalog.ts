import type {
  CatalogListName,
  PromptList,
  ResourceList,
  TemplateList,
  ToolList,
} from '#shared/contract/catalog.ts';
import type { Origin } from '#shared/trace/record.ts';
import type { Peer, RequestOptions } from '#session/rpc/peer.ts';
import { entryKinds } from './entry-kinds.ts';
import { Listing } from './listing.ts';

export interface CatalogOptions {
  readonly times: Omit<RequestOptions, 'origin'>;
  readonly onChange: (list: CatalogListName) => void;
  /** Why a tool with this input schema must not be used although it is one; null when it may. */
  readonly whyUnusable: (inputSchema: Readonly<Record<string, unknown>>) => string | null;
}

/** What the server offers, as far as it was asked. Asks again when the server says that a list changed. */
export class Catalog {
  readonly #lists;

  constructor(peer: Peer, { times, onChange, whyUnusable }: CatalogOptions) {
    const reading = (list: CatalogListName) => ({ peer, times, onChange: () => onChange(list) });
    const { tools, resources, templates, prompts } = entryKinds(whyUnusable);
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
    if (list === 'resources' && this.templates.state !== 'not-offered') this.#lists.templates.noteChanged();
  }

  /** Nothing is read any more but what is under way. */
  close(): void {
    for (const listing of Object.values(this.#lists)) listing.close();
  }
}

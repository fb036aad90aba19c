import { type ToolEntry, type ToolList, toolSchema } from '#shared/contract/catalog.ts';
import { type Fault, faultOf } from '#shared/contract/fault.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { Origin } from '#shared/trace/record.ts';
import { readPages } from './paging.ts';
import type { Peer, RequestOptions } from './peer.ts';

/** Milliseconds from a `list_changed` until the list is asked for again, for what comes meanwhile too. */
const SETTLE = 100;

const empty: ToolList = { state: 'not-offered', entries: [], pages: 0, fault: null };

export interface CatalogOptions {
  readonly times: Omit<RequestOptions, 'origin'>;
  readonly onChange: () => void;
  /** Why a tool with this input schema must not be used although it is one; null when it may. */
  readonly whyUnusable: (inputSchema: Readonly<Record<string, unknown>>) => string | null;
}

/** What the server offers, as far as it was asked: its tools. Asks again when the server says they changed. */
export class Catalog {
  readonly #peer: Peer;
  readonly #options: CatalogOptions;
  #tools: ToolList = empty;
  #reading: Promise<void> | undefined;
  /** For whom the tools are to be read once more; null when they need not be. */
  #wanted: Origin | null = null;
  #settling: NodeJS.Timeout | undefined;

  constructor(peer: Peer, options: CatalogOptions) {
    this.#peer = peer;
    this.#options = options;
  }

  get tools(): ToolList {
    return this.#tools;
  }

  /** How many entries the list has, bad ones too; null until it was read. */
  get toolCount(): number | null {
    const { state, entries } = this.#tools;
    return state === 'ready' || entries.length > 0 ? entries.length : null;
  }

  /** Reads the tools from the first page on; a reading under way is followed by another one. */
  readTools(origin: Origin): Promise<void> {
    this.#wanted = origin;
    this.#reading ??= this.#readWhileWanted().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** The server said that its tools changed. */
  noteToolsChanged(): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined;
      void this.readTools('automatic');
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
    // The list shown before stays until the first new page is there.
    const before = this.#tools.entries;
    this.#set({ state: 'loading', entries: before, pages: 0, fault: null });
    const options = { ...this.#options.times, origin };
    const entries: ToolEntry[] = [];
    let pages = 0;
    let fault: Fault | null = null;
    try {
      for await (const page of readPages(this.#peer, 'tools/list', 'tools', options)) {
        const names = new Set(entries.map((entry) => (entry.usable ? entry.tool.name : null)));
        for (const { value, raw } of page.entries) {
          const entry = this.#checked(readTool(value, raw, names));
          if (entry.usable) names.add(entry.tool.name);
          entries.push(entry);
        }
        pages++;
        fault = page.fault;
        this.#set({ state: 'loading', entries: [...entries], pages, fault });
      }
      this.#set({ state: 'ready', entries, pages, fault });
    } catch (error) {
      const kept = pages === 0 ? before : entries;
      this.#set({ state: 'failed', entries: [...kept], pages, fault: faultOf('read the tools', error) });
    }
  }

  #checked(entry: ToolEntry): ToolEntry {
    const why = entry.usable ? this.#options.whyUnusable(entry.tool.inputSchema) : null;
    if (!entry.usable || why === null) return entry;
    return { usable: false, name: entry.tool.name, why, raw: entry.raw };
  }

  #set(tools: ToolList): void {
    this.#tools = tools;
    this.#options.onChange();
  }
}

/** One entry of the list by itself, so that a bad one never hides the others. */
function readTool(value: unknown, raw: string, names: ReadonlySet<string | null>): ToolEntry {
  const parsed = toolSchema.safeParse(value);
  const name = isObject(value) && typeof value.name === 'string' ? value.name : null;
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'entry'}: ${message}`,
    );
    return { usable: false, name, why: problems.join('; '), raw };
  }
  const { type } = parsed.data.inputSchema;
  if (type !== 'object') {
    const why = `inputSchema.type must be "object", it is ${type === undefined ? 'missing' : JSON.stringify(type)}`;
    return { usable: false, name, why, raw };
  }
  return { usable: true, tool: parsed.data, duplicate: names.has(parsed.data.name), raw };
}

import type { ToolList } from '#shared/contract/catalog.ts';
import type { Agreement, Switches } from '#shared/contract/sessions.ts';
import { type ModernSettings, requestMeta } from './modern-era.ts';
import { type ParamHeader, paramHeadersOf } from '#session/headers/param-headers.ts';

export interface ClientBehaviorOptions {
  readonly settings: ModernSettings;
  readonly switches: () => Switches;
  /** What was agreed on so far. */
  readonly agreement: () => Agreement | null;
  readonly isHttp: boolean;
  readonly tools: () => ToolList;
  /** What each request of the modern era asks to be logged; null for nothing. */
  readonly logLevel: () => string | null;
}

/** Requests that are answered at once, so that there is no progress to tell of. */
const withoutProgress: ReadonlySet<string> = new Set(['initialize', 'ping', 'server/discover']);

/** How a client has to behave in the era in force, and how it does with the client switches as they are. */
export class ClientBehavior {
  readonly #options: ClientBehaviorOptions;

  constructor(options: ClientBehaviorOptions) {
    this.#options = options;
  }

  get isModern(): boolean {
    return this.#options.agreement()?.era === 'modern';
  }

  /** Whether closing the stream of an answer cancels its request. */
  get cancelsByDropping(): boolean {
    return this.#options.isHttp && this.isModern;
  }

  /** What `_meta` of a request holds because of the era; null for nothing. */
  metaFor(method: string): Record<string, unknown> | null {
    const { settings, switches } = this.#options;
    const { meta } = switches();
    // `server/discover` is of the modern era, whatever is found out by it.
    const isModern = this.isModern || method === 'server/discover';
    if (!isModern || meta.how === 'omit') return null;
    const own = requestMeta(settings, this.#options.logLevel());
    if (meta.how === 'send') return own;
    return Object.fromEntries(
      Object.entries({ ...own, ...meta.members }).filter(([, value]) => value !== null),
    );
  }

  /** Whether a request asks to be told of its progress (MCP progress). */
  asksForProgress(method: string): boolean {
    return !this.#options.switches().noProgressToken && !withoutProgress.has(method);
  }

  /** Over HTTP a tool whose mirrored parameters are not valid must not be used (MCP 2026-07-28 Streamable HTTP). */
  whyUnusable(inputSchema: Readonly<Record<string, unknown>>): string | null {
    return this.#options.isHttp && this.isModern ? paramHeadersOf(inputSchema).problem : null;
  }

  /** The mirrored parameters of a tool, as far as it is known. */
  paramHeadersOf(tool: string): readonly ParamHeader[] {
    const entry = this.#options.tools().entries.find((one) => one.usable && one.tool.name === tool);
    return entry?.usable ? (paramHeadersOf(entry.tool.inputSchema).headers ?? []) : [];
  }
}

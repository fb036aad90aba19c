import type { SessionState } from '#session/session-state.ts';
import type { ToolList } from '#shared/contract/catalog.ts';
import { type ModernSettings, requestMeta } from './modern-era.ts';
import { type ParamHeader, paramHeadersOf } from '#session/headers/param-headers.ts';

export interface ClientBehaviorOptions {
  readonly state: SessionState;
  readonly settings: ModernSettings;
  readonly isHttp: () => boolean;
  readonly tools: () => ToolList;
}

/** Requests that have no progress. */
const withoutProgress: ReadonlySet<string> = new Set(['initialize', 'ping', 'server/discover']);

/** How the client behaves in the negotiated era, with the current client switches. */
export class ClientBehavior {
  readonly #options: ClientBehaviorOptions;

  constructor(options: ClientBehaviorOptions) {
    this.#options = options;
  }

  /** Whether closing the response stream cancels its request. */
  get cancelsByDropping(): boolean {
    return this.#options.isHttp() && this.#options.state.isModern;
  }

  /** The members that the era adds to `_meta` of a request; null for none. */
  metaFor(method: string): Record<string, unknown> | null {
    const { settings, state } = this.#options;
    const { meta } = state.switches;
    // `server/discover` always follows the modern era, because only that era has it.
    const isModern = state.isModern || method === 'server/discover';
    if (!isModern || meta.how === 'omit') return null;
    const required = requestMeta(settings, state.logLevel);
    if (meta.how === 'send') return required;
    return Object.fromEntries(
      Object.entries({ ...required, ...meta.members }).filter(([, value]) => value !== null),
    );
  }

  /** Whether a request carries a progress token (MCP progress). */
  requestsProgress(method: string): boolean {
    return !this.#options.state.switches.noProgressToken && !withoutProgress.has(method);
  }

  /** Why the parameters of a tool that it wants mirrored into headers are invalid; null if they are valid, or not used. */
  schemaError(inputSchema: Readonly<Record<string, unknown>>): string | null {
    return this.#options.isHttp() && this.#options.state.isModern ? paramHeadersOf(inputSchema).error : null;
  }

  /** The parameters of a tool that are mirrored into headers; empty if the tool is unknown. */
  paramHeadersOf(tool: string): readonly ParamHeader[] {
    const entry = this.#options.tools().entries.find((one) => one.usable && one.tool.name === tool);
    return entry?.usable ? (paramHeadersOf(entry.tool.inputSchema).headers ?? []) : [];
  }
}

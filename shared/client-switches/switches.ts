import { z } from 'zod';

/** Client switches: each makes the client break a rule, or leave out what is optional, on purpose. They apply to one server, until the app quits. */
export const switchesSchema = z.object({
  /** When to send `notifications/initialized` (MCP 2025-06-18 lifecycle, initialization). */
  initialized: z.discriminatedUnion('how', [
    z.object({ how: z.literal('send') }),
    z.object({ how: z.literal('delay'), milliseconds: z.number().int().positive().max(600_000) }),
    z.object({ how: z.literal('withhold') }),
  ]),
  /** Omit `Mcp-Session-Id`. */
  omitSessionId: z.boolean(),
  /** `MCP-Protocol-Version`: the negotiated revision, none, or any text. */
  versionHeader: z.discriminatedUnion('how', [
    z.object({ how: z.literal('send') }),
    z.object({ how: z.literal('omit') }),
    z.object({ how: z.literal('replace'), value: z.string() }),
  ]),
  /** `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` (modern era): as in the body, none, or contradicting the body. */
  standardHeaders: z.enum(['send', 'omit', 'disagree']),
  /** `_meta` of each request (modern era): as required, none, or with these members replaced (null removes one). */
  meta: z.discriminatedUnion('how', [
    z.object({ how: z.literal('send') }),
    z.object({ how: z.literal('omit') }),
    z.object({ how: z.literal('change'), members: z.record(z.string(), z.unknown()) }),
  ]),
  /** Do not request progress notifications. */
  noProgressToken: z.boolean(),
  /** Do not open the GET stream of Streamable HTTP. */
  noStandingStream: z.boolean(),
  /** Keep using the session id after the server responded with 404. */
  keepExpired: z.boolean(),
});
export type Switches = z.infer<typeof switchesSchema>;

/** All switches off: the client follows the specification. */
export const switchesOff: Switches = {
  initialized: { how: 'send' },
  omitSessionId: false,
  versionHeader: { how: 'send' },
  standardHeaders: 'send',
  meta: { how: 'send' },
  noProgressToken: false,
  noStandingStream: false,
  keepExpired: false,
};

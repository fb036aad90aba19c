import { z } from 'zod';
import { phaseNameSchema } from '../trace/record.ts';
import { defineArea } from './area.ts';
import { faultSchema } from './fault.ts';

const jsonObject = z.record(z.string(), z.unknown());

/** Who a peer says it is (MCP lifecycle, Implementation). Untrusted text. */
export const implementationSchema = z.object({
  name: z.string(),
  version: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  websiteUrl: z.string().optional(),
});
export type Implementation = z.infer<typeof implementationSchema>;

/** What both sides agreed on. */
export const agreementSchema = z.object({
  era: z.enum(['legacy', 'modern']),
  /** The revision asked for and the one in force. */
  requestedRevision: z.string(),
  revision: z.string(),
  server: implementationSchema,
  instructions: z.string().nullable(),
  serverCapabilities: jsonObject,
  client: implementationSchema,
  clientCapabilities: jsonObject,
  /** Microseconds `initialize` took. */
  handshake: z.number(),
});
export type Agreement = z.infer<typeof agreementSchema>;

export const sessionSchema = z.object({
  id: z.string(),
  serverId: z.string(),
  serverName: z.string(),
  transport: z.literal('stdio'),
  phase: phaseNameSchema,
  /** Why it is closed or failed, in one sentence; null while it runs. */
  reason: z.string().nullable(),
  /** What to tell the user when it failed. */
  fault: faultSchema.nullable(),
  /** Null until the handshake succeeded. */
  agreement: agreementSchema.nullable(),
  process: z
    .object({
      pid: z.number().nullable(),
      exitCode: z.number().nullable(),
      signal: z.string().nullable(),
    })
    .nullable(),
  /** Milliseconds since the Unix epoch. */
  openedAt: z.number(),
  closedAt: z.number().nullable(),
  counts: z.object({
    rows: z.number(),
    messages: z.number(),
    errors: z.number(),
    /** Rows that could not be read as what their channel carries. */
    invalid: z.number(),
    /** Bytes of the trace file. */
    traceBytes: z.number(),
  }),
  /** How many tools the server lists; null until it has. */
  toolCount: z.number().int().nullable(),
  /** Median microseconds from request to answer; null before the first answer. */
  medianDuration: z.number().nullable(),
  /** The trace file, and why it cannot be written when it cannot. */
  traceFile: z.object({ path: z.string(), fault: faultSchema.nullable() }),
});
export type SessionView = z.infer<typeof sessionSchema>;

/** A command line about to be run for the first time, exactly as it will be. */
export const launchSchema = z.object({
  command: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  /** Names of the variables the user set. */
  env: z.array(z.string()),
  /** The file the command was found at, or null when it was not found. */
  resolved: z.string().nullable(),
});
export type Launch = z.infer<typeof launchSchema>;

export const sessionsArea = defineArea({
  commands: {
    'sessions/list': { params: z.object({}), result: z.array(sessionSchema) },
    /**
     * Connects to a server. A command line that was never approved is not run: the answer asks for the
     * user's approval, and the same command with that one-time approval runs it.
     */
    'sessions/open': {
      params: z.object({ serverId: z.string(), approval: z.string().optional() }),
      result: z.discriminatedUnion('outcome', [
        z.object({ outcome: z.literal('opened'), session: sessionSchema }),
        z.object({ outcome: z.literal('approval-needed'), approval: z.string(), launch: launchSchema }),
      ]),
    },
    'sessions/close': { params: z.object({ sessionId: z.string() }), result: z.null() },
    /** Sends `ping`; the result is microseconds to the answer. */
    'sessions/ping': {
      params: z.object({ sessionId: z.string() }),
      result: z.object({ duration: z.number() }),
    },
  },
  events: {
    'sessions/changed': sessionSchema,
  },
});

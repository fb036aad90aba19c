import { z } from 'zod';
import { switchesSchema } from '../client-switches/switches.ts';
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
  /** Null while a server of the modern era has not said who it is. */
  server: implementationSchema.nullable(),
  instructions: z.string().nullable(),
  /** Null when it was never asked: the modern era without a probe. */
  serverCapabilities: jsonObject.nullable(),
  /** Revisions a modern server says it supports; empty when it did not say. */
  supportedRevisions: z.array(z.string()),
  client: implementationSchema,
  clientCapabilities: jsonObject,
  /** Microseconds `initialize` or `server/discover` took; null without either. */
  handshake: z.number().nullable(),
});
export type Agreement = z.infer<typeof agreementSchema>;

/** How a session reaches its server. */
export const sessionTransports = ['stdio', 'http', 'streamable-http', 'http-sse'] as const;

/** One thing that was tried or seen while finding out era and transport, in order. */
export const evidenceSchema = z.object({
  /** One sentence. May hold untrusted text. */
  text: z.string(),
  /** Row of the trace that shows it. */
  row: z.number().int().nullable(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** An event stream of Streamable HTTP or HTTP+SSE. */
export const streamSchema = z.object({
  /** Row of the exchange that is, or last was, its connection. */
  row: z.number().int(),
  exchange: z.number().int(),
  /** `answer`: opened by a POST of ours. `standing`: by a GET, for what the server sends unasked. */
  kind: z.enum(['answer', 'standing']),
  /** `refused`: the server offers none (405). */
  state: z.enum(['open', 'waiting', 'closed', 'refused']),
  /** Events it carried. */
  events: z.number().int(),
  lastEventId: z.string().nullable(),
  /** Milliseconds the server asked us to wait before coming back. */
  retry: z.number().nullable(),
  /** How many times it was resumed. */
  resumed: z.number().int(),
});
export type Stream = z.infer<typeof streamSchema>;

/** What only sessions over HTTP have. */
export const httpSessionSchema = z.object({
  url: z.string(),
  /** Where HTTP+SSE takes messages. */
  endpoint: z.string().nullable(),
  /** `Mcp-Session-Id` of the legacy era; null when the server gave none. */
  sessionId: z.string().nullable(),
  /** How many times the server let the session expire and it was opened again. */
  renewed: z.number().int(),
  streams: z.array(streamSchema),
});
export type HttpSession = z.infer<typeof httpSessionSchema>;

/** Suggested fixes of a session that failed, each by connecting once more. */
export const remedySchema = z.discriminatedUnion('kind', [
  /** Ask for a revision that the server says it supports. */
  z.object({ kind: z.literal('revision'), revision: z.string() }),
  /** Speak whatever revision the server answers with. */
  z.object({ kind: z.literal('any-revision'), revision: z.string() }),
  /** Accept this certificate from now on. */
  z.object({ kind: z.literal('accept-certificate'), fingerprint: z.string(), subject: z.string() }),
]);
export type Remedy = z.infer<typeof remedySchema>;

export const sessionSchema = z.object({
  id: z.string(),
  serverId: z.string(),
  serverName: z.string(),
  /** `http` until it is known which of the two it is. */
  transport: z.enum(sessionTransports),
  phase: phaseNameSchema,
  /** Why it is closed or failed, in one sentence; null while it runs. */
  reason: z.string().nullable(),
  /** What to tell the user when it failed. */
  fault: faultSchema.nullable(),
  /** What helps when it failed, beside connecting again. */
  remedies: z.array(remedySchema),
  /** Null until the handshake succeeded. */
  agreement: agreementSchema.nullable(),
  /** How era and transport were found out. */
  evidence: z.array(evidenceSchema),
  /** Which client switches are on, in a few words each; empty for a good client. */
  switchesOn: z.array(z.string()),
  http: httpSessionSchema.nullable(),
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
  /** Questions of the server that wait for the user. */
  waiting: z.number().int(),
  /** How many findings there are of each severity. */
  findings: z.object({ error: z.number().int(), warning: z.number().int(), info: z.number().int() }),
  /** The log level in force: set by `logging/setLevel`, or for each request in the modern era; null when none is. */
  logLevel: z.string().nullable(),
  /** How many pings in a row the server did not answer; see `keepAlive` of its settings. */
  missedPings: z.number().int(),
  /** Median microseconds from request to answer; null before the first answer. */
  medianDuration: z.number().nullable(),
  /** The trace file, and why it cannot be written when it cannot. */
  traceFile: z.object({ path: z.string(), fault: faultSchema.nullable() }),
});
export type SessionView = z.infer<typeof sessionSchema>;

/** A command line about to be run for the first time, exactly as it will be: `resolved` is the file that is run. */
export const launchSchema = z.object({
  command: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  /** The variables the user set. A secret value is null. */
  env: z.array(z.object({ name: z.string(), value: z.string().nullable() })),
  /** What else it gets of the variables of this app: see `inherit` of a server's settings. */
  inherit: z.enum(['safe', 'all']),
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
      params: z.object({
        serverId: z.string(),
        approval: z.string().optional(),
        /** For this session only, in place of the server's setting. */
        revision: z.string().optional(),
        /** Go on with whatever revision the server answers with. */
        anyRevision: z.boolean().optional(),
        /** Accept this certificate from now on; it is kept with the server. */
        acceptCertificate: z.string().optional(),
      }),
      result: z.discriminatedUnion('outcome', [
        z.object({ outcome: z.literal('opened'), session: sessionSchema }),
        z.object({ outcome: z.literal('approval-needed'), approval: z.string(), launch: launchSchema }),
      ]),
    },
    'sessions/close': { params: z.object({ sessionId: z.string() }), result: z.null() },
    /**
     * Sets the log level: by `logging/setLevel`, done once it was answered; in the modern era for each request from
     * now on. Null asks for no logs there.
     */
    'sessions/set-log-level': {
      params: z.object({ sessionId: z.string(), level: z.string().nullable() }),
      result: z.null(),
    },
    /** Sends `ping`; the result is microseconds to the answer. */
    'sessions/ping': {
      params: z.object({ sessionId: z.string() }),
      result: z.object({ duration: z.number() }),
    },
    /**
     * Sends exactly these bytes as one unit, malformed or not. `headers`: the lines of the HTTP request, in their
     * order (`Host`, `Content-Length` and `Connection` are added unless given); null: those the session would send.
     * The answer is the row of the trace that the unit begins.
     */
    'sessions/send': {
      params: z.object({
        sessionId: z.string(),
        bytes: z.discriminatedUnion('as', [
          z.object({ as: z.literal('text'), text: z.string() }),
          z.object({ as: z.literal('base64'), base64: z.base64() }),
        ]),
        headers: z.array(z.tuple([z.string(), z.string()])).nullable(),
      }),
      result: z.object({ row: z.number().int() }),
    },
    /** Breaks off one event stream without a word, to see what the server does. */
    'sessions/drop-stream': {
      params: z.object({ sessionId: z.string(), exchange: z.number().int() }),
      result: z.null(),
    },
    /**
     * Asks by GET for what a stream carried after this event, as after a connection that broke (MCP 2025-06-18
     * transports, resumability). The answer is the row of that exchange.
     */
    'sessions/resume-stream': {
      params: z.object({ sessionId: z.string(), lastEventId: z.string().min(1) }),
      result: z.object({ row: z.number().int() }),
    },
    /** The client switches of a server, and how to turn them. */
    'sessions/switches': { params: z.object({ serverId: z.string() }), result: switchesSchema },
    'sessions/set-switches': {
      params: z.object({ serverId: z.string(), switches: switchesSchema }),
      result: switchesSchema,
    },
  },
  events: {
    'sessions/changed': sessionSchema,
    /** An old session is no longer held in memory; its trace file stays. */
    'sessions/forgotten': z.object({ sessionId: z.string() }),
    'sessions/switches-changed': z.object({ serverId: z.string(), switches: switchesSchema }),
  },
});

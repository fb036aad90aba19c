import { z } from 'zod';
import { switchesSchema } from '../client-switches/switches.ts';
import { composedSchema, phaseNameSchema } from '../trace/record.ts';
import { defineArea } from './area.ts';
import { definitionChangesSchema } from './definitions.ts';
import { diagnosisSchema } from './diagnosis.ts';
import { faultSchema } from './fault.ts';
import { headerEntrySchema, millisecondsSchema } from './servers.ts';

const jsonObject = z.record(z.string(), z.unknown());

/** How a peer identifies itself (MCP lifecycle, Implementation). Untrusted text. */
export const implementationSchema = z.object({
  name: z.string(),
  version: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  websiteUrl: z.string().optional(),
  /** The icons as the server sent them (MCP 2025-11-25, icons). */
  icons: z.unknown().optional(),
});
export type Implementation = z.infer<typeof implementationSchema>;

/** The outcome of the handshake. */
export const agreementSchema = z.object({
  era: z.enum(['legacy', 'modern']),
  /** The requested revision and the negotiated one. */
  requestedRevision: z.string(),
  revision: z.string(),
  /** Null until a server of the modern era has identified itself. */
  server: implementationSchema.nullable(),
  instructions: z.string().nullable(),
  /** Null in a session without a handshake (the modern era without a probe), and if they are no object. */
  serverCapabilities: jsonObject.nullable(),
  /** Revisions that a modern server lists as supported; empty if it lists none. */
  supportedRevisions: z.array(z.string()),
  client: implementationSchema,
  clientCapabilities: jsonObject,
  /** Microseconds `initialize` or `server/discover` took; null without either. */
  handshake: z.number().nullable(),
});
export type Agreement = z.infer<typeof agreementSchema>;

/** How a session reaches its server; `http` until it is known which of the two HTTP transports the server has. */
export const sessionTransports = ['stdio', 'http', 'streamable-http', 'http-sse'] as const;

/** One step of detecting the era and the transport, in order. */
export const evidenceSchema = z.object({
  /** One sentence. May hold untrusted text. */
  text: z.string(),
  /** The row of the trace that shows it. */
  row: z.number().int().nullable(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** An event stream of Streamable HTTP or HTTP+SSE. */
export const streamSchema = z.object({
  /** Row of the exchange that carries it, or carried it last. */
  row: z.number().int(),
  exchange: z.number().int(),
  /** `answer`: the response to a POST. `standing`: opened by GET, for messages that the server sends on its own. */
  kind: z.enum(['answer', 'standing']),
  /** `refused`: the server has no such stream (405). */
  state: z.enum(['open', 'waiting', 'closed', 'refused']),
  /** Events it carried. */
  events: z.number().int(),
  lastEventId: z.string().nullable(),
  /** Milliseconds to wait before reconnecting, set by the server. */
  retry: z.number().nullable(),
  /** How often it was resumed. */
  resumed: z.number().int(),
});
export type Stream = z.infer<typeof streamSchema>;

/** `none`: not demanded so far. `required`: demanded, and there is no token that the server accepts. */
export const authorizationStates = ['none', 'required', 'authorized', 'expired'] as const;
export type AuthorizationState = (typeof authorizationStates)[number];

/** The part of a session that only HTTP has. */
export const httpSessionSchema = z.object({
  url: z.string(),
  /** The endpoint for messages of HTTP+SSE. */
  endpoint: z.string().nullable(),
  /** `Mcp-Session-Id` of the legacy era; null if the server gave none. */
  sessionId: z.string().nullable(),
  /** How often the session expired on the server and was opened again. */
  renewed: z.number().int(),
  streams: z.array(streamSchema),
  /** Whether requests are authorized by OAuth; null if the session does not authorize them, and in a recording. */
  authorization: z.enum(authorizationStates).nullable(),
});
export type HttpSession = z.infer<typeof httpSessionSchema>;

/** A suggested fix for a failed session. Each connects again. */
export const remedySchema = z.discriminatedUnion('kind', [
  /** Request a revision that the server lists as supported. */
  z.object({ kind: z.literal('revision'), revision: z.string() }),
  /** Use the revision that the server responds with. */
  z.object({ kind: z.literal('any-revision'), revision: z.string() }),
  /** Trust this certificate of a server on this machine from now on. */
  z.object({ kind: z.literal('accept-certificate'), fingerprint: z.string(), subject: z.string() }),
  /** Compare this certificate of another machine with what its administrator says, and enter its fingerprint in the settings. */
  z.object({
    kind: z.literal('compare-certificate'),
    fingerprint: z.string(),
    subject: z.string(),
    issuer: z.string(),
  }),
]);
export type Remedy = z.infer<typeof remedySchema>;

/** What was done to end a process, in order, and its exit (MCP 2025-06-18 lifecycle, shutdown over stdio). */
export const shutdownSchema = z.array(
  z.object({
    step: z.enum(['close-stdin', 'sigterm', 'sigkill', 'exit']),
    /** Milliseconds since the first step. */
    after: z.number().int(),
  }),
);

export const sessionSchema = z.object({
  id: z.string(),
  serverId: z.string(),
  serverName: z.string(),
  transport: z.enum(sessionTransports),
  phase: phaseNameSchema,
  /** Why it is closed or failed, in one sentence; null while it is open. */
  reason: z.string().nullable(),
  /** Set if it failed. */
  fault: faultSchema.nullable(),
  /** Set if it failed: what may help, besides connecting again. */
  remedies: z.array(remedySchema),
  /** Set if it could not be opened: the steps of the connection, and which one failed. */
  diagnosis: diagnosisSchema.nullable(),
  /** Null until the handshake succeeded. */
  agreement: agreementSchema.nullable(),
  /** How era and transport were detected. */
  evidence: z.array(evidenceSchema),
  /** The active client switches, in a few words each. */
  switchesOn: z.array(z.string()),
  http: httpSessionSchema.nullable(),
  process: z
    .object({
      pid: z.number().nullable(),
      exitCode: z.number().nullable(),
      signal: z.string().nullable(),
      /** Empty if it was not asked to end. */
      shutdown: shutdownSchema,
    })
    .nullable(),
  /** Milliseconds since the Unix epoch. */
  openedAt: z.number(),
  closedAt: z.number().nullable(),
  counts: z.object({
    rows: z.number(),
    messages: z.number(),
    errors: z.number(),
    /** Rows that are not valid for their channel. */
    invalid: z.number(),
    /** Bytes of the trace file. */
    traceBytes: z.number(),
  }),
  /** How many tools, resources and prompts the server lists; null until the list is read. */
  toolCount: z.number().int().nullable(),
  resourceCount: z.number().int().nullable(),
  promptCount: z.number().int().nullable(),
  /** Requests of the server that wait for the user. */
  waiting: z.number().int(),
  /** Whether the user declines everything that the server requests. */
  isDecliningAll: z.boolean(),
  /** Known tasks, of both sides. */
  taskCount: z.number().int(),
  /** Tasks of earlier sessions with the server that can be resumed. */
  resumableTasks: z.number().int(),
  /** Findings by severity. */
  findings: z.object({ error: z.number().int(), warning: z.number().int(), info: z.number().int() }),
  /** The log level: set by `logging/setLevel`, or with each request in the modern era; null if none is set. */
  logLevel: z.string().nullable(),
  /** Consecutive pings without a response; see `keepAlive` of the server's settings. */
  missedPings: z.number().int(),
  /** Whether settings of the server that apply to its next session only were changed after this one began. */
  isOutdated: z.boolean(),
  /** Median microseconds from request to response; null before the first response. */
  medianDuration: z.number().nullable(),
  /** The trace file, and why it cannot be written, if so. */
  traceFile: z.object({ path: z.string(), fault: faultSchema.nullable() }),
});
export type SessionView = z.infer<typeof sessionSchema>;

/** A command line to be approved before its first run. */
export const launchSchema = z.object({
  command: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  /** The variables the user set. A secret value is null. */
  env: z.array(z.object({ name: z.string(), value: z.string().nullable() })),
  /** Which variables of this app it inherits; see `inherit` of a server's settings. */
  inherit: z.enum(['safe', 'all']),
  /** The path of the executable; null if the command was not found. */
  resolved: z.string().nullable(),
});
export type Launch = z.infer<typeof launchSchema>;

/** A variable that the settings of an HTTP server use, so that the server gets its value. */
const sentVariableSchema = z.object({
  /** As the settings have it, without a default: `${env:API_KEY}`, `${input:token}`, `${workspaceFolder}`. */
  variable: z.string(),
  /** Where it is sent: `URL`, or the names of headers. */
  places: z.array(z.string()),
});

/** What an HTTP server gets of this machine by the variables in its settings, to be approved before its first connection. */
export const sentVariablesSchema = z.object({
  /** The origin of the server, such as `https://api.example.com`. */
  origin: z.string(),
  variables: z.array(sentVariableSchema),
});
export type SentVariables = z.infer<typeof sentVariablesSchema>;

/** The command line that a session runs, with the whole environment of its process. */
export const runningCommandSchema = launchSchema.extend({
  /**
   * Variables it inherits, sorted by name. The value is null unless the variable is one that programs need and that
   * holds no secret.
   */
  inherited: z.array(z.object({ name: z.string(), value: z.string().nullable() })),
});
export type RunningCommand = z.infer<typeof runningCommandSchema>;

/** The bytes of a unit to send; as base64 if they are not UTF-8. */
export const unitBytesSchema = z.discriminatedUnion('as', [
  z.object({ as: z.literal('text'), text: z.string() }),
  z.object({ as: z.literal('base64'), base64: z.base64() }),
]);
export type UnitBytes = z.infer<typeof unitBytesSchema>;

/** A header line of one request. */
export const headerChangeSchema = z.object({
  name: headerEntrySchema.shape.name,
  /** Characters are bytes (RFC 9110 section 5.5); null leaves the line out. */
  value: z
    .string()
    .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'it holds a character that no header may hold')
    .nullable(),
});
export type HeaderChange = z.infer<typeof headerChangeSchema>;

export const sessionsArea = defineArea({
  commands: {
    'sessions/list': { params: z.object({}), result: z.array(sessionSchema) },
    /**
     * Connects to a server. A command line that was never approved is not run, and variables that were never approved for
     * its host are not sent: the result asks for the user's approval. The same command with that one-time approval goes on.
     */
    'sessions/open': {
      params: z.object({
        serverId: z.string(),
        approval: z.string().optional(),
        /** Overrides the server's setting, for this session only. */
        revision: z.string().optional(),
        /** Use the revision that the server responds with. */
        anyRevision: z.boolean().optional(),
        /** Fingerprint of a certificate to trust from now on; saved with the server. */
        acceptCertificate: z.string().optional(),
      }),
      result: z.discriminatedUnion('outcome', [
        z.object({ outcome: z.literal('opened'), session: sessionSchema }),
        z.object({ outcome: z.literal('approval-needed'), approval: z.string(), launch: launchSchema }),
        z.object({
          outcome: z.literal('variables-approval-needed'),
          approval: z.string(),
          sent: sentVariablesSchema,
        }),
      ]),
    },
    /** The steps of connecting, also of a session that was opened. */
    'sessions/diagnose': { params: z.object({ sessionId: z.string() }), result: diagnosisSchema },
    /** The command line of a session over stdio; null over HTTP. */
    'sessions/command': {
      params: z.object({ sessionId: z.string() }),
      result: runningCommandSchema.nullable(),
    },
    /**
     * What the server defines differently from its last connection, once its lists were read. Null if it was not connected
     * before, or never got ready.
     */
    'sessions/changes': {
      params: z.object({ sessionId: z.string() }),
      result: definitionChangesSchema.nullable(),
    },
    'sessions/close': { params: z.object({ sessionId: z.string() }), result: z.null() },
    /**
     * Sets the log level. In the legacy era it sends `logging/setLevel` and resolves with the response; in the modern
     * era each later request carries the level. Null, for modern servers only, requests no logs.
     */
    'sessions/set-log-level': {
      params: z.object({ sessionId: z.string(), level: z.string().nullable() }),
      result: z.null(),
    },
    /** Sends `ping`. `duration`: microseconds to the response. */
    'sessions/ping': {
      params: z.object({ sessionId: z.string() }),
      result: z.object({ duration: z.number() }),
    },
    /**
     * Sends exactly these bytes as one unit, well-formed or not. `headers`: the lines of the HTTP request, in their
     * order (`Host`, `Content-Length` and `Connection` are added unless given); null sends the session's own headers.
     * `row`: the first row of the unit.
     */
    'sessions/send': {
      params: z.object({
        sessionId: z.string(),
        bytes: unitBytesSchema,
        headers: z.array(z.tuple([z.string(), z.string()])).nullable(),
        /** Lines that replace or add to those of the session, or leave one out; they have no effect if `headers` is given. */
        headerChanges: z.array(headerChangeSchema).optional(),
        /** Marks the unit as sent from the composer. */
        composed: composedSchema.optional(),
        /** Milliseconds after which its requests without a response are cancelled; null for never. */
        timeout: millisecondsSchema.nullable().optional(),
      }),
      result: z.object({ row: z.number().int() }),
    },
    /**
     * Sends `notifications/roots/list_changed`, which a server answers with `roots/list` (MCP 2025-06-18 roots). `row`: its
     * row.
     */
    'sessions/notify-roots': {
      params: z.object({ sessionId: z.string() }),
      result: z.object({ row: z.number().int() }),
    },
    /** Closes one event stream abruptly, to see how the server reacts. */
    'sessions/drop-stream': {
      params: z.object({ sessionId: z.string(), exchange: z.number().int() }),
      result: z.null(),
    },
    /**
     * Resumes a stream after this event with a GET, as after a broken connection (MCP 2025-06-18
     * transports, resumability). `row`: the row of that exchange.
     */
    'sessions/resume-stream': {
      params: z.object({ sessionId: z.string(), lastEventId: z.string().min(1) }),
      result: z.object({ row: z.number().int() }),
    },
    /** The client switches of a server. */
    'sessions/switches': { params: z.object({ serverId: z.string() }), result: switchesSchema },
    'sessions/set-switches': {
      params: z.object({ serverId: z.string(), switches: switchesSchema }),
      result: switchesSchema,
    },
  },
  events: {
    'sessions/changed': sessionSchema,
    /** An old session was removed from memory; its trace file stays. */
    'sessions/forgotten': z.object({ sessionId: z.string() }),
    'sessions/switches-changed': z.object({ serverId: z.string(), switches: switchesSchema }),
  },
});

import { z } from 'zod';

/**
 * The trace file: JSON Lines, a header and then one record per line. A record is an event, never
 * its interpretation. A change of this file that old readers cannot follow raises `TRACE_VERSION`, freezes this
 * shape beside it and adds an upgrade; until the first release version 1 grows.
 */
export const TRACE_FORMAT = 'mcptrace';
export const TRACE_VERSION = 1;

/** Pieces of a unit are at most this many bytes, so that no unit ever has to be one string. */
export const PIECE_BYTES = 1024 * 1024;

/** Microseconds of the engine's monotonic clock. */
const at = z.number().int().nonnegative();
const seq = z.number().int().nonnegative();
const size = z.number().int().nonnegative();

/** `out` is to the server, `in` from it. */
export const directionSchema = z.enum(['in', 'out']);
export type Direction = z.infer<typeof directionSchema>;

/** `http`: the body of a request or response. `sse`: the data of one event of a stream. */
export const channelSchema = z.enum(['stdin', 'stdout', 'http', 'sse']);
export type Channel = z.infer<typeof channelSchema>;

/** Why we sent a unit: on request of the user, automatically, or to detect the era. */
const originSchema = z.enum(['user', 'automatic', 'probe']);
export type Origin = z.infer<typeof originSchema>;

/** How the user sent a unit from the composer: without a warning, or although it warned of a broken rule. */
export const composedSchema = z.enum(['sent', 'anyway']);
export type Composed = z.infer<typeof composedSchema>;

export const phaseNameSchema = z.enum([
  'connecting',
  /** Detecting the era and transport of the server. */
  'detecting',
  /** Authorizing at an authorization server, because the server demanded it. */
  'authorizing',
  'initializing',
  'ready',
  'closing',
  'closed',
  'failed',
]);
export type PhaseName = z.infer<typeof phaseNameSchema>;

/** Bytes as text when they are valid UTF-8, as base64 when not; `size` counts the bytes on the wire. */
const bytes = {
  text: z.string().optional(),
  base64: z.string().optional(),
  size,
  /** Further pieces follow as `chunk` records. */
  more: z.literal(true).optional(),
  /** The stream ended inside this unit: its terminator never came. */
  cut: z.literal(true).optional(),
};

/** Which HTTP exchange something belongs to: counted from 1 in a session. */
const exchange = z.number().int().positive();

/** The fields of a stream's event besides its data; recorded with the last piece of a unit. */
export const sseEventSchema = z.object({
  /** The `event` field; omitted if there was none, which means `message`. */
  name: z.string().optional(),
  /** The `id` field; may be empty, which resets the last id. */
  id: z.string().optional(),
  /** Milliseconds of a `retry` field. */
  retry: z.number().optional(),
  /**
   * The bytes of the event before, between and after the values of its `data` lines, one Latin-1 character per byte:
   * interleaved with those values, they are the event as it was on the wire.
   */
  frame: z.array(z.string()),
  /** How many values precede those in `frame`, if the framing exceeds 1 MiB. The earlier lines are in `sse` records. */
  unframed: z.number().int().positive().optional(),
});
export type SseEvent = z.infer<typeof sseEventSchema>;

const unitRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('unit'),
  direction: directionSchema,
  channel: channelSchema,
  origin: originSchema.optional(),
  composed: composedSchema.optional(),
  /** `seq` of the request that is sent again here, with another id, because its response demanded an authorization. */
  retryOf: seq.optional(),
  exchange: exchange.optional(),
  sse: sseEventSchema.optional(),
  ...bytes,
});

const chunkRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('chunk'),
  /** `seq` of the record this is a further piece of. */
  of: seq,
  sse: sseEventSchema.optional(),
  ...bytes,
});

/** Header lines in their order and case, duplicates and all. */
const headersSchema = z.array(z.tuple([z.string(), z.string()]));
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** A request is handed to the connection pool; its connection is another record. */
export const httpRequestRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('http-request'),
  exchange,
  method: z.string(),
  url: z.string(),
  headers: headersSchema,
  /** Bytes of the body, which is a `unit` of this exchange. */
  bodySize: size,
  origin: originSchema,
  /** The exchange whose answer redirected to this one. */
  redirectOf: exchange.optional(),
  /** Set if the client did not send the request but received it, at the redirect URI of an authorization flow. */
  received: z
    .object({
      /** `pasted`: the user pasted its URL, and there is no response. */
      by: z.enum(['listener', 'pasted']),
      /** Why nothing of it was used or is to be believed; left out for the answer of the authorization server. */
      untrusted: z.string().optional(),
    })
    .optional(),
});

/** The certificate a server showed. */
const certificateSchema = z.object({
  subject: z.string(),
  issuer: z.string(),
  /** ISO 8601. */
  validFrom: z.string(),
  validTo: z.string(),
  /** Such as `DNS:localhost, IP Address:127.0.0.1`. */
  altNames: z.string().optional(),
  /** SHA-256 of the certificate, pairs of hex digits joined by colons. */
  fingerprint: z.string(),
});
export type Certificate = z.infer<typeof certificateSchema>;

const tlsSchema = z.object({
  protocol: z.string(),
  cipher: z.string(),
  certificate: certificateSchema.optional(),
  /** Why the certificate is not trusted, such as `DEPTH_ZERO_SELF_SIGNED_CERT`; left out when it is. */
  untrusted: z.string().optional(),
});
export type TlsFacts = z.infer<typeof tlsSchema>;

/** The steps of an exchange, in their order. A failure names the one it happened in. */
export const httpSteps = ['lookup', 'connect', 'proxy', 'tls', 'request', 'response', 'body'] as const;
export type HttpStep = (typeof httpSteps)[number];

/** Microseconds each step of opening a connection took. */
const stepTimesSchema = z.object({
  lookup: z.number().optional(),
  connect: z.number().optional(),
  proxy: z.number().optional(),
  tls: z.number().optional(),
});

/** An exchange has its connection: a new one, or one that was open already. */
export const httpConnectedRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('http-connected'),
  exchange,
  reused: z.boolean(),
  /** The server's end, or the proxy's, such as `127.0.0.1:3000`. */
  remote: z.string(),
  /** The proxy it goes through, without credentials. */
  proxy: z.string().optional(),
  /** Empty for a connection that was open already. */
  took: stepTimesSchema,
  tls: tlsSchema.optional(),
});

export const httpResponseRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('http-response'),
  exchange,
  status: z.number().int(),
  /** The words after the status code; may be empty. */
  reason: z.string(),
  httpVersion: z.string(),
  headers: headersSchema,
  /** An informational response (1xx): the final one follows. */
  interim: z.literal(true).optional(),
  /** Names of header lines whose replaced value was a fragment of JSON. */
  tornJson: z.array(z.string()).optional(),
});

const httpFailureSchema = z.object({
  step: z.enum(httpSteps),
  /** The system's or library's code, such as `ECONNREFUSED`. */
  code: z.string(),
  message: z.string(),
  /** For a connection that was not completed: the address it reached, and microseconds of the steps up to the failure. */
  remote: z.string().optional(),
  took: stepTimesSchema.optional(),
  /** The certificate that was not accepted. */
  certificate: certificateSchema.optional(),
});
export type HttpFailure = z.infer<typeof httpFailureSchema>;

/** The end of an exchange. */
export const httpEndRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('http-end'),
  exchange,
  /** `dropped`: we broke it off. `cut`: the server broke off inside the body. */
  how: z.enum(['complete', 'cut', 'dropped', 'failed']),
  /** Bytes of the body that came. */
  size,
  failure: httpFailureSchema.optional(),
  /** Header lines after the body. */
  trailers: headersSchema.optional(),
  /** Names of header lines of the server whose value, replaced there, also stood in the messages of this exchange. */
  alsoInMessages: z.array(z.string()).optional(),
});

/** A body that is not an MCP message, such as an HTML page. */
const httpBodyRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('http-body'),
  exchange,
  direction: directionSchema,
  ...bytes,
});

/** Lines of an event stream that carry no data, as they were written: comments, ids, retry, blank lines. */
const sseRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('sse'),
  exchange,
  /** The fields that the lines set. */
  id: z.string().optional(),
  retry: z.number().optional(),
  ...bytes,
});

/** The client switches that are active from here on; empty if none is. */
const switchesRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('switches'),
  on: z.array(z.string()),
});

/**
 * A step of an authorization flow has ended, or the flow itself. `flow` and `steps` have the shapes of the contract
 * (shared/contract/authorization.ts), without secrets, as the flow was then; where those name a row, `of` is the `seq` of its record.
 */
const authorizationRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('authorization'),
  /** What happened, in one line. */
  what: z.string(),
  flow: z.record(z.string(), z.unknown()),
  /** The steps that changed since the last record of this flow. */
  steps: z.array(z.record(z.string(), z.unknown())),
});

/**
 * The lists were read, and the server defines something else than at its last connection: `since` in milliseconds since the Unix epoch,
 * and the changes in the shape of the contract (shared/contract/definitions.ts), without secrets.
 */
const definitionsRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('definitions'),
  since: z.number(),
  changes: z.record(z.string(), z.unknown()),
});

const stderrRecordSchema = z.object({ seq, at, kind: z.literal('stderr'), ...bytes });

/** What happened to the server's process. Environment variables appear by name only. */
export const processRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('process'),
  change: z.discriminatedUnion('what', [
    z.object({
      what: z.literal('spawn'),
      command: z.string(),
      /** The file that was run for the command. */
      file: z.string().optional(),
      args: z.array(z.string()),
      cwd: z.string(),
      env: z.array(z.string()),
      pid: z.number().int(),
    }),
    z.object({
      what: z.literal('spawn-failed'),
      command: z.string(),
      args: z.array(z.string()),
      cwd: z.string(),
      code: z.string(),
      message: z.string(),
    }),
    z.object({ what: z.literal('stdin-failed'), message: z.string() }),
    /** The process lives but will never say anything again on its output. */
    z.object({ what: z.literal('stdout-closed') }),
    z.object({ what: z.literal('shutdown'), step: z.enum(['close-stdin', 'sigterm', 'sigkill']) }),
    z.object({ what: z.literal('exit'), code: z.number().int().nullable(), signal: z.string().nullable() }),
  ]),
});

const phaseRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('phase'),
  phase: phaseNameSchema,
  reason: z.string().optional(),
  /** The steps since the previous phase that determined era and transport; `of` is the `seq` of the record that shows it. */
  evidence: z.array(z.object({ text: z.string(), of: seq.optional() })).optional(),
});

/** The user marked a record, or removed its mark. It may be much later in the file than that record. */
const markRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('mark'),
  /** `seq` of the record, and which message of a batch. */
  of: seq,
  position: z.number().int().nonnegative().optional(),
  /** Empty for a mere bookmark; null takes the mark away. */
  note: z.string().nullable(),
});

/** Ties the monotonic clock to the wall clock, which keeps running while the machine sleeps. */
const anchorRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('anchor'),
  /** Milliseconds since the Unix epoch. */
  wall: z.number(),
});

export const traceRecordSchema = z.discriminatedUnion('kind', [
  unitRecordSchema,
  chunkRecordSchema,
  httpRequestRecordSchema,
  httpConnectedRecordSchema,
  httpResponseRecordSchema,
  httpEndRecordSchema,
  httpBodyRecordSchema,
  sseRecordSchema,
  stderrRecordSchema,
  processRecordSchema,
  phaseRecordSchema,
  switchesRecordSchema,
  authorizationRecordSchema,
  definitionsRecordSchema,
  markRecordSchema,
  anchorRecordSchema,
]);

export type TraceRecord = z.infer<typeof traceRecordSchema>;
export type ProcessRecord = z.infer<typeof processRecordSchema>;
export type ProcessChange = ProcessRecord['change'];
export type AuthorizationRecord = z.infer<typeof authorizationRecordSchema>;
export type MarkRecord = z.infer<typeof markRecordSchema>;
export type PhaseRecord = z.infer<typeof phaseRecordSchema>;
export type HttpRequestRecord = z.infer<typeof httpRequestRecordSchema>;
export type HttpConnectedRecord = z.infer<typeof httpConnectedRecordSchema>;
export type HttpResponseRecord = z.infer<typeof httpResponseRecordSchema>;
export type HttpEndRecord = z.infer<typeof httpEndRecordSchema>;

/** Which part of a recording a file has: so many rows, of how many, and the filter that chose them, if one did. */
const excerptSchema = z.object({
  rows: z.number().int().nonnegative(),
  of: z.number().int().nonnegative(),
  filter: z.string().optional(),
});
export type Excerpt = z.infer<typeof excerptSchema>;

/** Set if the trace was made of a file of another tool: which one, and what that file does not say. */
const rebuiltSchema = z.object({ from: z.string(), lacks: z.array(z.string()) });
export type Rebuilt = z.infer<typeof rebuiltSchema>;

export const traceHeaderSchema = z.object({
  format: z.literal(TRACE_FORMAT),
  version: z.literal(TRACE_VERSION),
  app: z.object({ name: z.string(), version: z.string() }),
  /** What the app ran on. */
  environment: z
    .object({
      /** The platform as Node names it, such as `linux`, and the release of the system. */
      platform: z.string(),
      release: z.string(),
      arch: z.string(),
      /** Such as `Node 24.1.0`. */
      runtime: z.string(),
    })
    .optional(),
  /** ISO 8601, wall clock. */
  createdAt: z.string(),
  /** Set if the file has only some rows of a recording. Ignored if it contradicts itself. */
  excerpt: excerptSchema
    .refine(({ rows, of }) => rows <= of)
    .optional()
    .catch(undefined),
  rebuilt: rebuiltSchema.optional().catch(undefined),
  /** One instant on both clocks: monotonic in microseconds, and in milliseconds since the Unix epoch. */
  clock: z.object({ at, wall: z.number() }),
  /** The target of the connection, without secrets. */
  server: z.discriminatedUnion('transport', [
    z.object({
      name: z.string(),
      transport: z.literal('stdio'),
      command: z.string(),
      args: z.array(z.string()),
    }),
    z.object({ name: z.string(), transport: z.literal('http'), url: z.string() }),
  ]),
});

export type TraceHeader = z.infer<typeof traceHeaderSchema>;

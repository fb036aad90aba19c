import { z } from 'zod';
import { defineArea } from './area.ts';
import { inboxRuleSchema } from './inbox.ts';

/** A variable handed to the server's process. A secret value is never sent to the screen unasked. */
export const envEntrySchema = z.object({
  name: z.string().regex(/^[^=\0]+$/, 'a variable name has no "=" and is not empty'),
  /** Null to the engine: keep the value it holds. Null to the screen: secret, ask with `servers/reveal`. */
  value: z.string().nullable(),
  secret: z.boolean(),
});
export type EnvEntry = z.infer<typeof envEntrySchema>;

export const stdioSettingsSchema = z.object({
  kind: z.literal('stdio'),
  command: z.string().trim().min(1, 'a command is needed'),
  args: z.array(z.string()),
  /** Working folder; null is the user's home folder. */
  cwd: z.string().nullable(),
  env: z.array(envEntrySchema),
  /** `safe`: only the variables every program needs (PATH, HOME, …). `all`: everything the app has. */
  inherit: z.enum(['safe', 'all']),
});
export type StdioSettings = z.infer<typeof stdioSettingsSchema>;

/** A header line sent with every request to a server. A secret value is never sent to the screen unasked. */
export const headerEntrySchema = z.object({
  name: z
    .string()
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'a header name holds letters, digits and dashes only'),
  /** Null to the engine: keep the value it holds. Null to the screen: secret, ask with `servers/reveal`. */
  value: z.string().nullable(),
  secret: z.boolean(),
});
export type HeaderEntry = z.infer<typeof headerEntrySchema>;

/** Which of the two HTTP transports to use; `auto` finds out (MCP 2025-06-18 transports, backwards compatibility). */
export const httpTransports = ['auto', 'streamable-http', 'http-sse'] as const;

const pathOrNull = z.string().trim().min(1).nullable();

export const tlsSettingsSchema = z.object({
  /** PEM file of certificate authorities to trust beside the usual ones. */
  caFile: pathOrNull,
  /** PEM files of our own certificate and its key. */
  certFile: pathOrNull,
  keyFile: pathOrNull,
  /** SHA-256 fingerprint of the one certificate to accept although it is not trusted. */
  accepted: z.string().nullable(),
});
export type TlsSettings = z.infer<typeof tlsSettingsSchema>;

export const httpSettingsSchema = z.object({
  kind: z.literal('http'),
  /** With a placeholder for user info and credential parameters; to the engine: keep the values it holds. */
  url: z.url({ protocol: /^https?$/, error: 'an address that begins with http:// or https:// is needed' }),
  transport: z.enum(httpTransports),
  headers: z.array(headerEntrySchema),
  tls: tlsSettingsSchema,
  /** `environment`: as HTTP_PROXY, HTTPS_PROXY and NO_PROXY say. */
  proxy: z.enum(['environment', 'none']),
});
export type HttpSettings = z.infer<typeof httpSettingsSchema>;

export const transportSettingsSchema = z.discriminatedUnion('kind', [
  stdioSettingsSchema,
  httpSettingsSchema,
]);
export type TransportSettings = z.infer<typeof transportSettingsSchema>;

/** What an HTTP server has unless the user set something else. */
export const plainHttpSettings = (url: string): HttpSettings => ({
  kind: 'http',
  url,
  transport: 'auto',
  headers: [],
  tls: { caFile: null, certFile: null, keyFile: null, accepted: null },
  proxy: 'environment',
});

/** `auto` finds out; `modern` sends no probe. */
export const eraChoices = ['auto', 'legacy', 'modern'] as const;
export type EraChoice = (typeof eraChoices)[number];

/** A time allowed for an answer: up to a day. */
export const millisecondsSchema = z.number().int().positive().max(86_400_000);

export const timeoutsSchema = z.object({
  /** For `initialize`: a server started by a package runner can need half a minute. */
  initialize: millisecondsSchema,
  /** For every other request; progress restarts it. */
  request: millisecondsSchema,
  /** For every other request, whatever progress comes. */
  requestMax: millisecondsSchema,
});
export type Timeouts = z.infer<typeof timeoutsSchema>;

export const defaultTimeouts: Timeouts = { initialize: 60_000, request: 60_000, requestMax: 600_000 };

/** Whether `ping` goes to a server of the legacy era now and then, and what follows when it is not answered. */
export const keepAliveSchema = z.object({
  /** Milliseconds between two; null for never. */
  every: millisecondsSchema.nullable(),
  /** After three in a row without an answer: only say so, or connect again. */
  onSilence: z.enum(['warn', 'reconnect']),
});
export type KeepAlive = z.infer<typeof keepAliveSchema>;

export const noKeepAlive: KeepAlive = { every: null, onSilence: 'warn' };

/** What we are to a server: what we announce, and how its questions are answered. */
export const clientProfileSchema = z.object({
  /** What is announced as our capabilities; null is all that Sightglass can do in the revision asked for. */
  capabilities: z.record(z.string(), z.unknown()).nullable(),
  /** What `roots/list` is answered with by default. */
  roots: z.array(z.object({ uri: z.string().min(1), name: z.string().nullable() })),
  /** Questions that are not asked of the user; the first rule that fits counts. */
  rules: z.array(inboxRuleSchema),
});
export type ClientProfile = z.infer<typeof clientProfileSchema>;

/** Roots reveal nothing as long as the user names none, so the server need not wait for them. */
export const defaultClientProfile: ClientProfile = {
  capabilities: null,
  roots: [],
  rules: [{ method: 'roots/list', answer: { kind: 'defaults' }, delay: 0 }],
};

/** What the user can set of a server. */
export const serverSettingsSchema = z.object({
  name: z.string().trim().min(1, 'a name is needed').max(200),
  transport: transportSettingsSchema,
  era: z.enum(eraChoices).default('auto'),
  /** The revision to ask for; null is the newest of the era. Free text, to try a server's answer. */
  revision: z.string().min(1).nullable(),
  timeouts: timeoutsSchema,
  keepAlive: keepAliveSchema.default(noKeepAlive),
  client: clientProfileSchema.default(defaultClientProfile),
  notes: z.string().max(10_000),
});
export type ServerSettings = z.infer<typeof serverSettingsSchema>;

export const serverSchema = serverSettingsSchema.extend({
  id: z.string(),
  /** Where it comes from: saved by the user, built in, or named on the command line of this run. */
  source: z.enum(['user', 'demo', 'command-line']),
});
export type Server = z.infer<typeof serverSchema>;

export const serversArea = defineArea({
  commands: {
    'servers/list': { params: z.object({}), result: z.array(serverSchema) },
    /** Adds a server (`id: null`) or changes one. */
    'servers/save': {
      params: z.object({ id: z.string().nullable(), settings: serverSettingsSchema }),
      result: serverSchema,
    },
    'servers/remove': { params: z.object({ id: z.string() }), result: z.null() },
    /** Adds the built-in demo server to the list, or finds it there. */
    'servers/demo': { params: z.object({}), result: serverSchema },
    /** The value of one secret variable or header, after the user's click. */
    'servers/reveal': {
      params: z.object({ id: z.string(), name: z.string() }),
      result: z.object({ value: z.string().nullable() }),
    },
    /** The URL of an HTTP server with its secrets, after the user's click. */
    'servers/reveal-url': {
      params: z.object({ id: z.string() }),
      result: z.object({ url: z.string().nullable() }),
    },
  },
  events: {
    'servers/changed': z.array(serverSchema),
  },
});

import { z } from 'zod';
import { defineArea } from './area.ts';
import { clientFormats } from '#shared/client-formats/table.ts';
import { authorizationSettingsSchema } from './authorization.ts';
import { inboxRuleSchema } from './inbox.ts';
import { isHttpUrlTemplate } from '../url-template.ts';

/** An environment variable of the server's process. The page gets a secret value only by `servers/reveal`. */
export const envEntrySchema = z.object({
  name: z.string().regex(/^[^=\0]+$/, 'a variable name has no "=" and is not empty'),
  /** Null from the page: keep the stored value. Null from the engine: secret. */
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
  /** `safe`: only the variables that every program needs (PATH, HOME, …). `all`: all variables of the app. */
  inherit: z.enum(['safe', 'all']),
});
export type StdioSettings = z.infer<typeof stdioSettingsSchema>;

/** A header of every request to a server. The page gets a secret value only by `servers/reveal`. */
export const headerEntrySchema = z.object({
  name: z
    .string()
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'a header name holds letters, digits and dashes only'),
  /** Null from the page: keep the stored value. Null from the engine: secret. */
  value: z.string().nullable(),
  secret: z.boolean(),
});
export type HeaderEntry = z.infer<typeof headerEntrySchema>;

/** Which HTTP transport to use; `auto` detects it (MCP 2025-06-18 transports, backwards compatibility). */
export const httpTransports = ['auto', 'streamable-http', 'http-sse'] as const;

const pathOrNull = z.string().trim().min(1).nullable();

export const tlsSettingsSchema = z.object({
  /** PEM file of certificate authorities to trust besides the usual ones. */
  caFile: pathOrNull,
  /** PEM files of our own certificate and its key. */
  certFile: pathOrNull,
  keyFile: pathOrNull,
  /** SHA-256 fingerprint of the one untrusted certificate to accept. */
  accepted: z.string().nullable(),
});
export type TlsSettings = z.infer<typeof tlsSettingsSchema>;

export const httpSettingsSchema = z.object({
  kind: z.literal('http'),
  /**
   * With placeholders for user info and credential parameters, which keep their stored values when saved. Its host and port
   * may be placeholders of variables, too.
   */
  url: z
    .string()
    .trim()
    .refine(isHttpUrlTemplate, 'an address that begins with http:// or https:// is needed'),
  /** Which of MCP's two HTTP transports; `auto`: the session detects it. Named as in servers.json. */
  transport: z.enum(httpTransports),
  headers: z.array(headerEntrySchema),
  tls: tlsSettingsSchema,
  /** `environment`: as HTTP_PROXY, HTTPS_PROXY and NO_PROXY say. */
  proxy: z.enum(['environment', 'none']),
  /** How to authorize; as `defaultAuthorization` says if left out. */
  authorization: authorizationSettingsSchema.exactOptional(),
});
export type HttpSettings = z.infer<typeof httpSettingsSchema>;

export const transportSettingsSchema = z.discriminatedUnion('kind', [
  stdioSettingsSchema,
  httpSettingsSchema,
]);
export type TransportSettings = z.infer<typeof transportSettingsSchema>;

/** The default settings of an HTTP server. */
export const plainHttpSettings = (url: string): HttpSettings => ({
  kind: 'http',
  url,
  transport: 'auto',
  headers: [],
  tls: { caFile: null, certFile: null, keyFile: null, accepted: null },
  proxy: 'environment',
});

/** `auto` detects it; `modern` sends no probe. */
export const eraChoices = ['auto', 'legacy', 'modern'] as const;
export type EraChoice = (typeof eraChoices)[number];

/** A timeout: up to a day. */
export const millisecondsSchema = z.number().int().positive().max(86_400_000);

export const timeoutsSchema = z.object({
  /** The timeout of `initialize`: a server started by a package runner can need half a minute. */
  initialize: millisecondsSchema,
  /** The timeout of every other request; progress restarts it. */
  request: millisecondsSchema,
  /** The timeout of every other request in total, despite progress. */
  requestMax: millisecondsSchema,
});
export type Timeouts = z.infer<typeof timeoutsSchema>;

export const defaultTimeouts: Timeouts = { initialize: 60_000, request: 60_000, requestMax: 600_000 };

/** Whether to ping a server of the legacy era regularly, and what to do without a response. */
export const keepAliveSchema = z.object({
  /** Milliseconds between two pings; null for none. */
  every: millisecondsSchema.nullable(),
  /** After three pings without a response: warn, or reconnect. */
  onSilence: z.enum(['warn', 'reconnect']),
});
export type KeepAlive = z.infer<typeof keepAliveSchema>;

export const noKeepAlive: KeepAlive = { every: null, onSilence: 'warn' };

/** The client as a server sees it: what it declares, and how it answers requests. */
export const clientProfileSchema = z.object({
  /** Its `clientInfo`; null for that of Sightglass. */
  info: z
    .object({
      name: z.string().min(1, 'a client has a name'),
      version: z.string().min(1, 'a client has a version'),
      title: z.string().nullable(),
    })
    .nullable()
    .default(null),
  /** The declared capabilities; null for all that Sightglass supports in the requested revision. */
  capabilities: z.record(z.string(), z.unknown()).nullable(),
  /** The default result of `roots/list`. */
  roots: z.array(z.object({ uri: z.string().min(1), name: z.string().nullable() })),
  /** Requests to answer without the user; the first rule that matches applies. */
  rules: z.array(inboxRuleSchema),
  /** How many requests a minute may wait for the user or a rule; more get an error. No limit if left out. */
  requestsPerMinute: z.number().int().positive().max(100_000).exactOptional(),
  /** Requests that clients do not support wait for the user, too, in place of being answered with -32601. */
  holdsUnknown: z.boolean().exactOptional(),
});
export type ClientProfile = z.infer<typeof clientProfileSchema>;

/** `roots/list` is answered at once: without roots of the user it reveals nothing. */
export const defaultClientProfile: ClientProfile = {
  info: null,
  capabilities: null,
  roots: [],
  rules: [{ method: 'roots/list', answer: { kind: 'defaults' }, delay: 0 }],
};

/**
 * Of a server from another client's configuration: it may ask for nothing of the user until they declare the capabilities in its
 * settings.
 */
export const importedClientProfile: ClientProfile = { ...defaultClientProfile, capabilities: {} };

/** When a server is restarted. */
export const rebuildSettingsSchema = z.object({
  /** Whether it is restarted when watched files change, and when it ends on its own. */
  isOn: z.boolean(),
  /** Files and folders to watch, relative to its working folder; empty to find them from its command. */
  paths: z.array(z.string().trim().min(1)).max(50),
});
export type RebuildSettings = z.infer<typeof rebuildSettingsSchema>;

/** What a placeholder of the settings stands for, such as `input:token` for `${input:token}`. */
export const variableSchema = z.object({
  /** `input:ID` or `workspaceFolder`. */
  name: z.string().regex(/^(?:input:[^}]+|workspaceFolder)$/, 'a variable is input:ID or workspaceFolder'),
  /** Null from the page: keep the stored value. Null from the engine: secret, or not given yet. */
  value: z.string().nullable(),
  secret: z.boolean(),
  /** What the configuration file says it is for. */
  description: z.string().nullable(),
  /** The only values it may have. */
  choices: z.array(z.string()).exactOptional(),
  /** An example of a value. */
  placeholder: z.string().exactOptional(),
  /** Without a value, the variables and headers that use it are not sent. Without this, a missing value is an error. */
  isOptional: z.boolean().exactOptional(),
});
export type Variable = z.infer<typeof variableSchema>;

/** The settings of a server. */
export const serverSettingsSchema = z.object({
  name: z.string().trim().min(1, 'a name is needed').max(200),
  transport: transportSettingsSchema,
  era: z.enum(eraChoices).default('auto'),
  /** The revision to request; null for the newest of the era. Free text, to test how a server responds. */
  revision: z.string().min(1).nullable(),
  timeouts: timeoutsSchema,
  keepAlive: keepAliveSchema.default(noKeepAlive),
  client: clientProfileSchema.default(defaultClientProfile),
  notes: z.string().max(10_000),
  /**
   * The variables of its placeholders. `${env:NAME}`, `${input:ID}`, `${workspaceFolder}` and `${userHome}` in the
   * command line, variables, URL and headers are replaced when it starts. Left out: the stored ones stay.
   */
  variables: z.array(variableSchema).exactOptional(),
  /** Left out: the stored ones stay; a server without them is not watched. */
  rebuild: rebuildSettingsSchema.exactOptional(),
  /** Whether it is connected when the app starts, if its command line is approved. Left out: as stored. */
  connectsAtStart: z.boolean().exactOptional(),
});
export type ServerSettings = z.infer<typeof serverSettingsSchema>;

/** What a server turned out to need, so that its next start begins with it. No setting: the app finds it out and forgets it. */
export const startNeedSchema = z.object({
  /** It ended or failed when it was asked `server/discover`, and connects without that. */
  era: z.literal('legacy'),
  /** A digest of its command line and of the files of its program. */
  of: z.string(),
  /** A digest of its name and version. */
  server: z.string(),
  /** When it was found out, in milliseconds since the Unix epoch. */
  at: z.number(),
});
export type StartNeed = z.infer<typeof startNeedSchema>;

export const serverSchema = serverSettingsSchema.extend({
  /** One that this version does not understand is ignored, because no setting of the user is lost with it. */
  startNeed: startNeedSchema.optional().catch(undefined),
  id: z.string(),
  /** Saved by the user, built in, named on the command line of this run, or a mock that this run serves. */
  source: z.enum(['user', 'demo', 'command-line', 'mock']),
});
export type Server = z.infer<typeof serverSchema>;

/** Whether a server is gone with this run of the app. */
export const isOfThisRun = ({ source }: Pick<Server, 'source'>): boolean =>
  source === 'command-line' || source === 'mock';

/** Kinds of text that servers are imported from and exported to. */
export const clientFormatSchema = z.enum(clientFormats);
export type ClientFormat = z.infer<typeof clientFormatSchema>;

/** Limit of characters of a configuration. */
export const MAX_CONFIGURATION = 5_000_000;

/** Where the servers to import are. */
export const configurationSourceSchema = z.discriminatedUnion('kind', [
  /** A text that was pasted, dropped or read. `path`: its file, if known; it tells the format and the workspace. */
  z.object({
    kind: z.literal('text'),
    text: z.string().max(MAX_CONFIGURATION),
    path: z.string().nullable(),
    /** Null: detected from the content and the path. */
    format: clientFormatSchema.nullable(),
  }),
  /** A file of the list of `servers/found`. */
  z.object({ kind: z.literal('found'), path: z.string() }),
]);
export type ConfigurationSource = z.infer<typeof configurationSourceSchema>;

/** Something that keeps a server or the whole text from being imported, or that changes what it means. */
export const configurationProblemSchema = z.object({
  /** Both from 1. */
  line: z.number().int().positive(),
  column: z.number().int().positive(),
  /** The name of the server; null if the whole text is concerned. */
  server: z.string().nullable(),
  what: z.string(),
  next: z.string(),
});
export type ConfigurationProblem = z.infer<typeof configurationProblemSchema>;

/** A key of a server, or a setting of ours, that the other side cannot hold. */
export const leftOutSchema = z.object({ key: z.string(), why: z.string() });
export type LeftOut = z.infer<typeof leftOutSchema>;

export const importedServerSchema = z.object({
  /** Its place in the text, as a JSON Pointer. */
  key: z.string(),
  line: z.number().int().positive(),
  /** Secret values are null. */
  settings: serverSettingsSchema,
  leftOut: z.array(leftOutSchema),
  /** Secret variables whose values the text has, so that nobody has to give them. */
  given: z.array(z.string()),
  /** The saved server of this name; null if there is none. */
  existingId: z.string().nullable(),
});

export const foundConfigurationSchema = z.object({
  path: z.string(),
  format: clientFormatSchema,
  /** Such as `VS Code`. */
  label: z.string(),
  servers: z.array(z.string()),
  problems: z.array(configurationProblemSchema),
});

/** Limit of bytes of a client's log in one response: its end. */
export const MAX_LOG_BYTES = 200_000;

/** The log file of another client about its MCP servers. */
export const clientLogSchema = z.object({
  path: z.string(),
  /** The client, such as `Claude Desktop`. */
  label: z.string(),
  /** The server it is about, as the name of the file has it; null if about all. */
  server: z.string().nullable(),
  size: z.number().int(),
  /** Milliseconds since the Unix epoch. */
  modifiedAt: z.number(),
});
export type ClientLog = z.infer<typeof clientLogSchema>;

export const serversArea = defineArea({
  commands: {
    'servers/list': { params: z.object({}), result: z.array(serverSchema) },
    /** Adds a server (`id: null`) or changes one. */
    'servers/save': {
      params: z.object({ id: z.string().nullable(), settings: serverSettingsSchema }),
      result: serverSchema,
    },
    'servers/remove': { params: z.object({ id: z.string() }), result: z.null() },
    /** Adds the built-in demo server to the list, or returns it if it is listed. */
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
    /** The servers of a configuration text. Nothing is stored. */
    'servers/import-preview': {
      params: z.object({ source: configurationSourceSchema }),
      result: z.object({
        /** What the text was read as; null if it is of another kind. */
        format: clientFormatSchema.nullable(),
        label: z.string(),
        servers: z.array(importedServerSchema),
        problems: z.array(configurationProblemSchema),
      }),
    },
    /** Saves servers of a configuration text. A command line still needs the user's approval to run. */
    'servers/import': {
      params: z.object({
        source: configurationSourceSchema,
        /** `key` as in the preview; `name`: null for the one in the text; `replaces`: a saved server to change. */
        picks: z.array(
          z.object({ key: z.string(), name: z.string().nullable(), replaces: z.string().nullable() }),
        ),
        /** Values by the names of variables, such as `input:token`. */
        values: z.record(z.string(), z.string()),
      }),
      result: z.array(serverSchema),
    },
    /** Servers as the configuration of a client, without secret values. */
    'servers/export': {
      params: z.object({
        ids: z.array(z.string()).min(1),
        format: clientFormatSchema,
        into: z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('new') }),
          /** Edits this text; comments, other keys and the order stay. */
          z.object({ kind: z.literal('text'), text: z.string().max(MAX_CONFIGURATION) }),
          /** Edits a file of the list of `servers/found`. It is written only with `write`. */
          z.object({ kind: z.literal('found'), path: z.string(), write: z.boolean() }),
        ]),
      }),
      result: z.object({
        text: z.string(),
        /** What the format cannot hold, by the names of the servers. */
        leftOut: z.array(leftOutSchema.extend({ server: z.string() })),
      }),
    },
    /** The configuration files of other clients on this machine. */
    'servers/found': { params: z.object({}), result: z.array(foundConfigurationSchema) },
    /** The log files of other clients on this machine, the newest first. */
    'servers/logs': { params: z.object({}), result: z.array(clientLogSchema) },
    /** The end of a file of that list, with secrets replaced. */
    'servers/log': {
      params: z.object({ path: z.string() }),
      result: clientLogSchema.extend({ text: z.string(), isWhole: z.boolean() }),
    },
  },
  events: {
    'servers/changed': z.array(serverSchema),
  },
});

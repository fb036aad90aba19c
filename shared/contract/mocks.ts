import { z } from 'zod';
import { defineArea } from './area.ts';
import { valueDifferenceSchema } from './comparison.ts';

const row = z.number().int().nonnegative();

/**
 * How a request is matched to the recorded ones. `context`: the same method and params, and of several the one that the same requests
 * precede. `args`: the same method and params, in recorded order. `method`: the same method and name, whatever the arguments.
 * `sequence`: the next recorded request, which must have the same method.
 */
export const matchModes = ['context', 'args', 'method', 'sequence'] as const;
export type MatchMode = (typeof matchModes)[number];

/** When a mock sends: `none` (at once), `recorded`, `x2` for twice as fast, `max:100` for at most 100 ms each. */
export const latencyPattern = /^(?:none|recorded|x(?!0+(?:\.0+)?$)\d+(?:\.\d+)?|max:\d+)$/;

/** Latency that keeps the recorded order in time without making anybody wait. */
export const DEFAULT_LATENCY = 'max:20';

/** `silent`: the recording has no response either. `cancelled`: by the client. `own`: the mock needs no recording for it. */
export const mockMatches = ['exact', 'inexact', 'miss', 'forwarded', 'silent', 'cancelled', 'own'] as const;
export type MockMatch = (typeof mockMatches)[number];

/** Faults that a mock can inject into what it sends. */
export const mockFaults = [
  'drop',
  'delay',
  'hold',
  'duplicate',
  'corrupt',
  'cut',
  'status',
  'reorder',
] as const;

/** How a mock is served. */
export const mockSettingsSchema = z.object({
  /** Of 127.0.0.1; 0 for any free one. */
  port: z.number().int().min(0).max(65_535),
  match: z.enum(matchModes),
  latency: z.string().regex(latencyPattern),
  /** A file of faults by its full path, and the seed of its choices; null for none. */
  faults: z.object({ path: z.string().trim().min(1), seed: z.number().int().nonnegative() }).nullable(),
  /** Id of the server that gets what no recording answers, while it is connected; null to answer it with an error. */
  forwardTo: z.string().nullable(),
});
export type MockSettings = z.infer<typeof mockSettingsSchema>;

export const mockSchema = z.object({
  /** The server in the list that leads to it. */
  serverId: z.string(),
  /** The trace file. */
  path: z.string(),
  url: z.string(),
  /** With the port that was taken. */
  settings: mockSettingsSchema,
  isRunning: z.boolean(),
  /** Starts so far; each begins at the start of the recording, with an empty report. */
  run: z.number().int().positive(),
  /** Exchanges that ended in this run. */
  total: z.number().int(),
  /** Counts of this run. */
  clients: z.number().int(),
  inexact: z.number().int(),
  misses: z.number().int(),
  faults: z.number().int(),
  /** Recorded calls that were not requested. */
  unused: z.number().int(),
});
export type ServedMock = z.infer<typeof mockSchema>;

/** Exchanges that are kept of a run; older ones are dropped. */
export const MAX_KEPT_EXCHANGES = 2000;

/** One request to a mock. */
export const mockExchangeSchema = z.object({
  /** From 1, in the order they ended. */
  number: z.number().int().positive(),
  /** When it ended: milliseconds since the Unix epoch. */
  at: z.number(),
  /** Clients are counted from 1. */
  client: z.number().int(),
  /** What the client calls itself; null if it did not say. Untrusted. */
  clientName: z.string().nullable(),
  /** Untrusted, like the target. */
  method: z.string(),
  target: z.string().nullable(),
  match: z.enum(mockMatches),
  /** Row of the recorded request that answered it; of a miss, the nearest. */
  recordedRow: row.nullable(),
  /** The faults that were injected into what was sent for it, each with its line in the file. */
  faults: z.array(z.object({ do: z.enum(mockFaults), line: z.number().int() })),
});
export type MockExchange = z.infer<typeof mockExchangeSchema>;

/** A JSON text, or the start of a very long one. */
const shownTextSchema = z.object({ text: z.string(), isCut: z.boolean() });
export type ShownText = z.infer<typeof shownTextSchema>;

export const mockExchangeDetailSchema = mockExchangeSchema.extend({
  /** Why it is inexact or a miss; empty otherwise. May quote untrusted text. */
  why: z.string(),
  differences: z.array(valueDifferenceSchema),
  /** As the client sent them; null without params. */
  params: shownTextSchema.nullable(),
  /** As the mock really sent it, which may be no JSON after a fault; null if it sent no response. */
  response: shownTextSchema.nullable(),
  /** The recorded request: its params and its response. */
  recorded: z.object({ params: shownTextSchema.nullable(), response: shownTextSchema.nullable() }).nullable(),
});
export type MockExchangeDetail = z.infer<typeof mockExchangeDetailSchema>;

const ofServer = z.object({ serverId: z.string() });

export const mocksArea = defineArea({
  commands: {
    /** The mocks of this run of the app, also those that were stopped. */
    'mocks/list': { params: z.object({}), result: z.array(mockSchema) },
    /** Serves a trace file over Streamable HTTP, and adds the mock to the servers of this run. */
    'mocks/start': {
      params: z.object({ path: z.string().min(1), settings: mockSettingsSchema }),
      result: mockSchema,
    },
    /** Starts a mock again, on the same port, at the start of its recording; stops it first if it runs. */
    'mocks/restart': { params: ofServer, result: mockSchema },
    /** Closes its connections. What it was asked stays until it is started again, or removed from the servers. */
    'mocks/stop': { params: ofServer, result: mockSchema },
    /** The kept exchanges of a run after this number, in their order; those of a later run if it was started again. */
    'mocks/exchanges': {
      params: ofServer.extend({ run: z.number().int(), after: z.number().int().nonnegative() }),
      result: z.object({ run: z.number().int(), exchanges: z.array(mockExchangeSchema) }),
    },
    /** One exchange with its texts. */
    'mocks/exchange': {
      params: ofServer.extend({ run: z.number().int(), number: z.number().int().positive() }),
      result: mockExchangeDetailSchema,
    },
  },
  events: {
    /** A mock was started, was stopped or was asked for something; reported a few times a second. */
    'mocks/changed': mockSchema,
  },
});

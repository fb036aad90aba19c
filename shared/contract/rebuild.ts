import { z } from 'zod';
import { defineArea } from './area.ts';
import { comparisonSchema } from './comparison.ts';
import { faultSchema } from './fault.ts';
import { skipReasons } from './replay.ts';
import { callOutcomeSchema } from './saved-calls.ts';
import type { ListenFilter } from './subscriptions.ts';

/**
 * `off`: only restarts that the user asks for. `idle`: on, but there is no session to restart. `waiting`: backs off after the
 * server ended. `stopped`: the server ended too often; a changed file starts it again.
 */
export const rebuildStates = ['off', 'idle', 'watching', 'restarting', 'waiting', 'stopped'] as const;
export type RebuildState = (typeof rebuildStates)[number];

/** Why a server was restarted. `exit`: its process or connection ended. `manual`: the user asked for it. */
export const rebuildReasons = ['change', 'exit', 'manual'] as const;
export type RebuildReason = (typeof rebuildReasons)[number];

/**
 * What the annotations of a tool say about calling it again. `no-tool`: another method, which changes nothing by design.
 * `unannotated`: a tool without annotations, or a method of which nothing is known.
 */
export const callSafeties = [
  'read-only',
  'not-destructive',
  'no-tool',
  'unannotated',
  'destructive',
] as const;
export type CallSafety = (typeof callSafeties)[number];

/** Whether a call runs again without being ticked. */
export const isSafeAgain = (safety: CallSafety): boolean =>
  safety !== 'destructive' && safety !== 'unannotated';

/** What can run again: the calls of the session, or those of a test file. */
export const rerunSourceSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('calls') }),
  z.object({ kind: z.literal('suite'), path: z.string().min(1) }),
]);
export type RerunSource = z.infer<typeof rerunSourceSchema>;

/** A call that can run again after a restart. */
export const rerunCallSchema = z.object({
  /** Names it: the same for equal calls. */
  key: z.string(),
  /** Its name in the test file; null for a call of the session. */
  name: z.string().nullable(),
  method: z.string(),
  /** The tool, prompt or URI; null if the method has none. */
  target: z.string().nullable(),
  /** The start of its arguments, or of its params, as JSON text. */
  params: z.string(),
  safety: z.enum(callSafeties),
});
export type RerunCall = z.infer<typeof rerunCallSchema>;

/**
 * `none`: nothing was chosen. `given`: the chosen calls run after each restart. `changed`: they do not run until the user chooses
 * again, because the calls or the annotations of a tool are no longer those that the user agreed to.
 */
export const rerunConsents = ['none', 'given', 'changed'] as const;

export const rerunChoiceSchema = z.object({
  source: rerunSourceSchema.nullable(),
  /** The calls that run again. */
  calls: z.array(rerunCallSchema),
  consent: z.enum(rerunConsents),
  /** What is no longer as it was agreed to, one sentence each. May quote untrusted text. */
  changes: z.array(z.string()),
});
export type RerunChoice = z.infer<typeof rerunChoiceSchema>;

/** What of a session is restored in the next one. */
export interface ToRestore {
  readonly logLevel: string | null;
  readonly subscriptions: readonly ListenFilter[];
}

/** What one restart came to. */
export const rebuildOutcomeSchema = z.object({
  reason: z.enum(rebuildReasons),
  /** Milliseconds since the Unix epoch. */
  at: z.number(),
  /** The sessions before and after. */
  before: z.string().nullable(),
  sessionId: z.string(),
  /** The changed files that caused it. */
  files: z.array(z.string()),
  /** Subscriptions and the log level that the server no longer accepted. */
  notRestored: z.array(faultSchema),
  /** What was restored: the log level, and how many subscriptions. */
  restored: z.object({ logLevel: z.string().nullable(), subscriptions: z.number().int() }),
  /** The lists, and the calls that ran again; null if there was no session to compare with. */
  comparison: comparisonSchema.nullable(),
  /** Outcomes of the test file that ran again, each with the state that it had before; null if none ran. */
  suite: z.array(callOutcomeSchema.extend({ before: callOutcomeSchema.shape.state.nullable() })).nullable(),
  /** Chosen calls that were not sent. */
  skipped: z.array(z.object({ target: z.string().nullable(), reason: z.enum(skipReasons) })),
});
export type RebuildOutcome = z.infer<typeof rebuildOutcomeSchema>;

/** A file or folder that is watched. */
export const watchedPathSchema = z.object({
  path: z.string(),
  /** Where it comes from, such as `the script of the command`. */
  from: z.string(),
  /** Whether only files of code count: a server may write others beside its code. */
  onlyCode: z.boolean(),
});
export type WatchedPath = z.infer<typeof watchedPathSchema>;

export const rebuildSchema = z.object({
  serverId: z.string(),
  isOn: z.boolean(),
  /** The paths of the user; empty if they are found from the command. */
  paths: z.array(z.string()),
  watched: z.array(watchedPathSchema),
  /** How many files are watched. */
  files: z.number().int(),
  /** Why something is not watched, in one sentence; null if all is. */
  notWatched: z.string().nullable(),
  /** Whether Sightglass starts the server; otherwise it connects to it again. */
  isOurs: z.boolean(),
  state: z.enum(rebuildStates),
  /** How often in a row the server ended on its own. */
  crashes: z.number().int(),
  /** When it is started again: milliseconds since the Unix epoch; null unless it waits. */
  nextAt: z.number().nullable(),
  /** Restarts in this run of the app. */
  rebuilds: z.number().int(),
  /** Why it waits or has stopped. */
  fault: faultSchema.nullable(),
  last: rebuildOutcomeSchema.nullable(),
  rerun: rerunChoiceSchema,
});
export type Rebuild = z.infer<typeof rebuildSchema>;

const ofServer = z.object({ serverId: z.string() });

export const rebuildArea = defineArea({
  commands: {
    /** The servers that are watched, or were restarted in this run. */
    'rebuild/list': { params: z.object({}), result: z.array(rebuildSchema) },
    /** What is watched of a server, also before it is switched on. */
    'rebuild/read': { params: ofServer, result: rebuildSchema },
    /** Switches the restart on change on or off; saved with the server. Empty `paths`: found from the command. */
    'rebuild/set': {
      params: ofServer.extend({ isOn: z.boolean(), paths: z.array(z.string().trim().min(1)).max(50) }),
      result: rebuildSchema,
    },
    /** Restarts the server now, with all that follows a restart; resolves when it is over. */
    'rebuild/now': { params: ofServer, result: rebuildSchema },
    /** The calls that can run again, those of the last session or of a test file. */
    'rebuild/calls': {
      params: ofServer.extend({ source: rerunSourceSchema }),
      result: z.array(rerunCallSchema),
    },
    /**
     * Chooses the calls that run again, which is the consent to send them. Until the calls or the annotations of their tools
     * change, it holds for each restart. `source: null` chooses none.
     */
    'rebuild/choose': {
      params: ofServer.extend({
        source: rerunSourceSchema.nullable(),
        /** The calls as the user saw them. */
        calls: z.array(rerunCallSchema.pick({ key: true, safety: true })).max(500),
      }),
      result: rebuildSchema,
    },
  },
  events: { 'rebuild/changed': rebuildSchema },
});

import { z } from 'zod';
import { appArea } from './app.ts';
import { approvalsArea } from './approvals.ts';
import { authorizationArea } from './authorization.ts';
import { callsArea } from './calls.ts';
import { catalogArea } from './catalog.ts';
import { checksArea } from './checks.ts';
import { comparisonArea } from './comparison.ts';
import { composerArea } from './composer.ts';
import { convertArea } from './convert.ts';
import { faultSchema } from './fault.ts';
import { exportsArea } from './exports.ts';
import { inboxArea } from './inbox.ts';
import { lockArea } from './lock.ts';
import { loadArea } from './load.ts';
import { logsArea } from './logs.ts';
import { languageModelArea } from './language-model.ts';
import { mocksArea } from './mocks.ts';
import { negativeInputsArea } from './negative-inputs.ts';
import { placeArea } from './place.ts';
import { rebuildArea } from './rebuild.ts';
import type { RequireRedacted } from './redacted.ts';
import { removalsArea } from './removals.ts';
import { replayArea } from './replay.ts';
import { rootsArea } from './roots.ts';
import { savedCallsArea } from './saved-calls.ts';
import { serverTestsArea } from './server-tests.ts';
import { serversArea } from './servers.ts';
import { sessionsArea } from './sessions.ts';
import { settingsArea } from './settings.ts';
import { subscriptionsArea } from './subscriptions.ts';
import { tasksArea } from './tasks.ts';
import { traceArea } from './trace.ts';
import { tracesArea } from './traces.ts';

/** Every command and event between the engine and the page, on every host. */
export const commands = {
  ...appArea.commands,
  ...approvalsArea.commands,
  ...authorizationArea.commands,
  ...serversArea.commands,
  ...sessionsArea.commands,
  ...catalogArea.commands,
  ...callsArea.commands,
  ...checksArea.commands,
  ...comparisonArea.commands,
  ...composerArea.commands,
  ...convertArea.commands,
  ...exportsArea.commands,
  ...inboxArea.commands,
  ...lockArea.commands,
  ...loadArea.commands,
  ...logsArea.commands,
  ...languageModelArea.commands,
  ...mocksArea.commands,
  ...negativeInputsArea.commands,
  ...placeArea.commands,
  ...rebuildArea.commands,
  ...removalsArea.commands,
  ...replayArea.commands,
  ...rootsArea.commands,
  ...savedCallsArea.commands,
  ...serverTestsArea.commands,
  ...settingsArea.commands,
  ...subscriptionsArea.commands,
  ...tasksArea.commands,
  ...traceArea.commands,
  ...tracesArea.commands,
};

export const events = {
  ...appArea.events,
  ...approvalsArea.events,
  ...authorizationArea.events,
  ...serversArea.events,
  ...sessionsArea.events,
  ...catalogArea.events,
  ...callsArea.events,
  ...checksArea.events,
  ...comparisonArea.events,
  ...composerArea.events,
  ...convertArea.events,
  ...exportsArea.events,
  ...inboxArea.events,
  ...lockArea.events,
  ...loadArea.events,
  ...logsArea.events,
  ...languageModelArea.events,
  ...mocksArea.events,
  ...negativeInputsArea.events,
  ...placeArea.events,
  ...rebuildArea.events,
  ...removalsArea.events,
  ...replayArea.events,
  ...rootsArea.events,
  ...savedCallsArea.events,
  ...serverTestsArea.events,
  ...settingsArea.events,
  ...subscriptionsArea.events,
  ...tasksArea.events,
  ...traceArea.events,
  ...tracesArea.events,
};

export type CommandName = keyof typeof commands;
export type Params<N extends CommandName> = z.infer<(typeof commands)[N]['params']>;
export type Result<N extends CommandName> = z.infer<(typeof commands)[N]['result']>;

export type EventName = keyof typeof events;
export type Payload<N extends EventName> = z.infer<(typeof events)[N]>;

/** Areas whose results and events are derived from messages of a server. */
type ServerArea =
  | 'authorization'
  | 'server-tests'
  | 'sessions'
  | 'catalog'
  | 'calls'
  | 'inbox'
  | 'tasks'
  | 'subscriptions'
  | 'saved-calls'
  | 'negative-inputs';

/** Commands of these areas whose results have no text of a server, or only text read from the record. */
type WithoutServerData =
  | 'sessions/open'
  | 'authorization/reveal'
  | 'authorization/write-document'
  | 'sessions/ping'
  | 'sessions/send'
  | 'sessions/notify-roots'
  | 'sessions/resume-stream'
  | 'sessions/switches'
  | 'sessions/set-switches'
  | 'calls/validate'
  | 'saved-calls/read'
  | 'saved-calls/receive'
  | 'saved-calls/files'
  | 'saved-calls/save'
  | 'saved-calls/remove'
  | 'saved-calls/accept'
  | 'saved-calls/from-trace'
  | 'calls/result'
  | 'tasks/result';

type EventsWithoutServerData =
  | 'authorization/credentials-changed'
  | 'sessions/switches-changed'
  | 'sessions/forgotten'
  | 'catalog/changed';

type HandlerResult<N extends CommandName> = N extends WithoutServerData
  ? Result<N>
  : N extends `${ServerArea}/${string}`
    ? RequireRedacted<Result<N>>
    : Result<N>;

type EmittedPayload<N extends EventName> = N extends EventsWithoutServerData
  ? Payload<N>
  : N extends `${ServerArea}/${string}`
    ? RequireRedacted<Payload<N>>
    : Payload<N>;

/** One handler for each command. Results derived from messages of a server must be redacted. */
export type Handlers = {
  readonly [N in CommandName]: (params: Params<N>) => Promise<HandlerResult<N>> | HandlerResult<N>;
};

/**
 * A payload that is made when the first listener reads it: a terminal command is woken by each event, and reads the payload of few.
 */
export class PayloadOnRead<T> {
  #state: { readonly make: () => T } | { readonly payload: T };

  constructor(make: () => T) {
    this.#state = { make };
  }

  get payload(): T {
    // What it was made from, such as a whole response, is not kept with it.
    if ('make' in this.#state) this.#state = { payload: this.#state.make() };
    return this.#state.payload;
  }
}

/** Sends an event to the page. Payloads derived from messages of a server must be redacted. */
export type Emit = <N extends EventName>(
  name: N,
  payload: EmittedPayload<N> | PayloadOnRead<EmittedPayload<N>>,
) => void;

export const isCommandName = (name: string): name is CommandName => Object.hasOwn(commands, name);
export const isEventName = (name: string): name is EventName => Object.hasOwn(events, name);

/** The first frame of the web host to an authenticated page: the secret for a reload. */
export const welcomeFrameSchema = z.object({ secret: z.string() });

/** A frame from the page: one command. */
export const requestFrameSchema = z.object({
  id: z.number().int(),
  command: z.string(),
  params: z.unknown(),
});
export type RequestFrame = z.infer<typeof requestFrameSchema>;

/** The outcome of a command. The Electron bridge resolves with it; the WebSocket adds the id of the request. */
export const outcomeSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({ ok: z.literal(false), fault: faultSchema }),
]);
export type CommandOutcome = z.infer<typeof outcomeSchema>;

/** A frame to the page: the outcome of a command, or an event. */
export const responseFrameSchema = z.object({ id: z.number().int(), outcome: outcomeSchema });
export const eventFrameSchema = z.object({ event: z.string(), payload: z.unknown() });
export type ResponseFrame = z.infer<typeof responseFrameSchema>;
export type EventFrame = z.infer<typeof eventFrameSchema>;

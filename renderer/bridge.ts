import {
  type ResponseFrame,
  responseFrameSchema,
  type CommandName,
  type CommandOutcome,
  commands,
  type EventName,
  eventFrameSchema,
  events,
  isEventName,
  outcomeSchema,
  type Params,
  type Payload,
  type RequestFrame,
  type Result,
  welcomeFrameSchema,
} from '#shared/contract/index.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { PreloadBridge } from '#shared/contract/preload-bridge.ts';

declare global {
  interface Window {
    readonly sightglass?: PreloadBridge;
  }
}

/** Carries frames between the page and the engine. */
interface Carrier {
  invoke(command: string, params: unknown): Promise<CommandOutcome>;
}

export type LinkState = 'connecting' | 'open' | 'lost' | 'refused';

const listeners = new Map<EventName, Set<(payload: never) => void>>();
const linkListeners = new Set<(state: LinkState) => void>();
let linkState: LinkState = 'connecting';
let carrier: Carrier | undefined;

/** Runs a command in the engine. Rejects with a `FaultError` when the engine says what went wrong. */
export async function call<N extends CommandName>(name: N, params: Params<N>): Promise<Result<N>> {
  carrier ??= window.sightglass ? preloadCarrier(window.sightglass) : socketCarrier();
  const outcome = await carrier.invoke(name, params);
  if (!outcome.ok) throw new FaultError(outcome.fault);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by this very command's schema
  return commands[name].result.parse(outcome.result) as Result<N>;
}

/** Listens to an event of the engine until the returned function is called. */
export function on<N extends EventName>(name: N, listener: (payload: Payload<N>) => void): () => void {
  const set = listeners.get(name) ?? new Set();
  listeners.set(name, set);
  set.add(listener);
  return () => set.delete(listener);
}

/** Whether the engine can be reached; in Electron it always can. */
export const currentLinkState = (): LinkState => linkState;

export function onLinkState(listener: (state: LinkState) => void): () => void {
  linkListeners.add(listener);
  return () => linkListeners.delete(listener);
}

function setLinkState(state: LinkState): void {
  if (state === linkState) return;
  linkState = state;
  for (const listener of linkListeners) listener(state);
}

function dispatch(frame: unknown): void {
  const { event, payload } = eventFrameSchema.parse(frame);
  if (!isEventName(event)) return;
  const parsed = events[event].parse(payload);
  for (const listener of listeners.get(event) ?? []) {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a set of listeners holds those of its own event
      listener(parsed as never);
    } catch (error) {
      // The other parts of the page still need the event.
      reportError(error);
    }
  }
}

function preloadCarrier(bridge: PreloadBridge): Carrier {
  bridge.onEvent(dispatch);
  setLinkState('open');
  return { invoke: async (command, params) => outcomeSchema.parse(await bridge.invoke(command, params)) };
}

const SESSION_KEY = 'sightglass-session';
/** "Service restart" (RFC 6455 registry): in development, a newer page is there. */
const PAGE_REBUILT = 1012;

/**
 * The web host's WebSocket. The token of the address is good for one use: the engine answers it with a
 * session secret, which alone may stay in the page, so that a reload works.
 */
function socketCarrier(): Carrier {
  const waiting = new Map<number, (outcome: CommandOutcome) => void>();
  let lastId = 0;
  const socket = new WebSocket(new URL('engine', location.href.replace(/^http/, 'ws')));
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname);
  const opened = new Promise<void>((resolve) => {
    socket.addEventListener('open', () => {
      const secret = sessionStorage.getItem(SESSION_KEY);
      socket.send(JSON.stringify(token === null ? { secret } : { token }));
    });
    const onFirst = (message: MessageEvent<string>) => {
      const { secret } = welcomeFrameSchema.parse(JSON.parse(message.data));
      sessionStorage.setItem(SESSION_KEY, secret);
      socket.removeEventListener('message', onFirst);
      socket.addEventListener('message', onFrame);
      setLinkState('open');
      resolve();
    };
    socket.addEventListener('message', onFirst);
  });
  const onFrame = (message: MessageEvent<string>) => {
    const frame: unknown = JSON.parse(message.data);
    const answer = responseFrameSchema.safeParse(frame);
    if (!answer.success) return dispatch(frame);
    settle(answer.data);
  };
  const settle = ({ id, outcome }: ResponseFrame) => {
    waiting.get(id)?.(outcome);
    waiting.delete(id);
  };
  socket.addEventListener('close', (event) => {
    if (event.code === PAGE_REBUILT) return location.reload();
    setLinkState(event.code === 4401 ? 'refused' : 'lost');
    for (const id of waiting.keys()) settle({ id, outcome: { ok: false, fault: lostFault } });
  });
  return {
    async invoke(command, params) {
      if (socket.readyState >= WebSocket.CLOSING) return { ok: false, fault: lostFault };
      const id = ++lastId;
      const outcome = new Promise<CommandOutcome>((resolve) => waiting.set(id, resolve));
      void opened.then(() => socket.send(JSON.stringify({ id, command, params } satisfies RequestFrame)));
      return outcome;
    },
  };
}

const lostFault = {
  code: 'engine-lost',
  what: 'The engine cannot be reached.',
  why: 'The Sightglass process that served this page has ended, or it was opened without its token.',
  next: 'Start Sightglass again and open the address it prints.',
};

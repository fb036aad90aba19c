import type { SessionState } from '#session/session-state.ts';
import { z } from 'zod';
import type { Peer, PendingRequest } from '#session/rpc/peer.ts';
import { type Outcome, outcomeFault } from '#session/rpc/request.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { type Agreement, type Implementation, implementationSchema } from '#shared/contract/sessions.ts';
import { errorCodes, isObject } from '#shared/protocol/jsonrpc.ts';
import { legacyRevisions, newestLegacyRevision, supportedRevisions } from '#shared/protocol/revisions.ts';
import { serverCapabilitiesSchema } from './server-capabilities.ts';
import { statusFault } from '#transports/http-response-faults.ts';
import {
  endedBeforeAnswer,
  namedCause,
  noCommonRevision,
  OpenFault,
  type ReceivedText,
  RUN_IT,
} from './open-fault.ts';

export interface HandshakeSettings {
  /** The revision to request; null for the newest. */
  readonly revision: string | null;
  /** Whether to accept any revision, and a result without its required members. */
  readonly anyRevision: boolean;
  /** Timeout of `initialize` in milliseconds. */
  readonly timeout: number;
  readonly client: Implementation;
  /** The capabilities to declare for a revision. */
  readonly clientCapabilities: (revision: string) => Record<string, unknown>;
  /** The last lines of stderr, to explain a failure. */
  readonly recentStderr: () => readonly string[];
  /** The beginning of standard output; null if it is empty, or if there is none. */
  readonly received: () => ReceivedText | null;
}

/** Optional text. Any other type is ignored here, because it is a finding and no reason not to connect. */
const optionalText = z.string().optional().catch(undefined);

/** The result of `initialize` (MCP lifecycle, initialization). */
const initializeResultSchema = z.object({
  protocolVersion: z.string(),
  capabilities: serverCapabilitiesSchema,
  serverInfo: implementationSchema.extend({
    title: optionalText,
    description: optionalText,
    websiteUrl: optionalText,
  }),
  instructions: optionalText,
});

/** The result of `initialize` with defaults for missing members, for users who continue with any revision. */
const lenientResultSchema = (requested: string) =>
  z.object({
    protocolVersion: z.string().catch(requested),
    capabilities: serverCapabilitiesSchema.catch({}),
    serverInfo: initializeResultSchema.shape.serverInfo.nullable().catch(null),
    instructions: optionalText,
  });

/**
 * Sends `initialize`.
 *
 * @param origin `probe` while the era of the server is unknown
 */
export function requestInitialize(
  peer: Peer,
  settings: HandshakeSettings,
  origin: 'automatic' | 'probe' = 'automatic',
): PendingRequest {
  const { client, clientCapabilities, timeout } = settings;
  const params = {
    protocolVersion: legacyRevision(settings),
    capabilities: clientCapabilities(legacyRevision(settings)),
    clientInfo: client,
  };
  return peer.request('initialize', JSON.stringify(params), {
    origin,
    timeout,
    maxTimeout: timeout,
  });
}

/** The revision that `initialize` requests. */
export const legacyRevision = ({ revision }: Pick<HandshakeSettings, 'revision'>): string =>
  revision ?? newestLegacyRevision;

/** The agreement, from the response to `initialize`. @throws OpenFault if there is none */
export function readInitialized(answer: Outcome, settings: HandshakeSettings): Agreement {
  const requestedRevision = legacyRevision(settings);
  if (answer.type !== 'result') throw initializeFault(answer, settings);
  const schema = settings.anyRevision ? lenientResultSchema(requestedRevision) : initializeResultSchema;
  const parsed = schema.safeParse(answer.result);
  if (!parsed.success) {
    const remedy = { kind: 'any-revision' as const, revision: requestedRevision };
    throw new OpenFault(badResult(parsed.error, answer.result), isObject(answer.result) ? [remedy] : []);
  }
  const { protocolVersion, capabilities, serverInfo, instructions } = parsed.data;
  const isKnown = legacyRevisions.some((revision) => revision === protocolVersion);
  if (!isKnown && !settings.anyRevision) throw unsupportedRevision(requestedRevision, protocolVersion);
  return {
    era: 'legacy',
    requestedRevision,
    revision: protocolVersion,
    server: serverInfo,
    instructions: instructions ?? null,
    serverCapabilities: capabilities,
    supportedRevisions: [],
    client: settings.client,
    clientCapabilities: settings.clientCapabilities(requestedRevision),
    handshake: answer.recorded.duration,
  };
}

type Failure = Exclude<Outcome, { type: 'result' }>;

/** Why `initialize` failed. */
export function initializeFault(outcome: Failure, settings: HandshakeSettings): OpenFault {
  const supported = supportedByRejection(outcome);
  return supported === null
    ? new OpenFault(faultOfFailure(outcome, settings), [])
    : noCommonRevision(legacyRevision(settings), supported);
}

/** Whether a server rejected our revision and named those it speaks, which starting it again does not change. */
export const namesRevisions = (outcome: Outcome): boolean =>
  outcome.type === 'error' && supportedByRejection(outcome) !== null;

function faultOfFailure(outcome: Failure, settings: HandshakeSettings): Fault {
  const stderr = settings.recentStderr().join('\n');
  const received = settings.received();
  const quoted = received === null ? '' : `Standard output begins:\n${received.quote}`;
  const all = [quoted, stderr].filter((text) => text !== '').join('\n\n');
  const evidence = all === '' ? {} : { evidence: all };
  const cause = namedCause(received, settings.recentStderr());
  switch (outcome.type) {
    case 'timeout':
      return {
        code: 'initialize-timeout',
        what: `The server did not answer initialize within ${settings.timeout / 1000} s.`,
        // Standard output is in the evidence, from its beginning.
        ...(received === null && outcome.quote !== undefined && { quote: outcome.quote }),
        why:
          cause?.why ??
          received?.what ??
          (outcome.quote === undefined ? undefined : 'What it sent in that time is not a message.') ??
          'It is still starting (a package runner can take half a minute), it waits for something, or it is no MCP server.',
        next:
          cause?.next ??
          received?.next ??
          'Look at the trace, and at what the server prints or logs when it is started by hand; or allow it more time.',
        ...evidence,
      };
    case 'closed':
      return endedBeforeAnswer(
        `The server ended before it answered initialize. ${outcome.reason}`,
        received,
        settings.recentStderr(),
        { why: 'It printed nothing to say why.', next: RUN_IT },
      );
    case 'invalid': {
      const next = received?.next ?? null;
      return { ...outcomeFault('initialize', outcome), ...(next !== null && { next }), ...evidence };
    }
    case 'error':
    case 'failed':
    case 'cancelled':
      return { ...outcomeFault('initialize', outcome), ...evidence };
  }
}

/** The codes with which a server rejects our revision; the second is that of a modern server that rejects `initialize`. */
const rejections: readonly number[] = [errorCodes.invalidParams, errorCodes.unsupportedProtocolVersion];

/** The revisions that a server names in the error with which it rejects ours (MCP lifecycle, error handling); null for any other outcome. */
function supportedByRejection(outcome: Failure): string[] | null {
  if (outcome.type !== 'error' || !rejections.includes(outcome.error.code)) return null;
  return supportedRevisions(outcome.error.data);
}

function badResult(error: z.ZodError, result: unknown): Fault {
  const errors = error.issues.map(({ path, message }) => `${path.join('.') || 'result'}: ${message}`);
  return {
    code: 'initialize-bad-result',
    what: "The server's answer to initialize lacks what it must have.",
    why: errors.join('; '),
    next: 'Compare the answer with the InitializeResult of the specification.',
    evidence: JSON.stringify(result, null, 2),
  };
}

const unsupportedRevision = (requested: string, answered: string): OpenFault =>
  new OpenFault(
    {
      code: 'revision-unsupported',
      what: `The server wants to speak revision "${answered}", which this app does not know.`,
      why: `We asked for ${requested}. A server that does not know a revision answers with one it supports.`,
      next: `Ask for another revision (${legacyRevisions.join(', ')}), or go on with the server's.`,
    },
    [
      { kind: 'any-revision', revision: answered },
      ...legacyRevisions
        .filter((revision) => revision !== requested)
        .map((revision) => ({ kind: 'revision' as const, revision })),
    ],
  );

/** Sends `notifications/initialized` (MCP lifecycle, initialization): at once, later or never, as the client switches say. */
export class InitializedNotice {
  readonly #peer: Peer;
  readonly #state: SessionState;
  #delay: NodeJS.Timeout | undefined;

  constructor(state: SessionState, peer: Peer) {
    this.#state = state;
    this.#peer = peer;
  }

  /** Returns a promise that resolves once the server has accepted it; null if there is nothing to wait for. */
  send(): Promise<unknown> | null {
    const { initialized } = this.#state.switches;
    const send = () =>
      this.#peer.notify('notifications/initialized', undefined, 'automatic')?.finished ?? null;
    this.stop();
    if (initialized.how === 'send') return send();
    if (initialized.how === 'delay') this.#delay = setTimeout(() => void send(), initialized.milliseconds);
    return null;
  }

  /** Cancels a delayed notification. */
  stop(): void {
    clearTimeout(this.#delay);
  }
}

/**
 * Opens the session again after the server has let it expire (MCP 2025-06-18 transports, session management).
 *
 * @throws FaultError when the server does not open another one
 */
export async function renewSession({
  peer,
  settings,
  before,
  statusAt,
  enter,
}: {
  readonly peer: Peer;
  readonly settings: HandshakeSettings;
  readonly before: Agreement | null;
  readonly statusAt: (row: number) => number | null;
  readonly enter: (reason: string) => void;
}): Promise<Agreement> {
  enter('the server let the session expire (HTTP status 404); initialize goes again');
  const revision = before?.revision ?? settings.revision;
  const again = { ...settings, revision, anyRevision: true };
  const outcome = await requestInitialize(peer, again).outcome;
  throwIfUnauthorized('initialize', outcome, statusAt);
  return readInitialized(outcome, again);
}

/** The HTTP statuses that demand authorization. */
export const authorizationStatuses: readonly number[] = [401, 403];

/** Throws if the HTTP status demands authorization, even with a JSON-RPC error: then no other transport is worth trying. */
export function throwIfUnauthorized(
  method: string,
  outcome: Outcome,
  statusAt: (row: number) => number | null,
): void {
  if (outcome.type !== 'error') return;
  const status = statusAt(outcome.recorded.row);
  if (status === null || !authorizationStatuses.includes(status)) return;
  const { evidence, what } = outcomeFault(method, outcome);
  const fault = statusFault(
    status,
    `The server answered ${method} with HTTP status ${status}.`,
    outcome.challenge,
  );
  const why = [outcome.delivery, fault.why].filter(Boolean).join(' ');
  throw new FaultError({
    ...fault,
    ...(why !== '' && { why }),
    evidence: evidence === undefined ? what : `${what}\n${evidence}`,
  });
}

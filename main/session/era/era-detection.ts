import { withTimeout } from '#transports/async.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { EraChoice, HttpSettings } from '#shared/contract/servers.ts';
import type { Agreement } from '#shared/contract/sessions.ts';
import { errorCodes } from '#shared/protocol/jsonrpc.ts';
import { eraOf } from '#shared/protocol/revisions.ts';
import type { PhaseName } from '#shared/trace/record.ts';
import type { HttpTransport } from '#transports/http-transport.ts';
import { statusFault } from '#transports/http-response-faults.ts';
import { type HandshakeSettings, legacyRevision, readInitialized, requestInitialize } from './legacy-era.ts';
import { modernRevision, readDiscovery, requestDiscover, assumedAgreement } from './modern-era.ts';
import { endedBeforeAnswer, noCommonRevision } from './open-fault.ts';
import { type Outcome, outcomeFault } from '#session/rpc/request.ts';
import type { Peer, PendingRequest } from '#session/rpc/peer.ts';

/** Milliseconds without a response to `server/discover` until `initialize` is sent, too. */
const DISCOVER_TIMEOUT = 3000;

/** What the detection of era and transport needs. */
export interface DetectionContext {
  readonly peer: Peer;
  /** The transport, if it is HTTP: it can fall back to HTTP+SSE. */
  readonly http: HttpTransport | null;
  readonly httpTransport: HttpSettings['transport'];
  readonly era: EraChoice;
  readonly settings: HandshakeSettings;
  /** The HTTP status of the exchange in this row; null if there is none. */
  statusAt(row: number): number | null;
  /** The next row of the trace. */
  nextRow(): number;
  /** Enters a phase. */
  enter(phase: PhaseName, reason: string): void;
  /** Adds a step of the detection; `row` shows it. */
  note(text: string, row: number | null): void;
}

/**
 * Detects the era of the server, and over HTTP its transport, unless the user has chosen them. Uses one
 * connection and starts nothing twice (MCP 2026-07-28 versioning, backward
 * compatibility; transports stdio and Streamable HTTP, backward compatibility).
 *
 * @throws FaultError if no session could be opened
 */
export async function agree(context: DetectionContext): Promise<Agreement> {
  if (context.http !== null && context.httpTransport === 'http-sse') {
    await openSse(context, 'HTTP+SSE is set for this server, and has only the legacy era');
    return initialize(context, 'HTTP+SSE');
  }
  const { era, settings } = context;
  const pinned = settings.revision === null ? null : eraOf(settings.revision);
  if (era === 'modern') {
    const agreement = assumedAgreement(settings);
    context.note(`The modern era is set for this server: revision ${agreement.revision}, no probe.`, null);
    return agreement;
  }
  if (era === 'legacy') return initialize(context, 'the legacy era is set for this server');
  if (pinned === 'legacy') return initialize(context, `revision ${settings.revision} is set for this server`);
  return detect(context);
}

async function detect(context: DetectionContext): Promise<Agreement> {
  context.enter('detecting', 'asking server/discover, which only the modern era has');
  const discover = askDiscover(context);
  context.note('Asked server/discover, which only the modern era has.', discover.row);
  const answer = await withTimeout(DISCOVER_TIMEOUT, discover.outcome);
  if (answer !== null) return afterDiscover(context, answer);
  return raceWithInitialize(context, discover);
}

const askDiscover = ({ peer, settings: { timeout } }: DetectionContext): PendingRequest =>
  requestDiscover(peer, { origin: 'probe', timeout, maxTimeout: timeout });

/** Continues once the probe has its response. @param isSecond whether this was the probe with another revision */
async function afterDiscover(
  context: DetectionContext,
  answer: Outcome,
  isSecond = false,
): Promise<Agreement> {
  const { settings } = context;
  if (answer.type === 'failed' && isFinal(answer.fault)) throw new FaultError(answer.fault);
  throwIfUnauthorized(context, 'server/discover', answer);
  if (answer.type === 'closed') throw new FaultError(endedBy(answer.reason, settings));
  const discovery = readDiscovery(answer, settings);
  const row = rowOf(answer);
  switch (discovery.says) {
    case 'modern':
      context.note(`${wordsOf(answer)}: the server is of the modern era.`, row);
      return discovery.agreement;
    case 'other-revisions': {
      const { supported } = discovery;
      const legacy = supported.filter((revision) => eraOf(revision) === 'legacy');
      const list = supported.join(', ') || 'no revision';
      context.note(`${wordsOf(answer)}: the server is of the modern era, and supports ${list}.`, row);
      if (!isSecond && supported.includes(modernRevision(settings))) {
        // A rejected request is repeated with a common revision (MCP 2026-07-28 versioning), which may be the same.
        const again = askDiscover(context);
        context.note('Asked once more with a revision that it supports.', again.row);
        return afterDiscover(context, await again.outcome, true);
      }
      if (legacy.length === 0) throw noCommonRevision(modernRevision(settings), supported);
      return initialize(context, `of these, ${legacy.join(', ')} have initialize`);
    }
    case 'legacy':
      context.note(`${wordsOf(answer)}: no answer of the modern era.`, row);
      return initialize(context, 'server/discover was not understood, so the legacy era is tried');
  }
}

/** The probe and `initialize` are both pending; the first success decides. */
async function raceWithInitialize(context: DetectionContext, discover: PendingRequest): Promise<Agreement> {
  const { peer, settings } = context;
  context.enter('initializing', 'initialize goes beside the unanswered server/discover');
  // Sent as a probe, because a modern server may reject `initialize`, and that is not an error.
  const initializing = requestInitialize(peer, settings, 'probe');
  context.note(
    `No answer to server/discover after ${DISCOVER_TIMEOUT / 1000} s, so initialize with revision ${legacyRevision(settings)} goes beside it.`,
    initializing.row,
  );
  const first = await Promise.race([
    discover.outcome.then((outcome) => ({ of: 'discover' as const, outcome })),
    initializing.outcome.then((outcome) => ({ of: 'initialize' as const, outcome })),
  ]);
  if (first.of === 'discover') {
    if (readDiscovery(first.outcome, settings).says === 'legacy') {
      context.note(`${wordsOf(first.outcome)}: no answer of the modern era.`, rowOf(first.outcome));
      return finishInitialize(context, await initializing.outcome, initializing.row);
    }
    // `initialize` must not be cancelled, so it is ignored from now on.
    initializing.abandon();
    return afterDiscover(context, first.outcome);
  }
  if (first.outcome.type !== 'result') {
    context.note(`initialize failed. ${wordsOf(first.outcome)}.`, rowOf(first.outcome) ?? initializing.row);
    const late = await discover.outcome;
    if (readDiscovery(late, settings).says !== 'legacy') return afterDiscover(context, late);
    return finishInitialize(context, first.outcome, initializing.row);
  }
  context.note('initialize was answered first: the server is of the legacy era.', first.outcome.recorded.row);
  discover.cancel('initialize was answered first');
  return readInitialized(first.outcome, settings);
}

async function initialize(context: DetectionContext, why: string): Promise<Agreement> {
  context.enter('initializing', why);
  const pending = requestInitialize(context.peer, context.settings);
  context.note(`Sent initialize with revision ${legacyRevision(context.settings)}: ${why}.`, pending.row);
  return finishInitialize(context, await pending.outcome, pending.row);
}

/** @param row the row of the request */
async function finishInitialize(context: DetectionContext, answer: Outcome, row: number): Promise<Agreement> {
  const status = context.statusAt(row);
  throwIfUnauthorized(context, 'initialize', answer);
  if (!wantsSse(context, answer, status)) {
    const agreement = readInitialized(answer, context.settings);
    context.note(`initialize was answered: revision ${agreement.revision} is in force.`, rowOf(answer));
    return agreement;
  }
  try {
    await openSse(context, `initialize was refused with HTTP status ${status}, so HTTP+SSE is tried`);
  } catch (error) {
    throw error instanceof FaultError ? new FaultError(neitherWay(answer, context, error.fault)) : error;
  }
  return initialize(context, 'HTTP+SSE has only the legacy era');
}

/** Whether to try HTTP+SSE: a server that has only that rejects the POST, without an MCP error (MCP 2026-07-28 Streamable HTTP). */
function wantsSse(
  { http, httpTransport }: DetectionContext,
  answer: Outcome,
  status: number | null,
): boolean {
  if (http === null || http.mode === 'http-sse' || httpTransport !== 'auto') return false;
  if (answer.type !== 'failed' && answer.type !== 'error') return false;
  if (answer.type === 'error' && mcpErrors.includes(answer.error.code)) return false;
  return status !== null && fallBackStatuses.includes(status);
}

/** The HTTP statuses with which such a server rejects it. */
const fallBackStatuses: readonly number[] = [400, 404, 405];

/** Codes with which only an MCP endpoint responds. The revisions disagree about all others. */
const mcpErrors: readonly number[] = [
  errorCodes.methodNotFound,
  errorCodes.invalidParams,
  errorCodes.headerMismatch,
  errorCodes.missingClientCapability,
  errorCodes.unsupportedProtocolVersion,
];

async function openSse(context: DetectionContext, why: string): Promise<void> {
  context.enter('detecting', why);
  const row = context.nextRow();
  const opening = context.http?.openSse();
  context.note(`Asked by GET for an event stream: ${why}.`, row);
  await opening;
  context.note('The stream said where to send messages: the server speaks HTTP+SSE.', row);
}

const authorization: readonly number[] = [401, 403];

/** Throws if the HTTP status demands authorization, even with a JSON-RPC error: then no other transport is worth trying. */
function throwIfUnauthorized(context: DetectionContext, method: string, answer: Outcome): void {
  if (answer.type !== 'error') return;
  const status = context.statusAt(answer.recorded.row);
  if (status === null || !authorization.includes(status)) return;
  const { evidence, what } = outcomeFault(method, answer);
  const fault = statusFault(
    status,
    `The server answered ${method} with HTTP status ${status}.`,
    answer.challenge,
  );
  const why = [answer.delivery, fault.why].filter(Boolean).join(' ');
  throw new FaultError({
    ...fault,
    ...(why !== '' && { why }),
    evidence: evidence === undefined ? what : `${what}\n${evidence}`,
  });
}

/** Faults that say nothing about the era: any other attempt would fail in the same way. */
const finalFaults: ReadonlySet<string> = new Set([
  ...authorization.map((status) => `http-status-${status}`),
  'http-redirect',
  'http-lookup',
  'http-connect',
  'http-proxy',
  'http-tls',
  'http-request',
  'http-response',
]);

const isFinal = ({ code }: Fault): boolean => finalFaults.has(code);

const rowOf = (outcome: Outcome): number | null =>
  'recorded' in outcome ? outcome.recorded.row : outcome.type === 'failed' ? outcome.row : null;

/** The outcome of a request, as the beginning of a sentence. */
function wordsOf(outcome: Outcome): string {
  switch (outcome.type) {
    case 'result':
      return 'Answered with a result';
    case 'error':
      return `Answered with error ${outcome.error.code}`;
    case 'invalid':
      return 'Answered with what is no JSON-RPC message';
    case 'failed':
      return outcome.fault.what.replace(/\.$/, '');
    case 'timeout':
      return 'Not answered in time';
    case 'cancelled':
      return 'Cancelled';
    case 'closed':
      return `The server ended. ${outcome.reason}`;
  }
}

const endedBy = (reason: string, { recentStderr, received }: HandshakeSettings): Fault =>
  endedBeforeAnswer(`The server ended before it answered anything. ${reason}`, received(), recentStderr(), {
    why: 'It printed nothing to say why. It may have crashed on server/discover, the first request it was sent.',
    next: 'Run the command in a terminal to see whether it starts. If it does, set the era of this server to legacy.',
  });

/** The fault if both transports failed: that of the GET, which came last and usually explains best, with the POST as evidence. */
const neitherWay = (answer: Outcome, { settings }: DetectionContext, fault: Fault): Fault => ({
  ...fault,
  what: 'The server speaks neither Streamable HTTP nor HTTP+SSE at this address.',
  why: [fault.what, fault.why].filter(Boolean).join(' '),
  evidence: [`POST of initialize ${legacyRevision(settings)}: ${wordsOf(answer)}`, fault.evidence]
    .filter(Boolean)
    .join('\n'),
});

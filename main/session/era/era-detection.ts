import { withTimeout } from '#transports/async.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { EraChoice, HttpSettings, StartNeed } from '#shared/contract/servers.ts';
import type { Agreement } from '#shared/contract/sessions.ts';
import { errorCodes } from '#shared/protocol/jsonrpc.ts';
import { eraOf } from '#shared/protocol/revisions.ts';
import type { PhaseName } from '#shared/trace/record.ts';
import type { HttpTransport } from '#transports/http-transport.ts';
import {
  authorizationStatuses,
  type HandshakeSettings,
  initializeFault,
  legacyRevision,
  namesRevisions,
  readInitialized,
  requestInitialize,
  throwIfUnauthorized,
} from './legacy-era.ts';
import { modernRevision, readDiscovery, requestDiscover, assumedAgreement } from './modern-era.ts';
import { endedBeforeAnswer, noCommonRevision, OpenFault } from './open-fault.ts';
import type { Outcome } from '#session/rpc/request.ts';
import type { Peer, PendingRequest } from '#session/rpc/peer.ts';
import type { KnownStart } from '#session/start-need.ts';

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
  /** What earlier starts of the server showed. */
  readonly known: KnownStart;
  /** Ends the server's process and starts another one. Null if that is not possible, or was done. @throws FaultError */
  readonly restart: (() => Promise<void>) | null;
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
 * Detects the era of the server, and over HTTP its transport, unless the user has chosen them (MCP 2026-07-28 versioning,
 * backward compatibility; transports stdio and Streamable HTTP, backward compatibility). Uses one connection. A process that
 * does not survive the probe is started a second time, in the legacy era.
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

function detect(context: DetectionContext): Promise<Agreement> {
  const { restart, known } = context;
  const isKnown = restart !== null && known.need !== null;
  return isKnown ? startWithoutProbe(context, restart, known.need) : probe(context);
}

/** Starts with `initialize`, because the server needed that before; if it fails, what is remembered is wrong. */
async function startWithoutProbe(
  context: DetectionContext,
  restart: () => Promise<void>,
  need: StartNeed,
): Promise<Agreement> {
  const { peer, settings, known } = context;
  const since = new Date(need.at).toISOString().slice(0, 10);
  context.enter('initializing', 'the server needed to be started without server/discover before');
  const pending = requestInitialize(peer, settings);
  context.note(
    `Sent initialize with revision ${legacyRevision(settings)} and no server/discover: on ${since} this server did not connect with it. Remembered with the server until its command, its program or its version changes, or for a week.`,
    pending.row,
  );
  const answer = await pending.outcome;
  if (isFailedHandshake(answer)) {
    context.enter('initializing', 'the server is started again, with server/discover');
    await known.forget();
    context.note(
      `${wordsOf(answer)}. So what was remembered is forgotten, and the server started again with server/discover.`,
      rowOf(answer) ?? pending.row,
    );
    await restart();
    return probe({ ...context, restart: null });
  }
  const agreement = await finishInitialize(context, answer, pending.row);
  if (await known.forgetIfOther(agreement)) {
    const text = 'The server has another name or version than before, so its next start is probed again.';
    context.note(text, rowOf(answer));
  }
  return agreement;
}

async function probe(context: DetectionContext): Promise<Agreement> {
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
  throwIfUnauthorized('server/discover', answer, context.statusAt);
  if (answer.type === 'closed') {
    if (context.restart === null) throw new FaultError(endedBy(answer.reason, settings));
    return startAgain(context, context.restart, answer);
  }
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
      return initializeAfterProbe(context, answer, `of these, ${legacy.join(', ')} have initialize`);
    }
    case 'legacy':
      context.note(`${wordsOf(answer)}: no answer of the modern era.`, row);
      return initializeAfterProbe(context, answer);
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
      return finishAfterProbe(context, first.outcome, await initializing.outcome, initializing.row);
    }
    // `initialize` must not be cancelled, so it is ignored from now on.
    initializing.abandon();
    return afterDiscover(context, first.outcome);
  }
  if (first.outcome.type !== 'result') {
    context.note(`initialize failed. ${wordsOf(first.outcome)}.`, rowOf(first.outcome) ?? initializing.row);
    // A process is started again soon; over HTTP the answer to the probe is all there is to wait for.
    const late =
      context.restart === null
        ? await discover.outcome
        : await withTimeout(DISCOVER_TIMEOUT, discover.outcome);
    if (late === null)
      return finishAfterProbe(context, { type: 'cancelled' }, first.outcome, initializing.row);
    if (readDiscovery(late, settings).says !== 'legacy') return afterDiscover(context, late);
    return finishAfterProbe(context, late, first.outcome, initializing.row);
  }
  context.note('initialize was answered first: the server is of the legacy era.', first.outcome.recorded.row);
  discover.cancel('initialize was answered first');
  return readInitialized(first.outcome, settings);
}

async function initialize(context: DetectionContext, why: string): Promise<Agreement> {
  const pending = sendInitialize(context, why);
  return finishInitialize(context, await pending.outcome, pending.row);
}

function sendInitialize(context: DetectionContext, why: string): PendingRequest {
  context.enter('initializing', why);
  const pending = requestInitialize(context.peer, context.settings);
  context.note(`Sent initialize with revision ${legacyRevision(context.settings)}: ${why}.`, pending.row);
  return pending;
}

async function initializeAfterProbe(
  context: DetectionContext,
  probed: Outcome,
  why = 'server/discover was not understood, so the legacy era is tried',
): Promise<Agreement> {
  const pending = sendInitialize(context, why);
  return finishAfterProbe(context, probed, await pending.outcome, pending.row);
}

/**
 * Some servers and bridges fail `initialize` only because the probe came first, and say so in any way, or end without a word. So
 * the server is started again without the probe, unless the failure has another cause.
 *
 * @param row the row of the request
 */
async function finishAfterProbe(
  context: DetectionContext,
  probed: Outcome,
  answer: Outcome,
  row: number,
): Promise<Agreement> {
  const { restart } = context;
  // A server that answers neither may still be starting, and would then take the same time once more.
  const isRefused = probed.type !== 'timeout' && probed.type !== 'cancelled';
  const mayBeCured = isFailedHandshake(answer) || (answer.type === 'timeout' && isRefused);
  if (restart !== null && mayBeCured && !namesRevisions(answer)) return startAgain(context, restart, answer);
  if (restart !== null && answer.type === 'timeout')
    throw withEraAdvice(initializeFault(answer, context.settings));
  return finishInitialize(context, answer, row);
}

/** The fault of a process that answered neither request. */
function withEraAdvice({ fault, remedies }: OpenFault): OpenFault {
  const advice = 'If it answers a client that sends initialize first, set the era of this server to legacy.';
  return new OpenFault({ ...fault, next: [fault.next, advice].filter(Boolean).join(' ') }, remedies);
}

/** Starts the server once more, in the legacy era without the probe. @param failure of the handshake before */
async function startAgain(
  context: DetectionContext,
  restart: () => Promise<void>,
  failure: Outcome,
): Promise<Agreement> {
  const { known } = context;
  const what =
    failure.type === 'closed'
      ? 'The server did not survive server/discover'
      : 'initialize failed after server/discover';
  context.enter('initializing', 'the server is started again, without server/discover');
  context.note(
    `${what}. ${wordsOf(failure)}. So the server is started again in the legacy era, without server/discover.`,
    rowOf(failure),
  );
  await restart();
  const agreement = await initialize(context, 'the server was started again without server/discover');
  await known.remember(agreement);
  return agreement;
}

const isFailedHandshake = ({ type }: Outcome): boolean =>
  type === 'closed' || type === 'error' || type === 'invalid' || type === 'failed';

/** @param row the row of the request */
async function finishInitialize(context: DetectionContext, answer: Outcome, row: number): Promise<Agreement> {
  const status = context.statusAt(row);
  throwIfUnauthorized('initialize', answer, context.statusAt);
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

/**
 * Faults that say nothing about the era: any other attempt would fail in the same way. A connection that the server closes
 * without a response is none of them: some do that for a method that they do not know.
 */
const finalFaults: ReadonlySet<string> = new Set([
  ...authorizationStatuses.map((status) => `http-status-${status}`),
  'http-redirect',
  'http-lookup',
  'http-connect',
  'http-proxy',
  'http-tls',
  'http-request',
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
      return outcome.reason.replace(/\.$/, '');
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

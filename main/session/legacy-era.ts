import { z } from 'zod';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { type Agreement, type Implementation, implementationSchema } from '#shared/contract/sessions.ts';
import { errorCodes } from '#shared/protocol/error-codes.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { legacyRevisions, newestLegacyRevision } from '#shared/protocol/revisions.ts';
import { type Outcome, outcomeFault, type Peer } from './peer.ts';

export interface HandshakeSettings {
  /** The revision to ask for; null is the newest. */
  readonly revision: string | null;
  /** Milliseconds the server may take to answer `initialize`. */
  readonly timeout: number;
  readonly client: Implementation;
  readonly clientCapabilities: Record<string, unknown>;
  /** The last lines of stderr, to explain a failure. */
  readonly recentStderr: () => readonly string[];
}

/** Text that may be missing: something else in its place is on the record, and no reason not to connect. */
const optionalText = z.string().optional().catch(undefined);

/** What `initialize` must be answered with (MCP lifecycle, initialization). */
const initializeResultSchema = z.object({
  protocolVersion: z.string(),
  capabilities: z.record(z.string(), z.unknown()),
  serverInfo: implementationSchema.extend({
    title: optionalText,
    description: optionalText,
    websiteUrl: optionalText,
  }),
  instructions: optionalText,
});

/** Opens a session of the legacy era: `initialize`, version negotiation, `notifications/initialized`. */
export async function openLegacyEra(peer: Peer, settings: HandshakeSettings): Promise<Agreement> {
  const requestedRevision = settings.revision ?? newestLegacyRevision;
  const { client, clientCapabilities, timeout } = settings;
  const params = { protocolVersion: requestedRevision, capabilities: clientCapabilities, clientInfo: client };
  const { outcome } = peer.request('initialize', () => JSON.stringify(params), {
    origin: 'automatic',
    timeout,
    maxTimeout: timeout,
  });
  const answer = await outcome;
  if (answer.type !== 'result') throw new FaultError(explainFailure(answer, requestedRevision, settings));
  const parsed = initializeResultSchema.safeParse(answer.result);
  if (!parsed.success) throw new FaultError(badResult(parsed.error, answer.result));
  const { protocolVersion, capabilities, serverInfo, instructions } = parsed.data;
  if (!legacyRevisions.some((revision) => revision === protocolVersion)) {
    throw new FaultError(unsupportedRevision(requestedRevision, protocolVersion));
  }
  peer.notify('notifications/initialized', undefined, 'automatic');
  return {
    era: 'legacy',
    requestedRevision,
    revision: protocolVersion,
    server: serverInfo,
    instructions: instructions ?? null,
    serverCapabilities: capabilities,
    client,
    clientCapabilities,
    handshake: answer.seen.duration ?? 0,
  };
}

type Failure = Exclude<Outcome, { type: 'result' }>;

function explainFailure(outcome: Failure, requested: string, settings: HandshakeSettings): Fault {
  const stderr = settings.recentStderr().join('\n');
  const evidence = stderr === '' ? {} : { evidence: stderr };
  const supported = refusedRevision(outcome);
  if (supported !== null) {
    return {
      code: 'revision-refused',
      what: `The server does not speak revision ${requested}.`,
      why: `It says that it supports ${supported.join(', ')}.`,
      next: 'Choose one of these revisions in the server settings and connect again.',
    };
  }
  switch (outcome.type) {
    case 'timeout':
      return {
        code: 'initialize-timeout',
        what: `The server did not answer initialize within ${settings.timeout / 1000} s.`,
        why: 'It may still be starting (a package runner can take half a minute), it may wait for something on its terminal, or it is no MCP server.',
        next: 'Look at the trace for what it printed, run the command in a terminal, or allow more time in the server settings.',
        ...evidence,
      };
    case 'closed':
      return {
        code: 'ended-before-initialize',
        what: `The server ended before it answered initialize. ${outcome.reason}`,
        why: stderr === '' ? 'It printed nothing to say why.' : 'Its last words are below.',
        next: 'Run the command in a terminal to see whether it starts, and check its arguments, working folder and environment.',
        ...evidence,
      };
    case 'error':
    case 'invalid':
    case 'cancelled':
      return { ...outcomeFault('initialize', outcome), ...evidence };
  }
}

/** The revisions a server names when it refuses ours (MCP lifecycle, error handling). */
function refusedRevision(outcome: Failure): string[] | null {
  if (outcome.type !== 'error' || outcome.error.code !== errorCodes.invalidParams) return null;
  const { data } = outcome.error;
  if (!isObject(data) || !Array.isArray(data.supported)) return null;
  return data.supported.filter((version) => typeof version === 'string');
}

function badResult(error: z.ZodError, result: unknown): Fault {
  const problems = error.issues.map(({ path, message }) => `${path.join('.') || 'result'}: ${message}`);
  return {
    code: 'initialize-bad-result',
    what: "The server's answer to initialize lacks what it must have.",
    why: problems.join('; '),
    next: 'Compare the answer with the InitializeResult of the specification.',
    evidence: JSON.stringify(result, null, 2),
  };
}

const unsupportedRevision = (requested: string, answered: string): Fault => ({
  code: 'revision-unsupported',
  what: `The server wants to speak revision "${answered}", which this app cannot speak with initialize.`,
  why: `We asked for ${requested}. A server that does not know a revision answers with one it supports.`,
  next: `Revisions with initialize: ${legacyRevisions.join(', ')}.`,
});

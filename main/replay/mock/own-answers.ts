import { listMethods } from '#shared/contract/catalog.ts';
import { memberText } from '#shared/json/members.ts';
import { mayHaveCapability } from '#shared/protocol/capabilities.ts';
import { errorCodes, isObject } from '#shared/protocol/jsonrpc.ts';
import { capabilityOf } from '#shared/protocol/methods.ts';
import { methodNotFound } from '#shared/protocol/rejections.ts';
import { newestModernRevision } from '#shared/protocol/revisions.ts';
import type { Miss } from './matcher.ts';
import type { ForwardedAnswer } from './mock.ts';
import type { Recording } from './recording.ts';

/**
 * The answer to a request that needs no recording; null to any other. A ping; the handshake of the other era, which the recorded server
 * does not speak; and `server/discover`, which a client whose era is pinned has not sent.
 */
export async function ownAnswer(
  method: string,
  { nearest }: Miss,
  recordings: readonly Recording[],
): Promise<ForwardedAnswer | null> {
  if (method === 'ping') return { member: 'result', json: '{}' };
  if (nearest !== null || (method !== 'server/discover' && method !== 'initialize')) return null;
  const [recording] = recordings;
  return method === 'server/discover' && recording?.era === 'modern'
    ? { member: 'result', json: await discoveryOf(recording) }
    : { member: 'error', json: JSON.stringify(methodNotFound(method)) };
}

/**
 * The error for a request that was not recorded. A client takes an unknown method for a list that the server does not have, so a list
 * that was not read has another error.
 */
export async function missError(
  method: string,
  { reason, why, nearest, differences }: Miss,
  recordings: readonly Recording[],
): Promise<ForwardedAnswer> {
  const isUnread = nearest === null && (await mayHaveList(method, recordings));
  const recorded = nearest === null ? null : { file: nearest.recording.name, row: nearest.row };
  const code = nearest === null && !isUnread ? errorCodes.methodNotFound : errorCodes.internalError;
  const data = { mock: reason, nearest: recorded, differences };
  const message = `sightglass mock: ${why}${isUnread ? ' What the server lists is not known.' : ''}`;
  return { member: 'error', json: JSON.stringify({ code, message, data }) };
}

/** Whether a method reads a list that a recorded server has, or may have because it declared nothing. */
async function mayHaveList(method: string, recordings: readonly Recording[]): Promise<boolean> {
  const capability = Object.values<string>(listMethods).includes(method) ? capabilityOf(method) : null;
  if (capability === null) return false;
  for (const recording of recordings) {
    const capabilities = await declaredIn(recording);
    if (capabilities === null || mayHaveCapability(capabilities, capability)) return true;
  }
  return false;
}

/** The capabilities that the server of a recording declared; null if the recording does not have them. */
async function declaredIn(recording: Recording): Promise<Readonly<Record<string, unknown>> | null> {
  const handshake = recording.requests.find(
    ({ method, hasResponse }) => hasResponse && (method === 'initialize' || method === 'server/discover'),
  );
  const response = handshake?.steps.find(({ kind }) => kind === 'respond');
  if (response === undefined) return null;
  const written = memberText(await recording.text(response.row), ['result', 'capabilities']);
  const capabilities: unknown = written === null ? null : JSON.parse(written);
  return isObject(capabilities) ? capabilities : null;
}

const revisionPath = ['params', '_meta', 'io.modelcontextprotocol/protocolVersion'];
const serverInfoKey = 'io.modelcontextprotocol/serverInfo';

/** What the server of a recording would say about itself, as far as its answers show (MCP 2026-07-28 server/discover). */
async function discoveryOf(recording: Recording): Promise<string> {
  const answered = recording.requests.filter(({ hasResponse }) => hasResponse);
  const [first] = answered;
  const capabilities = new Set(
    answered.map(({ method }) => capabilityOf(method)).filter((name) => name !== null),
  );
  const revision = first === undefined ? null : memberText(await recording.text(first.row), revisionPath);
  const response = first?.steps.find(({ kind }) => kind === 'respond');
  const serverInfo =
    response === undefined
      ? null
      : memberText(await recording.text(response.row), ['result', '_meta', serverInfoKey]);
  return JSON.stringify({
    resultType: 'complete',
    supportedVersions: [revision === null ? newestModernRevision : String(JSON.parse(revision))],
    capabilities: Object.fromEntries([...capabilities].map((name) => [name, {}])),
    ttlMs: 0,
    cacheScope: 'private',
    ...(serverInfo !== null && { _meta: { [serverInfoKey]: JSON.parse(serverInfo) as unknown } }),
  });
}

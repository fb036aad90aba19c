import { memberText } from '#shared/json/members.ts';
import { errorCodes } from '#shared/protocol/jsonrpc.ts';
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

/** The error for a request that was not recorded. */
export function missError({ reason, why, nearest, differences }: Miss): ForwardedAnswer {
  const recorded = nearest === null ? null : { file: nearest.recording.name, row: nearest.row };
  const code = nearest === null ? errorCodes.methodNotFound : errorCodes.internalError;
  const data = { mock: reason, nearest: recorded, differences };
  return { member: 'error', json: JSON.stringify({ code, message: `sightglass mock: ${why}`, data }) };
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

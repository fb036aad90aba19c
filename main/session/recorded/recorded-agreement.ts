import { z } from 'zod';
import { assumedAgreement, metaOf, readDiscovery, serverInfoOf } from '#session/era/modern-era.ts';
import { readInitialized } from '#session/era/legacy-era.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { type Agreement, implementationSchema } from '#shared/contract/sessions.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { RecordedRequests } from './recorded-requests.ts';

const unknownClient = { name: 'unknown', version: '' };
const capabilities = z.record(z.string(), z.unknown()).catch({});

/** What a request of the client says about the client. */
const clientSchema = z.object({
  revision: z.string().nullable().catch(null),
  client: implementationSchema.catch(unknownClient),
  clientCapabilities: capabilities,
});

/** The first responses searched for the server's info, which a modern server may send with any result. */
const MAX_SEARCHED = 50;

/**
 * What both sides agreed on, from the recorded handshake: the first response that settled the era, and in the legacy
 * era the last `initialize`. Null if there was none.
 *
 * @param isWithoutHandshake the session became ready although the trace may hold no handshake
 */
export async function recordedAgreement(
  requests: RecordedRequests,
  isWithoutHandshake: boolean,
): Promise<Agreement | null> {
  const { columns } = requests.trace.index;
  const answered = [...requests.rows('server/discover'), ...requests.rows('initialize')]
    .map((row) => ({ row, answer: columns.pair(row) ?? Number.POSITIVE_INFINITY }))
    .sort((a, b) => a.answer - b.answer);
  let agreement: Agreement | null = null;
  for (const { row } of answered) {
    const isInitialize = columns.method(row) === 'initialize';
    if (agreement !== null && (agreement.era === 'modern' || !isInitialize)) continue;
    agreement =
      (isInitialize ? await readInitialize(requests, row) : await readDiscover(requests, row)) ?? agreement;
  }
  if (agreement === null && isWithoutHandshake) agreement = await assumed(requests);
  return agreement?.era === 'modern' && agreement.server === null
    ? { ...agreement, server: await laterServerInfo(requests) }
    : agreement;
}

async function readInitialize(requests: RecordedRequests, row: number): Promise<Agreement | null> {
  const outcome = await requests.outcome(row);
  if (outcome.type !== 'result') return null;
  const { params } = await requests.params(row);
  const sent = isObject(params) ? params : {};
  const { client, clientCapabilities, revision } = clientSchema.parse({
    revision: sent.protocolVersion,
    client: sent.clientInfo,
    clientCapabilities: sent.capabilities,
  });
  try {
    return readInitialized(outcome, {
      revision,
      anyRevision: true,
      timeout: 0,
      client,
      clientCapabilities: () => clientCapabilities,
      recentStderr: () => [],
      received: () => null,
    });
  } catch (error) {
    if (error instanceof FaultError) return null;
    throw error;
  }
}

async function readDiscover(requests: RecordedRequests, row: number): Promise<Agreement | null> {
  const discovery = readDiscovery(await requests.outcome(row), await modernSettings(requests, row));
  return discovery.says === 'modern' ? discovery.agreement : null;
}

/** Without a handshake the first request says what the client assumed. */
async function assumed(requests: RecordedRequests): Promise<Agreement | null> {
  if (requests.first === null) return null;
  const settings = await modernSettings(requests, requests.first);
  return settings.revision === null ? null : assumedAgreement(settings);
}

async function modernSettings(requests: RecordedRequests, row: number) {
  const { params } = await requests.params(row);
  const { client, clientCapabilities, revision } = clientSchema.parse(metaOf(params));
  return { revision, client, clientCapabilities: () => clientCapabilities };
}

async function laterServerInfo(requests: RecordedRequests): Promise<Agreement['server']> {
  const { columns } = requests.trace.index;
  let searched = 0;
  for (let row = 0; row < columns.count && searched < MAX_SEARCHED; row++) {
    const request =
      columns.kind(row) === 'result' && columns.direction(row) === 'in' ? columns.pair(row) : null;
    if (request === null) continue;
    searched++;
    const outcome = await requests.outcome(request);
    const server = outcome.type === 'result' ? serverInfoOf(outcome.result) : null;
    if (server !== null) return server;
  }
  return null;
}

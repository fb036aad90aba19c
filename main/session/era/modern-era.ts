import { z } from 'zod';
import { type Agreement, type Implementation, implementationSchema } from '#shared/contract/sessions.ts';
import { errorCodes, isObject } from '#shared/protocol/jsonrpc.ts';
import { newestModernRevision, supportedRevisions } from '#shared/protocol/revisions.ts';
import type { Outcome } from '#session/rpc/request.ts';
import type { Peer, PendingRequest, RequestOptions } from '#session/rpc/peer.ts';
import { serverCapabilitiesSchema } from './server-capabilities.ts';

const PREFIX = 'io.modelcontextprotocol/';
const SERVER_INFO = `${PREFIX}serverInfo`;

export interface ModernSettings {
  /** The revision to request; null for the newest. */
  readonly revision: string | null;
  readonly client: Implementation;
  /** The capabilities to declare for a revision. */
  readonly clientCapabilities: (revision: string) => Record<string, unknown>;
}

/** The revision that requests of the modern era declare. */
export const modernRevision = ({ revision }: Pick<ModernSettings, 'revision'>): string =>
  revision ?? newestModernRevision;

/** What `_meta` of every request holds (MCP 2026-07-28 basic, `_meta`). */
export const requestMeta = (settings: ModernSettings, logLevel: string | null): Record<string, unknown> => ({
  [`${PREFIX}protocolVersion`]: modernRevision(settings),
  [`${PREFIX}clientInfo`]: settings.client,
  [`${PREFIX}clientCapabilities`]: settings.clientCapabilities(modernRevision(settings)),
  ...(logLevel !== null && { [`${PREFIX}logLevel`]: logLevel }),
});

/** The members of `_meta` in the `params` of a recorded request, unchecked. */
export function metaOf(params: unknown): { revision: unknown; client: unknown; clientCapabilities: unknown } {
  const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
  return {
    revision: meta[`${PREFIX}protocolVersion`],
    client: meta[`${PREFIX}clientInfo`],
    clientCapabilities: meta[`${PREFIX}clientCapabilities`],
  };
}

/** Requests the server's info and capabilities (MCP 2026-07-28 server/discover). */
export const requestDiscover = (peer: Peer, options: RequestOptions): PendingRequest =>
  peer.request('server/discover', null, options);

const optionalText = z.string().optional().catch(undefined);

const discoverResultSchema = z.object({
  supportedVersions: z.array(z.string()),
  capabilities: serverCapabilitiesSchema,
  instructions: optionalText,
});

/** What the answer to `server/discover` says of the server's era. */
export type Discovery =
  | { readonly says: 'modern'; readonly agreement: Agreement }
  /** The server is modern, but has no revision that we support. */
  | { readonly says: 'other-revisions'; readonly supported: readonly string[] }
  /** Any other answer is that of a server that does not know the method. */
  | { readonly says: 'legacy' };

/** Reads the response. An error that only modern servers send shows the era just as a result does (MCP 2026-07-28 versioning). */
export function readDiscovery(outcome: Outcome, settings: ModernSettings): Discovery {
  if (outcome.type === 'error') return readError(outcome.error.code, outcome.error.data, settings);
  if (outcome.type !== 'result') return { says: 'legacy' };
  const parsed = discoverResultSchema.safeParse(outcome.result);
  if (!parsed.success) return { says: 'legacy' };
  const { supportedVersions, capabilities, instructions } = parsed.data;
  // A revision that the user chose is requested even if the server does not list it.
  if (settings.revision === null && !supportedVersions.includes(newestModernRevision)) {
    return { says: 'other-revisions', supported: supportedVersions };
  }
  return {
    says: 'modern',
    agreement: {
      ...assumedAgreement(settings),
      server: serverInfoOf(outcome.result),
      instructions: instructions ?? null,
      serverCapabilities: capabilities,
      supportedRevisions: supportedVersions,
      handshake: outcome.recorded.duration,
    },
  };
}

function readError(code: number, data: unknown, settings: ModernSettings): Discovery {
  if (code === errorCodes.unsupportedProtocolVersion) {
    return { says: 'other-revisions', supported: supportedRevisions(data) ?? [] };
  }
  const isModern = code === errorCodes.headerMismatch || code === errorCodes.missingClientCapability;
  return isModern ? { says: 'modern', agreement: assumedAgreement(settings) } : { says: 'legacy' };
}

/** The agreement that is assumed before the server has reported anything. */
export function assumedAgreement(settings: ModernSettings): Agreement {
  const revision = modernRevision(settings);
  return {
    era: 'modern',
    requestedRevision: revision,
    revision,
    server: null,
    instructions: null,
    serverCapabilities: null,
    supportedRevisions: [],
    client: settings.client,
    clientCapabilities: settings.clientCapabilities(revision),
    handshake: null,
  };
}

/** Who the server says it is, in `_meta` of any of its results. */
export function serverInfoOf(result: unknown): Implementation | null {
  if (!isObject(result) || !isObject(result._meta)) return null;
  const parsed = implementationSchema.safeParse(result._meta[SERVER_INFO]);
  return parsed.success ? parsed.data : null;
}

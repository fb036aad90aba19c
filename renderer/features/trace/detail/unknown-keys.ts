import { useRecordedSessions, useSessions } from '#model/sessions.ts';
import { useQuery } from '#model/use-query.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { isKnownRevision, type Revision } from '#shared/protocol/revisions.ts';
import type { TraceRow } from '#shared/trace/row.ts';

/** The keys of a result that its revision of MCP does not define. */
export interface UnknownKeys {
  /** JSON pointers (RFC 6901) into the message. */
  readonly pointers: readonly string[];
  readonly revision: string;
}

/** Characters; longer messages are not searched. */
const MAX_SEARCHED = 2_000_000;

/** The unknown keys of the shown message; none for messages other than results, and while it is not known. */
export function useUnknownKeys(
  sessionId: string,
  row: TraceRow,
  { text, isTruncated }: { readonly text: string; readonly isTruncated: boolean },
): UnknownKeys {
  const live = useSessions(({ sessions }) => sessions[sessionId]?.agreement?.revision);
  const recorded = useRecordedSessions((sessions) => sessions[sessionId]?.agreement?.revision);
  const revision = live ?? recorded ?? '';
  const { kind, method, direction } = row;
  const isSearched = kind === 'result' && !isTruncated && text.length < MAX_SEARCHED;
  const key = isSearched ? JSON.stringify([sessionId, row.row, text.length, revision]) : null;
  const { result } = useQuery(key, async () => {
    if (method === null || !isKnownRevision(revision)) return none;
    const from = direction === 'out' ? 'client' : 'server';
    return { pointers: await search(text, { revision, method, from }), revision };
  });
  return result ?? none;
}

const none: UnknownKeys = { pointers: [], revision: '' };

async function search(
  text: string,
  context: {
    readonly revision: Revision;
    readonly method: string | null;
    readonly from: 'client' | 'server';
  },
): Promise<string[]> {
  // The schemas are not needed for the first render.
  const { unknownResultKeys } = await import('#shared/protocol/schemas/unknown-keys.ts');
  const message: unknown = JSON.parse(text);
  return isObject(message) ? unknownResultKeys(message.result, context) : [];
}

import { ChevronRight } from 'lucide-react';
import { call } from '#bridge';
import { compareWithFile } from '#model/replay.ts';
import { useSessionBefore } from '#model/session-before.ts';
import { useQuery } from '#model/use-query.ts';
import { type DefinitionPart, definitionParts } from '#shared/contract/definitions.ts';
import { formatMinute } from '#shared/format.ts';
import { ChangeList, changeCounts } from '#ui/list-notice.tsx';

const labels: Readonly<Record<DefinitionPart, string>> = {
  handshake: 'Handshake',
  tools: 'Tools',
  resources: 'Resources',
  templates: 'Resource templates',
  prompts: 'Prompts',
};

/**
 * What a server defines differently from its last connection. Nothing before its lists are read, and nothing if it was not connected
 * before.
 */
export function DefinitionChanges({ sessionId }: { readonly sessionId: string }) {
  const { result } = useQuery(sessionId, () => call('sessions/changes', { sessionId }));
  const before = useSessionBefore(sessionId);
  if (result === null) return null;
  const { since, changes } = result;
  const parts = definitionParts.filter((part) => changes[part] !== undefined);
  return (
    <section aria-label="Since the last connection">
      <h3 className="caption mb-1">
        Since the last connection{' '}
        <span className="font-normal tracking-normal text-faint normal-case">{formatMinute(since)}</span>
      </h3>
      {before !== null && (
        <button
          type="button"
          onClick={() => void compareWithFile(sessionId, before)}
          className="mb-1 text-key underline-offset-2 hover:underline"
        >
          Compare with the session before
        </button>
      )}
      {parts.length === 0 && <p className="text-mute">The server defines the same.</p>}
      {parts.map((part) => {
        const found = changes[part];
        return (
          found !== undefined && (
            <details key={part} className="group">
              <summary className="flex min-h-row list-none items-center gap-1 rounded-sm hover:bg-hover [&::-webkit-details-marker]:hidden">
                <ChevronRight
                  aria-hidden
                  className="size-3 text-faint transition-transform group-open:rotate-90"
                />
                {labels[part]}: <span className="text-warn">{changeCounts(found)}</span>
              </summary>
              <div className="ml-4 text-sm">
                <ChangeList changes={found} />
              </div>
            </details>
          )
        );
      })}
    </section>
  );
}

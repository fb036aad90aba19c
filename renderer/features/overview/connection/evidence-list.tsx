import type { SessionView } from '#shared/contract/sessions.ts';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '../row-link.tsx';

/** What led to era and transport, step by step, in the words of the engine. */
export function EvidenceList({ session }: { readonly session: SessionView }) {
  const { id, evidence } = session;
  if (evidence.length === 0) return null;
  return (
    <ol aria-label="Evidence" className="flex flex-col">
      {evidence.map(({ text, row }, place) => (
        <li key={place} className="grid min-h-6 grid-cols-[20px_minmax(0,1fr)] items-baseline gap-x-1 py-0.5">
          <span aria-hidden className="mono text-xs text-faint">
            {place + 1}
          </span>
          <span>
            <PlainText inline text={text} className="text-mute" />
            {row !== null && (
              <>
                {' '}
                <RowLink sessionId={id} row={row} />
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

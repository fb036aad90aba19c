import { selectTraceRow } from '#model/selection.ts';
import { Button } from '#ui/button.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { SeverityIcon } from '#ui/severity.tsx';
import { visibleLine } from '#ui/visible.ts';
import { lineOf, type PlacedWarning } from './message-check.ts';

/** Warnings shown at once; more are counted. */
const MAX_SHOWN = 20;

/** Which rules the message would break. A click leads to the place in the text. */
export function Warnings({
  sessionId,
  text,
  warnings,
  onShow,
  onNewId,
}: {
  readonly sessionId: string;
  readonly text: string;
  readonly warnings: readonly PlacedWarning[];
  readonly onShow: (start: number, end: number) => void;
  /** Replaces the id at this place by an unused one. */
  readonly onNewId: (start: number, end: number) => void;
}) {
  if (warnings.length === 0) return null;
  return (
    <ul
      aria-label="Warnings"
      className="max-h-[30%] min-h-6 shrink-0 overflow-y-auto border-t border-line bg-panel"
    >
      {warnings.slice(0, MAX_SHOWN).map(({ rule, severity, text: said, place, row }, index) => (
        <li
          key={`${index} ${said}`}
          className="flex min-h-row items-center gap-2 border-b border-line px-3 py-0.5 last:border-b-0"
        >
          <SeverityIcon severity={severity} className="size-3.5" />
          <span className="min-w-0 flex-1 truncate" title={visibleLine(said)}>
            {visibleLine(said)}
            {row !== null && (
              <>
                {' '}
                <RowLink row={row} onOpen={() => selectTraceRow(sessionId, row)} />
              </>
            )}
          </span>
          {rule === 'jsonrpc/id-reused' && place !== null && (
            <Button size="small" variant="quiet" onClick={() => onNewId(place.start, place.end)}>
              Use a new id
            </Button>
          )}
          {rule !== null && (
            <span className="mono max-w-[40%] shrink-0 truncate text-xs text-mute">{rule}</span>
          )}
          {place !== null && (
            <button
              type="button"
              aria-label={`Go to line ${lineOf(text, place.start).replace(':', ', column ')}`}
              onClick={() => onShow(place.start, place.end)}
              className="mono shrink-0 text-xs text-key hover:underline"
            >
              {lineOf(text, place.start)}
            </button>
          )}
        </li>
      ))}
      {warnings.length > MAX_SHOWN && (
        <li className="px-3 py-0.5 text-sm text-mute">and {warnings.length - MAX_SHOWN} more</li>
      )}
    </ul>
  );
}

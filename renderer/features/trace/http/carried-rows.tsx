import { selectTraceRow } from '#model/selection.ts';
import { MAX_CHILDREN } from '#shared/contract/trace.ts';
import { formatBytes, formatQuantity } from '#shared/format.ts';
import { rowNumber, type TraceRow } from '#shared/trace/row.ts';
import { visibleLine } from '#ui/visible.ts';
import { toneClasses } from '../table/row-tones.ts';
import { methodWords } from '../table/row-words.ts';
import { Section } from './section.tsx';

/** The rows an exchange carried, in both directions; each leads to its place in the table. */
export function CarriedRows({
  sessionId,
  rows,
  shown,
}: {
  readonly sessionId: string;
  readonly rows: readonly TraceRow[];
  /** The row that is shown already. */
  readonly shown: number;
}) {
  const says =
    rows.length < MAX_CHILDREN ? formatQuantity(rows.length, 'row') : `the first ${MAX_CHILDREN} rows`;
  return (
    <Section title="Carried" says={says}>
      {rows.length === 0 && <p className="px-3 text-mute">Nothing was on its bodies.</p>}
      <ul aria-label="Rows it carried">
        {rows.map((row) => (
          <li key={row.row}>
            <button
              type="button"
              aria-current={row.row === shown ? 'true' : undefined}
              onClick={() => selectTraceRow(sessionId, row.row)}
              className="mono grid h-row w-full grid-cols-[max-content_14px_minmax(0,max-content)_minmax(0,1fr)_max-content] items-center gap-x-2 px-3 text-left hover:bg-hover aria-[current]:bg-sel"
            >
              <span className="text-key">{rowNumber(row.row)}</span>
              <Arrow row={row} />
              <Words row={row} />
              <span className="truncate text-mute">{visibleLine(row.summary)}</span>
              <span className="text-faint">{row.size > 0 && formatBytes(row.size)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Words({ row }: { readonly row: TraceRow }) {
  const { text, tone } = methodWords(row);
  return <span className={`truncate ${toneClasses[tone]}`}>{visibleLine(text)}</span>;
}

function Arrow({ row: { direction } }: { readonly row: TraceRow }) {
  if (direction === null) return <span />;
  return direction === 'out' ? (
    <span role="img" aria-label="to the server" className="text-out">
      →
    </span>
  ) : (
    <span role="img" aria-label="from the server" className="text-in">
      ←
    </span>
  );
}

import { TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { call } from '#bridge';
import { faultOf } from '#model/faults.ts';
import { selectTraceRow } from '#model/selection.ts';
import type { Removal, ExportFormat } from '#shared/contract/exports.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Params, Result } from '#shared/contract/index.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { visibleLine } from '#ui/visible.ts';
import { contentOf, formatLabels, rowsInWords } from './formats.ts';

export type ExportParams = Params<'exports/preview'>;

interface ExportPreview extends Result<'exports/preview'> {
  readonly format: ExportFormat;
  readonly of: RowChoice['of'];
}

interface PreviewState {
  /** The preview for the current params, or for the previous ones while `isLoading`. */
  readonly preview: ExportPreview | null;
  readonly fault: Fault | null;
  readonly isLoading: boolean;
}

/** Milliseconds without a change before the preview starts, which reads the whole trace. */
const DEBOUNCE_MS = 250;

/**
 * Previews an export whenever its params change; null while they are not valid.
 *
 * @param revision changes whenever the same params lead to another result
 */
export function usePreview(
  exportParams: ExportParams | null,
  revision: number | null | undefined,
): PreviewState {
  const paramsText = exportParams === null ? null : JSON.stringify(exportParams);
  const key = paramsText === null ? null : `${revision} ${paramsText}`;
  const [answer, setAnswer] = useState<Omit<PreviewState, 'isLoading'> & { readonly of: string | null }>({
    of: null,
    preview: null,
    fault: null,
  });
  useEffect(() => {
    if (paramsText === null) return;
    let isWanted = true;
    const timer = setTimeout(() => {
      const params: ExportParams = JSON.parse(paramsText);
      call('exports/preview', params).then(
        (found) =>
          isWanted &&
          setAnswer({
            of: key,
            preview: { ...found, format: params.format, of: params.rows.of },
            fault: null,
          }),
        (error: unknown) => isWanted && setAnswer({ of: key, preview: null, fault: faultOf(error) }),
      );
    }, DEBOUNCE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [key, paramsText]);
  if (key === null) return { preview: null, fault: null, isLoading: false };
  return { preview: answer.preview, fault: answer.fault, isLoading: answer.of !== key };
}

/** What the export would contain, and what it leaves out, with a sample of each kind. */
export function Preview({
  state: { preview, fault, isLoading },
  unavailableReason,
  sessionId,
}: {
  readonly state: PreviewState;
  /** Why there is no preview yet. */
  readonly unavailableReason: string | null;
  readonly sessionId: string;
}) {
  if (fault) return <FaultCard fault={fault} />;
  if (preview === null) {
    return (
      <p role="status" className="text-mute">
        {unavailableReason ?? 'Scanning the trace…'}
      </p>
    );
  }
  const { format, leftOut, removals, removed } = preview;
  const rows = rowsInWords(format, preview.of, preview);
  return (
    <section aria-label="Preview" aria-busy={isLoading} className={isLoading ? 'opacity-60' : undefined}>
      <p role="status">
        <span className="font-medium">{contentOf(format, preview)}</span>
        <span className="text-mute">
          {removed === 0 ? ', nothing replaced' : `, ${formatQuantity(removed, 'value')} replaced`}
          {leftOut > 0 && `; ${formatQuantity(leftOut, 'selected row')} not possible in this format`}
        </span>
      </p>
      {rows !== null && <p className="text-mute">{rows}.</p>}
      {preview.of === 'filter' && <Unmatched format={format} count={preview.addedMessages} />}
      {removals.length > 0 && <Removals removals={removals} sessionId={sessionId} />}
    </section>
  );
}

/** Says that the file will contain messages that the filter leaves out. */
function Unmatched({ format, count }: { readonly format: ExportFormat; readonly count: number }) {
  if (count === 0) return null;
  const [are, them] = count === 1 ? ['message is', 'it'] : ['messages are', 'them'];
  return (
    <p role="note" className="mt-1 flex items-start gap-1.5 text-warn">
      <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span>
        {formatCount(count)} {are} in the file although the filter does not match {them}:{' '}
        {formatLabels[format].completes}. JSON Lines leaves {them} out.
      </span>
    </p>
  );
}

function Removals({
  removals,
  sessionId,
}: {
  readonly removals: readonly Removal[];
  readonly sessionId: string;
}) {
  return (
    <table aria-label="Replaced values" className="mt-1.5 w-full table-fixed border-collapse">
      <thead>
        <tr className="h-row text-left text-xs text-faint">
          <th className="w-[26%] font-normal">Replaced</th>
          <th className="w-14 pr-3 text-right font-normal">Times</th>
          <th className="font-normal">First occurrence</th>
          <th className="w-14 text-right font-normal">Row</th>
        </tr>
      </thead>
      <tbody>
        {removals.map(({ kind, count, sample, row }) => (
          <tr key={kind} className="h-row border-t border-line align-baseline">
            <td className="py-0.5 pr-3 break-words">{visibleLine(kind)}</td>
            <td className="mono py-0.5 pr-3 text-right tabular-nums">{formatCount(count)}</td>
            <td title={visibleLine(sample)} className="mono py-0.5 [overflow-wrap:anywhere] text-mute">
              {visibleLine(shortSample(sample))}
            </td>
            <td className="py-0.5 text-right">
              <RowLink row={row} onOpen={() => selectTraceRow(sessionId, row)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Maximum number of characters before the placeholder in a sample. */
const BEFORE = 41;

/** Characters shown on each side of the placeholder. */
const AROUND = 14;

/** The placeholder of a sample with a few characters around it. */
export function shortSample(sample: string): string {
  const own = [...sample.matchAll(/\[secret [^\]]*(?:\]|$)/g)].findLast(
    ({ 0: found, index }) => found.endsWith(']') && index <= BEFORE,
  );
  if (own === undefined) return sample;
  const from = Math.max(0, own.index - AROUND);
  const to = own.index + own[0].length + AROUND;
  return `${from > 0 ? '…' : ''}${sample.slice(from, to)}${to < sample.length ? '…' : ''}`;
}

import type { OpenedTrace } from '#shared/contract/traces.ts';
import { formatBytes, formatDuration, formatQuantity } from '#shared/format.ts';
import { StatusDot } from '#ui/status-dot.tsx';
import { visibleLine } from '#ui/visible.ts';
import { FindingCount } from './finding-count.tsx';
import { TraceFileName } from './trace-file-name.tsx';

/** One line about a trace that was opened from a file. */
export function OpenedFacts({ trace }: { readonly trace: OpenedTrace }) {
  const { header, counts, findings, size, read, isRead, isChecked, isGrowing, medianDuration } = trace;
  return (
    <>
      <span className="flex items-center gap-1.5">
        <StatusDot tone={isGrowing ? 'busy' : 'off'} />
        {isGrowing ? 'being recorded' : 'recorded'}
      </span>
      <span className="mono min-w-0 truncate text-sm">
        {visibleLine(header.server.name)} · {header.server.transport}
      </span>
      <span className="mono text-sm">
        {formatQuantity(counts.rows, 'row')} · {formatBytes(size)}
      </span>
      {!isRead && <span>reading {size === 0 ? 100 : Math.floor((read / size) * 100)} %</span>}
      {isRead && !isChecked && <span>checking</span>}
      {counts.errors > 0 && <span className="text-err">{formatQuantity(counts.errors, 'error')}</span>}
      <FindingCount findings={findings} />
      {counts.invalid > 0 && (
        <span className="text-warn">{formatQuantity(counts.invalid, 'invalid', 'invalid')}</span>
      )}
      <span className="ml-auto flex min-w-[200px] shrink-[100000] items-center justify-end gap-4">
        {medianDuration !== null && (
          <span className="mono text-sm">median {formatDuration(medianDuration)}</span>
        )}
        <TraceFileName path={trace.path} />
      </span>
    </>
  );
}

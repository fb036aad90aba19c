import { ChevronDown, ChevronRight } from 'lucide-react';
import { memo } from 'react';
import type { CallClass, CallComparison } from '#shared/contract/comparison.ts';
import { formatDuration, formatQuantity } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { cx } from '#ui/cx.ts';
import { DirectionArrow } from '#ui/direction-arrow.tsx';
import { ParamsPreview } from '#ui/params-preview.tsx';
import { visibleLine } from '#ui/visible.ts';
import { changeText } from './changes.ts';
import { ClassChip } from './class-chip.tsx';
import type { TableLine } from './table-lines.ts';

/** The columns; a narrow table leaves out the latency, then the difference in figures. */
export const columns =
  'grid grid-cols-[84px_minmax(120px,11fr)_92px_minmax(120px,10fr)_64px_64px_116px] @max-[820px]:grid-cols-[84px_minmax(120px,11fr)_84px_minmax(100px,10fr)_62px_62px_50px] @max-[560px]:grid-cols-[84px_minmax(100px,11fr)_92px_minmax(100px,10fr)] items-center gap-x-2 pr-2 pl-4 whitespace-nowrap';

/** One line. Takes plain values, so that unchanged lines are not rendered again. */
export const CallLine = memo(function CallLine({
  id,
  at,
  line,
  name,
  call,
  isSelected,
}: {
  readonly id: string;
  readonly at: number;
  readonly line: TableLine;
  readonly name: CallClass;
  /** Undefined until it is read. */
  readonly call: CallComparison | undefined;
  readonly isSelected: boolean;
}) {
  const isQuiet = name === 'skipped' || name === 'noise' || name === 'same';
  return (
    <div
      role="row"
      id={id}
      // The head is the first row.
      aria-rowindex={at + 2}
      aria-selected={isSelected}
      aria-expanded={line.of === 'group' ? line.isOpen : undefined}
      data-line={at}
      className={cx(
        columns,
        'relative h-row [contain:strict] hover:bg-hover aria-selected:bg-sel aria-selected:[--faint:var(--mute)]',
      )}
    >
      {line.of === 'group' ? (
        <GroupCells line={line} call={call} />
      ) : (
        <>
          <div role="gridcell" className="font-sans">
            <ClassChip name={name} isAccepted={call?.isAccepted === true} />
          </div>
          <div role="gridcell" className="truncate">
            {call && <CallName call={call} isQuiet={isQuiet} />}
            {call && <ParamsPreview text={call.paramsPreview} className="ml-1.5" />}
          </div>
          <div role="gridcell" className="truncate text-faint">
            {call && <RowPair call={call} />}
          </div>
          <div
            role="gridcell"
            title={call && visibleLine(call.summary)}
            className={cx('truncate font-sans text-sm', isQuiet && 'text-faint')}
          >
            {call && visibleLine(call.summary)}
          </div>
          <Latency call={call} />
        </>
      )}
    </div>
  );
});

const groupTexts: Readonly<Partial<Record<CallClass, string>>> = {
  skipped: 'were not sent',
  noise: 'differ by noise only',
};

function GroupCells({
  line: { isOpen, class: name, count },
  call,
}: {
  readonly line: Extract<TableLine, { of: 'group' }>;
  readonly call: CallComparison | undefined;
}) {
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  const isAll = name === 'skipped';
  return (
    <>
      <div role="gridcell" className="font-sans">
        <Chevron aria-hidden className="absolute top-1.5 left-0.5 size-3 text-faint" />
        <ClassChip name={name} />
      </div>
      <div role="gridcell" className="truncate text-mute">
        {formatQuantity(count, isAll ? 'call' : 'more call')}
      </div>
      <div role="gridcell" className="col-start-4 truncate font-sans text-sm text-faint">
        {groupTexts[name]}
        {isAll && call !== undefined && `: ${visibleLine(call.target ?? call.method)} ${call.summary}, …`}
      </div>
    </>
  );
}

function CallName({ call, isQuiet }: { readonly call: CallComparison; readonly isQuiet: boolean }) {
  const { direction, method, target } = call;
  return (
    <>
      {direction === 'in' && (
        <>
          <DirectionArrow direction="in" />{' '}
        </>
      )}
      {target === null ? (
        <span className={isQuiet ? 'text-mute' : undefined}>{visibleLine(method)}</span>
      ) : (
        <span title={visibleLine(`${method} ${target}`)}>
          <span className={cx('text-faint', method === 'tools/call' && '@max-[820px]:hidden')}>
            {visibleLine(method)}{' '}
          </span>
          <span className={isQuiet ? 'text-mute' : undefined}>{visibleLine(target)}</span>
        </span>
      )}
    </>
  );
}

function RowPair({ call: { recorded, other } }: { readonly call: CallComparison }) {
  const number = (side: CallComparison['recorded']) => (side === null ? '–' : rowNumber(side.row));
  return (
    <>
      {number(recorded)} <span aria-hidden>→</span>
      <span className="sr-only"> and </span> {number(other)}
    </>
  );
}

/** Pixels at each side of the middle of a bar. */
const HALF = 30;

function Latency({ call }: { readonly call: CallComparison | undefined }) {
  const [was, is] = [call?.recorded?.duration ?? null, call?.other?.duration ?? null];
  const share = was === null || is === null || was === 0 ? null : is / was - 1;
  // Twice as long, or no time at all, fills a half.
  const width = share === null ? 0 : Math.max(2, Math.min(1, Math.abs(share)) * HALF);
  const tone = share === null || Math.abs(share) < 0.05 ? 'bg-faint' : share > 0 ? 'bg-warn' : 'bg-in';
  return (
    <>
      <div role="gridcell" className="text-right text-mute @max-[560px]:hidden">
        {was === null ? '' : formatDuration(was)}
      </div>
      <div role="gridcell" className="text-right @max-[560px]:hidden">
        {is === null ? '' : formatDuration(is)}
      </div>
      <div
        role="gridcell"
        className="grid grid-cols-[64px_1fr] items-center @max-[820px]:grid-cols-1 @max-[560px]:hidden"
      >
        <span aria-hidden className="relative h-row @max-[820px]:hidden">
          {share !== null && (
            <>
              <span className="absolute top-[5px] bottom-[5px] left-8 border-l border-line-strong" />
              <span
                className={cx('absolute top-2 h-2 rounded-[2px] opacity-80', tone)}
                style={share >= 0 ? { left: 32, width } : { left: 32 - width, width }}
              />
            </>
          )}
        </span>
        <span className="text-right text-mute">{share === null ? '' : changeText(share)}</span>
      </div>
    </>
  );
}

import { formatDuration } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { cx } from '#ui/cx.ts';
import { visibleLine } from '#ui/visible.ts';
import { toneClasses } from '../table/row-labels.ts';
import type { Step } from './steps.ts';

/** One message as an arrow between the two life lines, or what happened as a note between them. */
export function StepLine({
  step,
  begin,
  onOpenRow,
}: {
  readonly step: Step;
  /** When the first of the steps was; microseconds. */
  readonly begin: number;
  readonly onOpenRow: (row: number) => void;
}) {
  const { direction, label, tone, at } = step;
  return (
    <li className="grid grid-cols-[64px_minmax(0,1fr)] text-sm">
      <span className="mono self-center truncate text-xs text-faint">+{formatDuration(at - begin)}</span>
      <button
        type="button"
        onClick={() => onOpenRow(step.row)}
        aria-label={`Row ${rowNumber(step.row)}: ${spoken(step)}`}
        className="relative mx-14 h-9 min-w-0 hover:bg-hover"
      >
        <LifeLine side="left" isBusy={step.isClientBusy} />
        <LifeLine side="right" isBusy={step.isServerBusy} />
        <span className={cx('absolute inset-x-3 top-0.5 truncate', toneClasses[tone])}>
          {visibleLine(label)}
        </span>
        {direction !== null && <Arrow direction={direction} isDashed={step.isAnswer} />}
      </button>
    </li>
  );
}

const spoken = ({ direction, label }: Step): string =>
  direction === null ? label : `${label}, ${direction === 'out' ? 'to the server' : 'from the server'}`;

function LifeLine({ side, isBusy }: { readonly side: 'left' | 'right'; readonly isBusy: boolean }) {
  return (
    <span
      aria-hidden
      className={cx(
        'absolute inset-y-0',
        side === 'left' ? 'left-0 -translate-x-1/2' : 'right-0 translate-x-1/2',
        isBusy ? 'w-[7px] border-x border-accent bg-accent-soft' : 'w-px bg-line-strong',
      )}
    />
  );
}

const arrowTones = { in: 'text-in', out: 'text-out' } as const;

function Arrow({ direction, isDashed }: { readonly direction: 'in' | 'out'; readonly isDashed: boolean }) {
  const isRight = direction === 'out';
  return (
    <span aria-hidden className={cx('absolute inset-x-1 bottom-2', arrowTones[direction])}>
      <span className={cx('block border-t border-current', isDashed && 'border-dashed')} />
      <span
        className={cx(
          'absolute -top-[3px] size-[7px] border-t border-current',
          isRight ? 'right-px rotate-45 border-r' : 'left-px -rotate-45 border-l',
        )}
      />
    </span>
  );
}

import { cx } from './cx.ts';

/** How much of something is done. */
export function ProgressBar({
  label,
  share,
  className,
}: {
  readonly label: string;
  /** 0 to 1. */
  readonly share: number;
  readonly className?: string;
}) {
  const percent = Math.floor(Math.min(1, Math.max(0, share)) * 100);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      className={cx('h-1 overflow-hidden rounded-full bg-line', className)}
    >
      <div
        className="h-full rounded-full bg-accent transition-[width] duration-150"
        style={{ width: `${percent}%` }}
      />
    </div>
  );
}

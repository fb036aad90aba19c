import { cx } from './cx.ts';

/**
 * How long something took, its size and the like: those that fit whole into one line; the others wrap out of sight. The
 * tooltip has all. It takes the width that its flex row leaves.
 */
export const Measures = ({
  measures,
  className,
}: {
  readonly measures: readonly string[];
  readonly className?: string;
}) => (
  <p
    title={measures.join(' · ')}
    className={cx(
      'mono flex h-[1.5em] flex-1 flex-wrap gap-x-[1ch] overflow-hidden text-xs leading-[1.5]',
      className,
    )}
  >
    {measures.map((measure, index) => (
      <span key={measure} className="max-w-full truncate">
        {index > 0 && ' · '}
        {measure}
      </span>
    ))}
  </p>
);

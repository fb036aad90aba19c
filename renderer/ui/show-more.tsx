import { formatCount } from '#shared/format.ts';

/** Ends a truncated text. */
export function ShowMore({
  hidden,
  onClick,
}: {
  /** Characters not shown. */
  readonly hidden: number;
  readonly onClick: () => void;
}) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="mt-1 block rounded-ui border border-line bg-raise px-2 py-0.5 font-sans text-sm text-mute hover:border-line-strong hover:text-text"
    >
      Show more ({formatCount(hidden)} characters hidden)
    </button>
  );
}

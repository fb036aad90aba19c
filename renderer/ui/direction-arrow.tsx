const directions = {
  out: { arrow: '→', label: 'to the server', tone: 'text-out' },
  in: { arrow: '←', label: 'from the server', tone: 'text-in' },
} as const;

/** The direction of a message as an arrow. */
export function DirectionArrow({
  direction,
  isInvalid: isMarked = false,
}: {
  readonly direction: 'in' | 'out';
  readonly isInvalid?: boolean;
}) {
  const { arrow, label, tone } = directions[direction];
  return (
    <span role="img" aria-label={label} className={isMarked ? 'text-warn' : tone}>
      {arrow}
    </span>
  );
}

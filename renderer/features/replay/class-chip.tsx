import type { CallClass, ChangeClass } from '#shared/contract/comparison.ts';
import { cx } from '#ui/cx.ts';

const tones: Readonly<Record<CallClass | ChangeClass, string>> = {
  breaking: 'border-err bg-err text-err-ink font-semibold',
  unknown: 'border-err/40 text-err',
  flipped: 'border-err/40 text-err',
  behavior: 'border-warn/40 text-warn',
  missing: 'border-dashed border-info/60 text-info',
  extra: 'border-info/40 text-info',
  unclear: 'border-line-strong text-mute',
  compatible: 'border-line text-mute',
  skipped: 'border-transparent px-0 text-mute',
  noise: 'border-line text-mute',
  same: 'border-transparent px-0 text-mute',
};

/** What a difference means, as a chip. */
export function ClassChip({
  name,
  isAccepted = false,
}: {
  readonly name: CallClass | ChangeClass;
  /** Whether the response is compared with one that was accepted since. */
  readonly isAccepted?: boolean;
}) {
  return (
    <span
      title={isAccepted ? 'Compared with the response that was accepted' : undefined}
      className={cx(
        'inline-flex h-[18px] items-center rounded-full border px-[7px] align-middle text-xs leading-none',
        tones[name],
      )}
    >
      {name}
      {isAccepted && (
        <span aria-label="accepted" role="img" className="pl-1">
          ✓
        </span>
      )}
    </span>
  );
}

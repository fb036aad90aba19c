import type { SessionView } from '#shared/contract/sessions.ts';
import { formatQuantity } from '#shared/format.ts';
import { cx } from '#ui/cx.ts';
import { Tooltip } from '#ui/tooltip.tsx';

/** How many findings the checks have, as loud as the worst of them. */
export function FindingCount({ findings: { error, warning, info } }: Pick<SessionView, 'findings'>) {
  const total = error + warning + info;
  if (total === 0) return null;
  const parts = [
    error > 0 && formatQuantity(error, 'error'),
    warning > 0 && formatQuantity(warning, 'warning'),
    info > 0 && formatQuantity(info, 'note'),
  ].filter(Boolean);
  return (
    <Tooltip
      side="top"
      text={`What the checks found wrong with messages: ${parts.join(', ')}. Rows with a mark show theirs in the detail.`}
    >
      <button type="button" className={cx('shrink-0 cursor-default', error + warning > 0 && 'text-warn')}>
        {formatQuantity(total, 'finding')}
      </button>
    </Tooltip>
  );
}

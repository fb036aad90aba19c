import type { OpenedTrace } from '#shared/contract/traces.ts';
import { formatCount, formatDuration } from '#shared/format.ts';
import { cx } from '#ui/cx.ts';
import { Facts } from '#ui/facts.tsx';

/** How much of what is in a trace, and what the checks find in it today. */
export function Contents({ trace }: { readonly trace: OpenedTrace }) {
  const { counts, findings, isChecked, medianDuration } = trace;
  return (
    <section aria-label="What is in it">
      <Facts
        facts={[
          { name: 'Rows', value: <Count count={counts.rows} /> },
          { name: 'Messages', value: <Count count={counts.messages} /> },
          { name: 'Errors', value: <Count count={counts.errors} tone="text-err" /> },
          { name: 'Invalid', value: <Count count={counts.invalid} tone="text-warn" /> },
          {
            name: 'Findings',
            value: (
              <>
                <Count count={findings.error} tone="text-err" /> {word(findings.error, 'error')},{' '}
                <Count count={findings.warning} tone="text-warn" /> {word(findings.warning, 'warning')},{' '}
                <Count count={findings.info} /> {word(findings.info, 'note')}
                {!isChecked && <span className="text-mute"> so far</span>}
              </>
            ),
          },
          medianDuration === null
            ? null
            : { name: 'Median', value: <span className="mono">{formatDuration(medianDuration)}</span> },
        ]}
      />
    </section>
  );
}

const word = (count: number, one: string): string => (count === 1 ? one : `${one}s`);

/** A number; in its colour when it is not 0. */
function Count({ count, tone }: { readonly count: number; readonly tone?: string }) {
  return <span className={cx('mono tabular-nums', count > 0 && tone)}>{formatCount(count)}</span>;
}

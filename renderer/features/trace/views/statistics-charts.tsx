import type { ReactNode } from 'react';
import type { Statistics } from '#shared/contract/trace.ts';
import { formatBytes, formatDuration, formatQuantity } from '#shared/format.ts';
import { Tooltip } from '#ui/tooltip.tsx';

/** How long requests took, and how many bytes were sent and received over time. Nothing of what one value cannot show. */
export function StatisticsCharts({
  statistics: { durations, sizes, span },
  onShow,
}: {
  readonly statistics: Statistics;
  /** Shows only the rows of this filter. */
  readonly onShow: (filter: string) => void;
}) {
  const responses = durations.reduce((sum, { count }) => sum + count, 0);
  if (responses < 2 && span === 0) return null;
  return (
    <div className="mb-4 grid max-w-[1200px] gap-x-8 gap-y-4 min-[900px]:grid-cols-2">
      {responses > 1 && <Durations durations={durations} responses={responses} onShow={onShow} />}
      {span > 0 && <Sizes sizes={sizes} span={span} />}
    </div>
  );
}

/** Pixels of the highest bar. */
const HEIGHT = 72;

const heightOf = (value: number, largest: number): number =>
  value === 0 ? 0 : Math.max(2, Math.round((value / largest) * HEIGHT));

function Durations({
  durations,
  responses,
  onShow,
}: {
  readonly durations: Statistics['durations'];
  readonly responses: number;
  readonly onShow: (filter: string) => void;
}) {
  const largest = Math.max(...durations.map(({ count }) => count));
  return (
    <Chart title="Durations" note={formatQuantity(responses, 'response')}>
      <ol aria-label="Durations" className="flex" style={{ height: HEIGHT + 36 }}>
        {durations.map(({ from, to, count }, index) => (
          <li key={from} className="flex min-w-0 max-w-16 flex-1 flex-col justify-end">
            {count > 0 && (
              <Tooltip
                side="top"
                text={`${formatQuantity(count, 'request')} took from ${shownLimit(from)} to ${shownLimit(to)}. Click to show them.`}
              >
                <button
                  type="button"
                  aria-label={`${formatQuantity(count, 'request')} took from ${shownLimit(from)} to ${shownLimit(to)}`}
                  onClick={() => onShow(`kind:request dur:>=${filterLimit(from)} dur:<${filterLimit(to)}`)}
                  className="group flex flex-col px-px text-center"
                >
                  <span aria-hidden className="mono text-xs text-mute">
                    {count}
                  </span>
                  <span
                    aria-hidden
                    className="rounded-t-sm bg-accent/70 group-hover:bg-accent"
                    style={{ height: heightOf(count, largest) }}
                  />
                </button>
              </Tooltip>
            )}
            <span
              title={shownLimit(from)}
              className="mono truncate border-t border-line pt-0.5 text-xs text-faint"
            >
              {axisLabel(from, durations[index - 1]?.from)}
            </span>
          </li>
        ))}
      </ol>
    </Chart>
  );
}

/** The limit of a class, which needs no fraction in its largest unit. */
function limitOf(microseconds: number): readonly [count: number, unit: 's' | 'ms' | 'µs'] {
  if (microseconds >= 1_000_000) return [microseconds / 1_000_000, 's'];
  return microseconds >= 1000 ? [microseconds / 1000, 'ms'] : [microseconds, 'µs'];
}

const shownLimit = (microseconds: number): string => limitOf(microseconds).join(' ');

/** With the unit where it is another one than at the class before. */
function axisLabel(from: number, before: number | undefined): string {
  const [count, unit] = limitOf(from);
  return before !== undefined && limitOf(before)[1] === unit ? String(count) : `${count} ${unit}`;
}

/** As the filter language has it. */
const filterLimit = (microseconds: number): string => limitOf(microseconds).join('').replace('µ', 'u');

function Sizes({ sizes, span }: { readonly sizes: Statistics['sizes']; readonly span: number }) {
  const largest = Math.max(...sizes.map(({ bytesIn, bytesOut }) => Math.max(bytesIn, bytesOut)));
  const length = span / sizes.length;
  return (
    <Chart title="Sizes over time" note={`${formatDuration(length)} a bar, up to ${formatBytes(largest)}`}>
      <div
        role="img"
        aria-label={`Bytes sent and received over ${formatDuration(span)}, at most ${formatBytes(largest)} in ${formatDuration(length)}`}
      >
        <div className="flex" style={{ height: HEIGHT + 18 }}>
          {sizes.map(({ at, bytesIn, bytesOut }) => (
            <div
              key={at}
              title={`after ${formatDuration(at)}: ${formatBytes(bytesOut)} sent, ${formatBytes(bytesIn)} received`}
              className="flex min-w-0 flex-1 items-end hover:bg-hover"
            >
              <span className="min-w-0 flex-1 bg-out" style={{ height: heightOf(bytesOut, largest) }} />
              <span className="mr-px min-w-0 flex-1 bg-in" style={{ height: heightOf(bytesIn, largest) }} />
            </div>
          ))}
        </div>
        <div className="mono flex justify-between border-t border-line pt-0.5 text-xs text-faint">
          <span>0 s</span>
          <span>
            <i className="mr-1 inline-block size-2 bg-out" />
            sent <i className="mr-1 ml-2 inline-block size-2 bg-in" />
            received
          </span>
          <span>{formatDuration(span)}</span>
        </div>
      </div>
    </Chart>
  );
}

function Chart({
  title,
  note,
  children,
}: {
  readonly title: string;
  readonly note: string;
  readonly children: ReactNode;
}) {
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="caption mb-1">
        {title} <span className="font-normal tracking-normal normal-case">{note}</span>
      </h3>
      {children}
    </section>
  );
}

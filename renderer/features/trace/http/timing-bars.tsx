import type { ExchangeDetail } from '#shared/contract/trace.ts';
import { cx } from '#ui/cx.ts';
import { Section } from './section.tsx';
import { exactMilliseconds, type TimingStep, timingOf } from './timing.ts';

/** Where the time went, step by step. */
export function TimingBars({ exchange }: { readonly exchange: ExchangeDetail }) {
  const { steps, span, total } = timingOf(exchange);
  const isOver = exchange.end !== null;
  const isReused = exchange.connected?.reused === true;
  return (
    <Section
      title="Timing"
      says={[
        total === null ? 'still open' : exactMilliseconds(total),
        isReused && 'over a connection that was open',
      ]
        .filter(Boolean)
        .join(', ')}
    >
      <dl className="mono grid grid-cols-[max-content_minmax(48px,1fr)_max-content] px-3">
        {steps.map((step) => (
          <div
            key={step.name}
            title={step.hint}
            className="col-span-3 grid h-row grid-cols-subgrid items-center gap-x-3"
          >
            <dt className={step.hasFailed ? 'text-err' : 'text-mute'}>{step.name}</dt>
            <dd className="contents">
              <Bar step={step} span={span} />
              <span className={cx('text-right', step.hasFailed && 'text-err')}>{lasted(step, isOver)}</span>
            </dd>
          </div>
        ))}
        {total !== null && (
          <div className="col-span-3 grid h-row grid-cols-subgrid items-center gap-x-3">
            <dt className="text-mute">Total</dt>
            <dd className="col-start-3 text-right font-semibold">{exactMilliseconds(total)}</dd>
          </div>
        )}
      </dl>
    </Section>
  );
}

function lasted({ from, to }: TimingStep, isOver: boolean): string {
  if (to !== null) return exactMilliseconds(to - from);
  return isOver ? 'never' : 'goes on';
}

const percent = (part: number, whole: number): string => `${whole === 0 ? 0 : (100 * part) / whole}%`;

function Bar({ step: { from, to, hasFailed }, span }: { readonly step: TimingStep; readonly span: number }) {
  const left = `min(${percent(from, span)}, 100% - ${to === null ? 24 : 2}px)`;
  const width = to === null ? `calc(100% - ${left})` : percent(to - from, span);
  return (
    <span aria-hidden className="relative block h-2 overflow-hidden">
      <span
        className={cx(
          'absolute h-2 min-w-0.5 rounded-[2px]',
          hasFailed ? 'bg-err' : to === null ? 'bg-linear-to-r from-out to-transparent' : 'bg-out',
        )}
        style={{ left, width }}
      />
    </span>
  );
}

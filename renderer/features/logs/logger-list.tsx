import { call } from '#bridge';
import { isOpen, type SessionStatus } from '#model/sessions.ts';
import { useTraces } from '#model/traces.ts';
import { useQuery } from '#model/use-query.ts';
import type { LogCounts } from '#shared/contract/logs.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { cx } from '#ui/cx.ts';
import { useNow } from '#ui/use-now.ts';
import { visibleLine } from '#ui/visible.ts';

/** Counts again this often while messages may come, because rates fall when none do. */
const EVERY_MS = 1000;

/** The log messages of a session by logger, with their rates; null until they are counted. */
export function useLogCounts(session: SessionStatus): LogCounts | null {
  const { id: sessionId } = session;
  const opened = useTraces((traces) => traces.opened[sessionId]?.counts.rows);
  const now = useNow(EVERY_MS, isOpen(session));
  return useQuery(`${sessionId} ${opened ?? ''} ${now} ${session.phase}`, () =>
    call('logs/counts', { sessionId }),
  ).latest;
}

/** The loggers with their counts and rates; selected ones filter the list. */
export function LoggerList({
  counts,
  chosen,
  isRecorded,
  onChange,
}: {
  readonly counts: LogCounts;
  /** Empty for all. */
  readonly chosen: readonly (string | null)[];
  /** Whether the trace has ended; the rates are then those of its end. */
  readonly isRecorded: boolean;
  readonly onChange: (chosen: readonly (string | null)[]) => void;
}) {
  const toggle = (logger: string | null) =>
    onChange(chosen.includes(logger) ? chosen.filter((one) => one !== logger) : [...chosen, logger]);
  return (
    <section aria-label="Loggers" className="flex h-full min-h-0 flex-col">
      <div className="flex h-row shrink-0 items-center gap-2 border-b border-line px-2.5 text-xs text-faint">
        <h3 className="min-w-0 flex-1">logger</h3>
        <span>messages</span>
        <abbr
          className="w-12 text-right no-underline"
          title={
            isRecorded
              ? 'messages per second over the last 10 s of the recording'
              : 'messages per second over the last 10 s'
          }
        >
          per s
        </abbr>
      </div>
      <ul className="min-h-0 flex-1 overflow-y-auto py-0.5">
        <Line
          name="all loggers"
          count={counts.count}
          perSecond={counts.perSecond}
          isChosen={chosen.length === 0}
          onPress={() => onChange([])}
        />
        {counts.loggers.map(({ logger, count, perSecond }) => (
          <Line
            key={JSON.stringify(logger)}
            name={logger === null ? null : visibleLine(logger)}
            count={count}
            perSecond={perSecond}
            isChosen={chosen.includes(logger)}
            onPress={() => toggle(logger)}
          />
        ))}
      </ul>
      {counts.unlisted > 0 && (
        <p className="border-t border-line px-2.5 py-1 text-xs text-faint">
          {formatQuantity(counts.unlisted, 'message')} of further loggers
        </p>
      )}
    </section>
  );
}

function Line({
  name,
  count,
  perSecond,
  isChosen,
  onPress,
}: {
  /** Null for messages without a logger. */
  readonly name: string | null;
  readonly count: number;
  readonly perSecond: number;
  readonly isChosen: boolean;
  readonly onPress: () => void;
}) {
  return (
    <li>
      <button
        type="button"
        aria-pressed={isChosen}
        aria-label={`${name ?? 'no logger'}: ${formatCount(count)} messages, ${formatRate(perSecond)} per second`}
        onClick={onPress}
        className="flex h-row w-full items-center gap-2 px-2.5 text-left hover:bg-hover aria-pressed:bg-sel"
      >
        <span className={cx('min-w-0 flex-1 truncate', name === null && 'text-mute italic')}>
          {name ?? 'no logger'}
        </span>
        <span className="mono tabular-nums">{formatCount(count)}</span>
        <span className={cx('mono w-12 text-right tabular-nums', isChosen ? 'text-text' : 'text-mute')}>
          {formatRate(perSecond)}
        </span>
      </button>
    </li>
  );
}

const formatRate = (perSecond: number): string =>
  perSecond >= 10 ? formatCount(Math.round(perSecond)) : perSecond.toFixed(1);

import { CircleAlert, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { call } from '#bridge';
import {
  callKey,
  changeSetup,
  compareSides,
  isTicked,
  type ReplaySetup,
  type ReplayView,
  runReplay,
  sessionOf,
  type Side,
} from '#model/replay.ts';
import { useQuery } from '#model/use-query.ts';
import type { PlannedCalls, ReplayEffect, ReplayScope } from '#shared/contract/replay.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { Button } from '#ui/button.tsx';
import { Chip, type Tone } from '#ui/chip.tsx';
import { cx } from '#ui/cx.ts';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Checkbox, Input, SelectBox } from '#ui/field.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { visibleLine } from '#ui/visible.ts';

/** A recording or a session to choose. */
export interface SideOption {
  readonly side: Side;
  readonly label: string;
}

const keyOf = (side: Side): string => JSON.stringify(side);

/** Labelled choice of a recording or a session. */
export function SideChoice({
  label,
  value,
  options,
  placeholder,
  onChange,
}: {
  readonly label: string;
  readonly value: Side | null;
  readonly options: readonly SideOption[];
  /** Shown while nothing is chosen. */
  readonly placeholder: string;
  readonly onChange: (side: Side) => void;
}) {
  const chosen = value === null ? '' : keyOf(value);
  const listed = options.map(({ side, label: name }) => ({ value: keyOf(side), label: visibleLine(name) }));
  return (
    <SelectBox
      aria-label={label}
      value={listed.some((option) => option.value === chosen) ? chosen : ''}
      options={
        listed.some((option) => option.value === chosen)
          ? listed
          : [{ value: '', label: placeholder }, ...listed]
      }
      onChange={(key) => {
        const option = options.find(({ side }) => keyOf(side) === key);
        if (option !== undefined) onChange(option.side);
      }}
      className="w-full max-w-[440px] min-w-0"
    />
  );
}

/** A line of the form. */
export function SetupLine({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="grid grid-cols-[88px_minmax(0,1fr)] items-center gap-x-3">
      <span className="text-mute">{label}</span>
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5">{children}</div>
    </div>
  );
}

/** Compares two recordings. */
export function CompareButton({
  paneId,
  recorded,
  other,
}: {
  readonly paneId: string;
  readonly recorded: Side;
  /** Null until it is chosen. */
  readonly other: Side | null;
}) {
  const [isOpening, setOpening] = useState(false);
  const start = async (chosen: Side) => {
    setOpening(true);
    await compareSides(paneId, recorded, chosen);
    setOpening(false);
  };
  return (
    <Button
      variant="primary"
      disabled={other === null || isOpening}
      onClick={() => other !== null && void start(other)}
    >
      {isOpening ? 'Opening…' : 'Compare'}
    </Button>
  );
}

/** What would be sent, with the tools' annotations, to tick and to agree to; and how it is sent. */
export function ReplayPlan({
  paneId,
  view: { setup, mustConsentAgain },
  recording,
  sessionId,
}: {
  readonly paneId: string;
  readonly view: ReplayView;
  readonly recording: Side;
  /** A session that is ready. */
  readonly sessionId: string;
}) {
  const { scope } = setup;
  const { latest, fault, isLoading } = useQuery(JSON.stringify([recording, sessionId, scope]), async () => {
    const recorded = await sessionOf(recording);
    return { recorded, plan: await call('replay/plan', { recorded, sessionId, scope }) };
  });
  if (fault !== null) return <FaultCard fault={fault} className="mx-4" />;
  if (latest === null) return <div role="group" aria-busy aria-label="The recording is read" />;
  const { recorded, plan } = latest;
  const ticked = plan.calls.filter((planned) => isTicked(planned, setup.ticks));
  const sendable = ticked.reduce((sum, { count, unsendable }) => sum + count - unsendable, 0);
  const left = plan.rows.length - sendable;
  if (plan.rows.length === 0) {
    return (
      <div className="min-h-0 flex-1">
        <EmptyState
          title="Nothing to replay"
          actions={
            scope.of === 'all' ? null : (
              <Button onClick={() => changeSetup(paneId, { scope: { of: 'all' } })}>All calls</Button>
            )
          }
        >
          {scope.of === 'all'
            ? 'This recording has no calls. Call a tool, read a resource or get a prompt first, or choose another recording.'
            : 'None of these rows is a call that can be made again.'}
        </EmptyState>
      </div>
    );
  }
  return (
    <>
      <div className="flex flex-col gap-2 px-4">
        <SetupLine label="Calls">
          <ScopeText
            scope={scope}
            count={plan.rows.length}
            onAll={() => changeSetup(paneId, { scope: { of: 'all' } })}
          />
        </SetupLine>
        <SetupLine label="Pacing">
          <Pacing paneId={paneId} setup={setup} />
        </SetupLine>
      </div>
      {mustConsentAgain && (
        <p
          role="alert"
          className="mx-4 flex items-start gap-2 rounded-ui border border-line border-l-2 border-l-warn bg-raise px-3 py-2"
        >
          <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-warn" />
          The tools or their annotations have changed since you agreed to call them. Look at the list again.
        </p>
      )}
      <PlanTable paneId={paneId} calls={plan.calls} ticks={setup.ticks} />
      <div className="-mt-2.5 flex min-h-11 shrink-0 flex-wrap items-center gap-3 border-t border-line bg-panel px-4 py-2">
        <Button
          variant="primary"
          disabled={sendable === 0 || isLoading}
          onClick={() => void runReplay(paneId, { recorded, sessionId, plan })}
        >
          Send {formatQuantity(sendable, 'call')}
        </Button>
        <p role="status" className="min-w-0 text-sm text-mute">
          {left === 0
            ? 'They are sent to the connected server, in their order.'
            : `${formatQuantity(left, 'call')} left out. The rest is sent to the connected server, in its order.`}
        </p>
      </div>
    </>
  );
}

function ScopeText({
  scope,
  count,
  onAll,
}: {
  readonly scope: ReplayScope;
  readonly count: number;
  readonly onAll: () => void;
}) {
  if (scope.of === 'all') return <span>{formatQuantity(count, 'call')}, all of the recording</span>;
  return (
    <>
      <span>
        {scope.of === 'from'
          ? `${formatQuantity(count, 'call')}, from ${rowNumber(scope.row)} on`
          : `${formatQuantity(count, 'call')} of the selected rows`}
      </span>
      <Button size="small" icon={<X aria-hidden className="size-3.5" />} onClick={onAll}>
        All calls
      </Button>
    </>
  );
}

function Pacing({ paneId, setup }: { readonly paneId: string; readonly setup: ReplaySetup }) {
  const { timing, times, isStepped } = setup;
  return (
    <>
      <Segmented
        label="Pauses between calls"
        value={timing}
        onChange={(chosen) => changeSetup(paneId, { timing: chosen })}
        options={[
          { id: 'fast', label: 'Fast' },
          { id: 'original', label: 'As recorded' },
          { id: 'times', label: 'Faster' },
        ]}
      />
      {timing === 'times' && (
        <span className="flex items-center gap-1.5">
          <Input
            type="number"
            min={1}
            max={1000}
            aria-label="Times as fast"
            value={times}
            onChange={({ target }) => {
              const value = target.valueAsNumber;
              if (value > 0) changeSetup(paneId, { times: value });
            }}
            className="h-6 w-16 px-1.5"
          />
          <span className="text-mute">times as fast</span>
        </span>
      )}
      <Checkbox
        label="One step at a time"
        checked={isStepped}
        onChange={(checked) => changeSetup(paneId, { isStepped: checked })}
      />
    </>
  );
}

const effects: Readonly<Record<ReplayEffect, readonly [label: string, tone: Tone]>> = {
  request: ['request', 'neutral'],
  reads: ['read-only', 'ok'],
  writes: ['writes', 'warn'],
  destructive: ['may destroy', 'error'],
  unannotated: ['not annotated', 'warn'],
};

/** Lines that are shown at first. */
const FIRST = 200;

function PlanTable({
  paneId,
  calls,
  ticks,
}: {
  readonly paneId: string;
  readonly calls: readonly PlannedCalls[];
  readonly ticks: ReplaySetup['ticks'];
}) {
  const [limit, setLimit] = useState(FIRST);
  const ticked = calls.filter((planned) => isTicked(planned, ticks)).length;
  const tickAll = (isOn: boolean) =>
    changeSetup(paneId, { ticks: Object.fromEntries(calls.map((planned) => [callKey(planned), isOn])) });
  return (
    <div
      role="region"
      aria-label="What will be sent"
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto border-t border-line bg-panel"
    >
      <table className="w-full table-fixed text-sm">
        <thead className="sticky top-0 z-1 bg-panel text-left text-xs text-faint">
          <tr className="h-[25px] shadow-[inset_0_-1px_var(--line)]">
            <th scope="col" className="w-10 pl-4">
              <input
                type="checkbox"
                aria-label="Send all"
                checked={ticked === calls.length}
                ref={(box) => {
                  if (box) box.indeterminate = ticked > 0 && ticked < calls.length;
                }}
                onChange={({ target }) => tickAll(target.checked)}
                className="size-3.5 align-middle accent-accent"
              />
            </th>
            <th scope="col" className="font-normal">
              call
            </th>
            <th scope="col" className="w-16 pr-4 text-right font-normal">
              times
            </th>
            <th scope="col" className="w-28 font-normal">
              effect
            </th>
            <th scope="col" className="font-normal">
              annotations of the server
            </th>
          </tr>
        </thead>
        <tbody>
          {calls.slice(0, limit).map((planned) => (
            <PlanLine
              key={callKey(planned)}
              planned={planned}
              isOn={isTicked(planned, ticks)}
              onTick={(isOn) => changeSetup(paneId, { ticks: { ...ticks, [callKey(planned)]: isOn } })}
            />
          ))}
        </tbody>
      </table>
      {calls.length > limit && (
        <Button size="small" className="m-3" onClick={() => setLimit(limit * 4)}>
          Show {formatCount(calls.length - limit)} more
        </Button>
      )}
    </div>
  );
}

function PlanLine({
  planned,
  isOn,
  onTick,
}: {
  readonly planned: PlannedCalls;
  readonly isOn: boolean;
  readonly onTick: (isOn: boolean) => void;
}) {
  const { method, target, count, unsendable, effect, isListed, hints } = planned;
  const [label, tone] = effects[effect];
  const name = visibleLine(target === null ? method : `${method} ${target}`);
  const notes = [
    ...(isListed ? [] : ['the server does not list this tool']),
    ...(unsendable === 0
      ? []
      : [`${formatCount(unsendable)} cannot be sent: without a response, or with a secret`]),
    ...hints,
  ];
  return (
    <tr className={cx('h-7 border-b border-line', !isOn && 'text-mute')}>
      <td className="pl-4">
        <input
          type="checkbox"
          aria-label={`Send ${name}`}
          checked={isOn}
          onChange={({ target: box }) => onTick(box.checked)}
          className="size-3.5 align-middle accent-accent"
        />
      </td>
      <td className="mono truncate pr-3" title={name}>
        {target === null ? (
          visibleLine(method)
        ) : (
          <>
            <span className="text-faint">{visibleLine(method)}</span> {visibleLine(target)}
          </>
        )}
      </td>
      <td className="pr-4 text-right tabular-nums">{formatCount(count)}</td>
      <td>
        <Chip tone={tone}>{label}</Chip>
      </td>
      <td className="truncate pr-4 text-mute" title={notes.join(', ')}>
        {notes.length === 0 && effect !== 'request' ? 'none' : notes.join(', ')}
      </td>
    </tr>
  );
}

import { useState } from 'react';
import { callKey, changeSetup, isTicked, type ReplaySetup, sendableOf } from '#model/replay.ts';
import type { PlannedCalls, ReplayEffect } from '#shared/contract/replay.ts';
import { formatCount } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { Chip, type Tone } from '#ui/chip.tsx';
import { cx } from '#ui/cx.ts';
import { visibleLine } from '#ui/visible.ts';

const effects: Readonly<Record<ReplayEffect, readonly [label: string, tone: Tone]>> = {
  request: ['request', 'neutral'],
  reads: ['read-only', 'ok'],
  writes: ['writes', 'warn'],
  destructive: ['may destroy', 'error'],
  unannotated: ['not annotated', 'warn'],
};

/** Lines that are shown at first. */
const FIRST = 200;

/** What would be sent, by tool, with the tools' annotations, to tick. */
export function PlanTable({
  paneId,
  calls,
  setup: { ticks, secrets },
}: {
  readonly paneId: string;
  readonly calls: readonly PlannedCalls[];
  readonly setup: ReplaySetup;
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
              sendable={sendableOf(planned, secrets)}
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
  sendable,
  onTick,
}: {
  readonly planned: PlannedCalls;
  readonly isOn: boolean;
  /** How many of them can be sent. */
  readonly sendable: number;
  readonly onTick: (isOn: boolean) => void;
}) {
  const { method, target, count, unsendable, effect, isListed, hints } = planned;
  const lacking = count - unsendable - sendable;
  const [label, tone] = effects[effect];
  const name = visibleLine(target === null ? method : `${method} ${target}`);
  const notes = [
    ...(isListed ? [] : ['the server does not list this tool']),
    ...(unsendable === 0 ? [] : [`${formatCount(unsendable)} cannot be sent: without a response`]),
    ...(lacking === 0 ? [] : [`${formatCount(lacking)} not sent without the value of a secret`]),
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

import type { Switches } from '#shared/contract/sessions.ts';
import { cx } from '#ui/cx.ts';
import { Segmented } from '#ui/segmented.tsx';
import { isTurnedOn, type Reach, type SwitchFacts } from './switch-table.ts';
import { SwitchValue } from './switch-value.tsx';

/** One switch: what it does, what it is about, and how it stands. */
export function SwitchRow({
  facts,
  switches,
  reach,
  onChange,
}: {
  readonly facts: SwitchFacts;
  readonly switches: Switches;
  readonly reach: Reach;
  readonly onChange: (switches: Switches) => void;
}) {
  const { name, label, does, concerns, takesEffect, choices, choiceOf, choose, idle } = facts;
  const isOn = isTurnedOn(facts, switches);
  const why = idle(reach);
  return (
    <li
      aria-label={label}
      className={cx(
        'border-l-2 py-2 pr-2.5 pl-2.5 not-last:border-b not-last:border-b-line',
        isOn ? 'border-l-warn' : 'border-l-transparent',
      )}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span className={cx('mono', isOn ? 'font-semibold text-warn' : why !== null && 'text-mute')}>
          {label}
        </span>
        <Segmented
          label={label}
          value={choiceOf(switches)}
          onChange={(choice) => onChange(choose(switches, choice))}
          // What is on can always be turned off.
          options={choices.map((choice) => ({ ...choice, disabled: why !== null && !isOn }))}
        />
      </div>
      <p className="mt-0.5 text-sm text-mute">{does}</p>
      <p className="text-sm text-faint">
        {concerns} · {why === null ? takesEffect : `no effect here: ${why}`}
      </p>
      {isOn && (
        <div className="mt-1.5 empty:hidden">
          <SwitchValue name={name} switches={switches} onChange={onChange} />
        </div>
      )}
    </li>
  );
}

import { ChevronRight } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Server } from '#shared/contract/servers.ts';
import type { SessionStatus } from '#model/sessions.ts';
import {
  switchTable,
  activeSwitches,
  isActive,
  type SwitchTarget,
  type SwitchFacts,
} from '#shared/client-switches/switch-table.ts';
import { switchesOff, type Switches } from '#shared/client-switches/switches.ts';
import { formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { Chip } from '#ui/chip.tsx';
import { cx } from '#ui/cx.ts';
import { Segmented } from '#ui/segmented.tsx';
import {
  changeSwitches,
  clearWanted,
  setSectionOpen,
  useSectionState,
  useSwitches,
} from './active-switches.tsx';
import { SwitchValue } from './switch-value.tsx';

/** Switches that break rules of the protocol on purpose; collapsed while none is active. */
export function ClientSwitches({
  server,
  session,
}: {
  readonly server: Server;
  readonly session: SessionStatus | null;
}) {
  const switches = useSwitches(server.id);
  const chosen = useSectionState(({ isOpen }) => isOpen[server.id]);
  const heading = useHeadingInView(server.id, switches !== null);
  if (switches === null) return null;
  const count = activeSwitches(switches).length;
  const isOpen = chosen ?? count > 0;
  const change = (changed: Switches) => {
    // Keep the section open, even if the count becomes zero.
    setSectionOpen(server.id, true);
    void changeSwitches(server.id, changed);
  };
  return (
    <section aria-label="Client switches">
      <div className="flex min-h-6 items-center gap-2">
        <h3 className="caption">
          <button
            ref={heading}
            type="button"
            aria-expanded={isOpen}
            onClick={() => setSectionOpen(server.id, !isOpen)}
            className="-ml-0.5 flex h-6 items-center gap-0.5 tracking-[inherit] uppercase outline-offset-1 hover:text-text"
          >
            <ChevronRight aria-hidden className={cx('size-3.5', isOpen && 'rotate-90')} />
            Client switches
          </button>
        </h3>
        {count === 0 ? (
          <span className="text-xs text-faint">none active</span>
        ) : (
          <>
            <Chip tone="warn">bad client: {formatQuantity(count, 'switch', 'switches')}</Chip>
            <Button variant="quiet" size="small" className="ml-auto" onClick={() => change(switchesOff)}>
              Turn all off
            </Button>
          </>
        )}
      </div>
      {isOpen && (
        <>
          <p className="mb-1.5 text-sm text-mute">
            Break a rule on purpose, to see how the server reacts. Switches apply to this server until
            Sightglass quits.
          </p>
          <ul className="overflow-hidden rounded-ui border border-line bg-panel">
            {switchTable.map((facts) => (
              <SwitchRow
                key={facts.name}
                facts={facts}
                switches={switches}
                target={targetOf(server, session)}
                onChange={change}
              />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** Where the switches would apply. Taken from the session, or from settings that leave no choice. */
function targetOf(server: Server, session: SessionStatus | null): SwitchTarget {
  const { transport, era } = server;
  const settled = {
    era: era === 'auto' ? null : era,
    transport:
      transport.kind === 'stdio' ? 'stdio' : transport.transport === 'auto' ? 'http' : transport.transport,
  } as const;
  if (session === null) return settled;
  const { agreement } = session;
  return {
    transport: session.transport === 'http' ? settled.transport : session.transport,
    era: agreement?.era ?? settled.era,
  };
}

/** Scrolls to the heading and focuses it when the user followed a link to it. */
function useHeadingInView(serverId: string, isThere: boolean) {
  const heading = useRef<HTMLButtonElement>(null);
  const isWanted = useSectionState(({ wanted }) => wanted === serverId);
  useEffect(() => {
    if (!isWanted || !isThere) return;
    heading.current?.scrollIntoView({ block: 'start' });
    heading.current?.focus();
    clearWanted();
  }, [isWanted, isThere]);
  return heading;
}

/** One switch: what it does, where it applies, and its setting. */
function SwitchRow({
  facts,
  switches,
  target,
  onChange,
}: {
  readonly facts: SwitchFacts;
  readonly switches: Switches;
  readonly target: SwitchTarget;
  readonly onChange: (switches: Switches) => void;
}) {
  const { name, label, does, concerns, takesEffect, choices, choiceOf, choose, whyNoEffect } = facts;
  const isOn = isActive(facts, switches);
  const idleReason = whyNoEffect(target);
  return (
    <li
      aria-label={label}
      className={cx(
        'border-l-2 py-2 pr-2.5 pl-2.5 not-last:border-b not-last:border-b-line',
        isOn ? 'border-l-warn' : 'border-l-transparent',
      )}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span className={cx('mono', isOn ? 'font-semibold text-warn' : idleReason !== null && 'text-mute')}>
          {label}
        </span>
        <Segmented
          label={label}
          value={choiceOf(switches)}
          onChange={(choice) => onChange(choose(switches, choice))}
          // An active switch can always be turned off.
          options={choices.map((choice) => ({ ...choice, disabled: idleReason !== null && !isOn }))}
        />
      </div>
      <p className="mt-0.5 text-sm text-mute">{does}</p>
      <p className="text-sm text-faint">
        {concerns} · {idleReason === null ? takesEffect : `no effect here: ${idleReason}`}
      </p>
      {isOn && (
        <div className="mt-1.5 empty:hidden">
          <SwitchValue name={name} switches={switches} onChange={onChange} />
        </div>
      )}
    </li>
  );
}

import { ChevronRight } from 'lucide-react';
import { memo, useEffect, useRef } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import { noteFault } from '#model/connection.ts';
import { followValue } from '#model/follow.ts';
import { selectPane, selectServer } from '#model/selection.ts';
import type { Server } from '#shared/contract/servers.ts';
import type { SessionStatus } from '#model/sessions.ts';
import {
  switchTable,
  activeSwitches,
  isActive,
  type Reach,
  type SwitchFacts,
} from '#shared/client-switches/switch-table.ts';
import { switchesOff, type Switches } from '#shared/client-switches/switches.ts';
import { formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { Chip } from '#ui/chip.tsx';
import { cx } from '#ui/cx.ts';
import { Segmented } from '#ui/segmented.tsx';
import { Tooltip } from '#ui/tooltip.tsx';
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
    // Keep the section open, whatever the count becomes.
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
                reach={reachOf(server, session)}
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
function reachOf(server: Server, session: SessionStatus | null): Reach {
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
  reach,
  onChange,
}: {
  readonly facts: SwitchFacts;
  readonly switches: Switches;
  readonly reach: Reach;
  readonly onChange: (switches: Switches) => void;
}) {
  const { name, label, does, concerns, takesEffect, choices, choiceOf, choose, idle } = facts;
  const isOn = isActive(facts, switches);
  const idleReason = idle(reach);
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

/** Warns that client switches are active for this server, and links to them. The status bar renders with each message. */
export const ActiveSwitches = memo(function ActiveSwitches({ serverId }: { readonly serverId: string }) {
  const switches = useSwitches(serverId);
  const active = switches === null ? [] : activeSwitches(switches);
  if (active.length === 0) return null;
  return (
    <Tooltip side="top" text={active.map(({ label }) => label).join(', ')}>
      <button
        type="button"
        onClick={() => showSwitches(serverId)}
        className="flex rounded-full outline-offset-1"
      >
        <Chip tone="warn" className="bg-warn/10 hover:border-warn">
          bad client: {formatQuantity(active.length, 'switch', 'switches')}
        </Chip>
      </button>
    </Tooltip>
  );
});

interface SectionState {
  /** Whether the user opened or closed the section, by server; by default it is open while a switch is active. */
  readonly isOpen: Readonly<Record<string, boolean>>;
  /** The server whose section should be scrolled into view. */
  readonly wanted: string | null;
}

/** State of the section, kept while the app runs. */
export const useSectionState = create<SectionState>()(() => ({ isOpen: {}, wanted: null }));

const setSectionOpen = (serverId: string, isOpen: boolean): void =>
  useSectionState.setState((now) => ({ isOpen: { ...now.isOpen, [serverId]: isOpen } }));

/** Opens the client switches of a server, from any pane. */
function showSwitches(serverId: string): void {
  selectServer(serverId);
  selectPane('overview');
  setSectionOpen(serverId, true);
  useSectionState.setState({ wanted: serverId });
}

/** Marks the section as scrolled into view. */
const clearWanted = (): void => useSectionState.setState({ wanted: null });

/** Client switches by server id. */
const useSwitchStore = create<Readonly<Record<string, Switches>>>()(() => ({}));

/** The client switches of a server; null until they are loaded. */
function useSwitches(serverId: string): Switches | null {
  useEffect(() => {
    const { loaded, stop } = followValue<Switches>({
      read: () => call('sessions/switches', { serverId }),
      listen: (changed) =>
        on('sessions/switches-changed', (change) => {
          if (change.serverId === serverId) changed(change.switches);
        }),
      set: (switches) => useSwitchStore.setState({ [serverId]: switches }),
    });
    loaded.catch((error: unknown) => noteFault(serverId, error));
    return stop;
  }, [serverId]);
  return useSwitchStore((known) => known[serverId] ?? null);
}

/** Sets the client switches of a server. Never rejects: a failure is shown in the server's Overview. */
async function changeSwitches(serverId: string, switches: Switches): Promise<void> {
  try {
    const changed = await call('sessions/set-switches', { serverId, switches });
    useSwitchStore.setState({ [serverId]: changed });
  } catch (error) {
    noteFault(serverId, error);
  }
}

import { ChevronRight } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { changeSwitches, useSwitches } from '#model/switches.ts';
import type { Server } from '#shared/contract/servers.ts';
import { goodClient, type SessionView, type Switches } from '#shared/contract/sessions.ts';
import { formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { Chip } from '#ui/chip.tsx';
import { cx } from '#ui/cx.ts';
import { sectionShown, setSectionOpen, useSectionState } from './section-state.ts';
import { SwitchRow } from './switch-row.tsx';
import { reachOf, switchTable, turnedOn } from './switch-table.ts';

/** Ways to be a bad client on purpose; closed while there is none. */
export function ClientSwitches({
  server,
  session,
}: {
  readonly server: Server;
  readonly session: SessionView | null;
}) {
  const switches = useSwitches(server.id);
  const chosen = useSectionState(({ isOpen }) => isOpen[server.id]);
  const heading = useHeadingInView(server.id, switches !== null);
  if (switches === null) return null;
  const count = turnedOn(switches).length;
  const isOpen = chosen ?? count > 0;
  const change = (changed: Switches) => {
    // It stays as it is under the pointer, however many are on then.
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
          <span className="text-xs text-faint">no rule broken</span>
        ) : (
          <>
            <Chip tone="warn">bad client: {formatQuantity(count, 'switch', 'switches')}</Chip>
            <Button variant="quiet" size="small" className="ml-auto" onClick={() => change(goodClient)}>
              Turn all off
            </Button>
          </>
        )}
      </div>
      {isOpen && (
        <>
          <p className="mb-1.5 text-sm text-mute">
            Break a rule on purpose, to see what the server does. They hold for this server until Sightglass
            ends.
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

/** Brings the heading into view, and the focus to it, when the user was led here. */
function useHeadingInView(serverId: string, isThere: boolean) {
  const heading = useRef<HTMLButtonElement>(null);
  const isWanted = useSectionState(({ wanted }) => wanted === serverId);
  useEffect(() => {
    if (!isWanted || !isThere) return;
    heading.current?.scrollIntoView({ block: 'start' });
    heading.current?.focus();
    sectionShown();
  }, [isWanted, isThere]);
  return heading;
}

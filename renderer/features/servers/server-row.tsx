import { Ellipsis } from 'lucide-react';
import { connect } from '#model/connection.ts';
import { phaseWord } from '#model/phase.ts';
import { selectServer } from '#model/selection.ts';
import { isOpen } from '#model/sessions.ts';
import { describeTarget } from '#model/target.ts';
import type { Server } from '#shared/contract/servers.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { IconButton } from '#ui/button.tsx';
import { Badge } from '#ui/chip.tsx';
import { cx } from '#ui/cx.ts';
import { formatCount } from '#shared/format.ts';
import { ContextMenu, Menu, type MenuEntries } from '#ui/menu.tsx';
import { StatusDot } from '#ui/status-dot.tsx';
import { visibleLine } from '#ui/visible.ts';
import { programOf } from '#shared/server-names.ts';
import { RemovalConfirmation } from './removal.tsx';

/** One server: its phase as a dot and a word, its name, its transport; before a session, what it is. */
export function ServerRow({
  server,
  session,
  isSelected,
  isTabStop,
  isRemoving,
  actions,
}: {
  readonly server: Server;
  readonly session: SessionView | null;
  readonly isSelected: boolean;
  readonly isTabStop: boolean;
  readonly isRemoving: boolean;
  readonly actions: MenuEntries;
}) {
  const { tone, word } = phaseWord(session);
  const isConnected = session !== null && isOpen(session);
  const target = shortTarget(server);
  const waiting = session?.waiting ?? 0;
  const lead = session ? word : target === server.name ? null : target;
  return (
    <ContextMenu entries={actions}>
      <li className="group relative">
        <RemovalConfirmation
          server={server}
          session={session}
          open={isRemoving}
          anchor={
            <button
              type="button"
              data-server={server.id}
              tabIndex={isTabStop ? 0 : -1}
              aria-current={isSelected || undefined}
              title={visibleLine(describeTarget(server))}
              onClick={() => selectServer(server.id)}
              onDoubleClick={() => {
                if (!isConnected) void connect(server.id);
              }}
              className={cx(
                'flex h-7 w-full items-center gap-2 px-3.5 text-left focus-visible:rounded-none',
                isSelected ? 'bg-hover shadow-[inset_2px_0_var(--accent)]' : 'hover:bg-hover',
              )}
            >
              <StatusDot tone={tone} />
              <span className="min-w-0 truncate">{visibleLine(server.name)}</span>
              {waiting > 0 && (
                <span className="shrink-0">
                  <Badge>{formatCount(waiting)}</Badge>
                  <span className="sr-only">
                    {waiting === 1 ? ' question waiting' : ' questions waiting'}
                  </span>
                </span>
              )}
              <span className="ml-auto flex max-w-3/5 shrink-0 text-xs whitespace-pre text-faint group-focus-within:invisible group-hover:invisible">
                {lead !== null && (
                  <span className={cx('truncate', tone === 'error' && 'text-err')}>{lead}</span>
                )}
                {/* A question is worth more room. */}
                {waiting === 0 && (
                  <span className="shrink-0">
                    {lead !== null && ' · '}
                    {server.transport.kind}
                  </span>
                )}
              </span>
            </button>
          }
        />
        <div className="absolute top-0.5 right-1.5 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-data-[state=open]:opacity-100">
          <Menu
            entries={actions}
            align="start"
            trigger={
              <IconButton size="small" label={`Actions for ${server.name}`} tabIndex={isTabStop ? 0 : -1}>
                <Ellipsis aria-hidden className="size-3.5" />
              </IconButton>
            }
          />
        </div>
      </li>
    </ContextMenu>
  );
}

/** Where it is or what is run, in a word. */
function shortTarget({ transport }: Server): string {
  if (transport.kind === 'http') return visibleLine(new URL(transport.url).host);
  return visibleLine(programOf(transport.command));
}

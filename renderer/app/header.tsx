import { FolderOpen, Play, RotateCw, Search, Settings, Square, X } from 'lucide-react';
import { memo, useMemo, useState } from 'react';
import type { Server } from '#shared/contract/servers.ts';
import type { SessionStatus } from '#model/sessions.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import { currentCommands, useCommands, useShortcut } from '#model/commands.ts';
import { connect, disconnect, useAttempts, useIsApprovalShown } from '#model/connection.ts';
import { isOpen } from '#model/sessions.ts';
import { choice, keepEntry, keptEntry } from '#model/place.ts';
import { openSettings } from '#model/selection.ts';
import { closeTrace, excerptInWords } from '#model/traces.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { CommandPalette } from '#ui/command-palette.tsx';
import { cx } from '#ui/cx.ts';
import { Kbd } from '#ui/kbd.tsx';
import { ariaShortcut, shortcutLabel } from '#ui/shortcut.ts';
import { reportFault } from '#ui/toaster.tsx';
import { Tooltip } from '#ui/tooltip.tsx';
import { visibleLine } from '#ui/visible.ts';
import { shortcuts } from './app-commands.ts';
import { isRemembered, usePaletteSearch } from './palette-search.ts';

export function Header({
  server,
  session,
  trace,
}: {
  readonly server: Server | null;
  readonly session: SessionStatus | null;
  /** The opened trace file on screen. */
  readonly trace: OpenedTrace | null;
}) {
  return (
    <header className="grid grid-cols-[1fr_auto_1fr] items-center gap-3 border-b border-line bg-panel px-3">
      <div className="flex items-center gap-2.5">
        <Logo />
        <h1 className="font-semibold">Sightglass</h1>
      </div>
      <PaletteOpener />
      <div className="flex min-w-0 justify-end gap-1">
        {server && <SessionButtons server={server} session={session} />}
        {trace && <TraceButtons trace={trace} />}
        <SettingsButton />
      </div>
    </header>
  );
}

function SettingsButton() {
  const keys = useShortcut('app.settings', shortcuts.settings);
  return (
    <IconButton label="Settings" size="small" shortcut={keys} onClick={openSettings}>
      <Settings aria-hidden className="size-3.5" />
    </IconButton>
  );
}

const PaletteOpener = memo(function PaletteOpener() {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const recent = useMemo(() => (isPaletteOpen ? recentEntries() : []), [isPaletteOpen]);
  const find = usePaletteSearch(isPaletteOpen, recent);
  const keys = useShortcut('palette.open', shortcuts.palette);
  useCommands([
    {
      id: 'palette.open',
      title: 'Search commands',
      group: 'Go to',
      shortcut: shortcuts.palette,
      run: () => setPaletteOpen(true),
    },
  ]);
  return (
    <CommandPalette
      open={isPaletteOpen}
      onOpenChange={setPaletteOpen}
      entries={() => currentCommands().filter(({ id }) => id !== 'palette.open')}
      find={find}
      recent={recent}
      onChosen={noteChosen}
      opener={
        <button
          type="button"
          aria-keyshortcuts={keys && ariaShortcut(keys)}
          className="flex h-[26px] w-[min(420px,40vw)] items-center gap-2 rounded-ui border border-line bg-raise px-2.5 text-faint outline-offset-1 hover:border-line-strong"
        >
          <Search aria-hidden className="size-3.5" />
          <span>Search commands…</span>
          {keys && <Kbd keys={keys} className="ml-auto" />}
        </button>
      }
    />
  );
});

/** Entries that are remembered as chosen lately. */
const MAX_RECENT = 20;

/** The ids of the entries of the palette that were chosen lately, the latest first; kept over restarts. */
const recentEntries = (): readonly string[] =>
  Object.values(keptEntry('palette')?.chosen ?? {}).flatMap((id) =>
    typeof id === 'string' && isRemembered(id) ? [id] : [],
  );

function noteChosen(id: string): void {
  if (!isRemembered(id)) return;
  const ids = [id, ...recentEntries().filter((one) => one !== id)].slice(0, MAX_RECENT);
  keepEntry('palette', choice(Object.fromEntries(ids.map((one, place) => [`last ${place}`, one]))));
}

function SessionButtons({
  server,
  session,
}: {
  readonly server: Server;
  readonly session: SessionStatus | null;
}) {
  const attempt = useAttempts((attempts) => attempts[server.id]);
  const isApprovalShown = useIsApprovalShown(server.id);
  const connectKeys = useShortcut('session.connect', shortcuts.connect);
  const disconnectKeys = useShortcut('session.disconnect', shortcuts.disconnect);
  const label = session ? 'Reconnect' : 'Connect';
  const Icon = session ? RotateCw : Play;
  const open = session !== null && isOpen(session) ? session : null;
  return (
    <>
      {!isApprovalShown && (
        <Tooltip text={`${label} ${server.name}${inBrackets(connectKeys)}`}>
          <Button
            variant="quiet"
            size="small"
            aria-keyshortcuts={connectKeys && ariaShortcut(connectKeys)}
            disabled={attempt?.state === 'opening'}
            icon={<Icon aria-hidden className="size-3" />}
            onClick={() => void connect(server.id)}
          >
            {label}
          </Button>
        </Tooltip>
      )}
      {/* Always there: if it appeared on connecting, the second of two quick clicks would close the new session. */}
      <Tooltip text={`Disconnect ${server.name}${inBrackets(disconnectKeys)}`}>
        <Button
          variant="quiet"
          size="small"
          aria-keyshortcuts={disconnectKeys && ariaShortcut(disconnectKeys)}
          disabled={open === null || open.phase === 'closing'}
          icon={<Square aria-hidden className="size-2.5 fill-current" />}
          onClick={() => open && void disconnect(open)}
        >
          Disconnect
        </Button>
      </Tooltip>
    </>
  );
}

const inBrackets = (keys: string | undefined): string => (keys ? ` (${shortcutLabel(keys)})` : '');

function TraceButtons({ trace: { sessionId, name, path, header } }: { readonly trace: OpenedTrace }) {
  return (
    <>
      <span
        title={header.excerpt ? `${path}\n${visibleLine(excerptInWords(header.excerpt))}` : path}
        className="mr-1 flex min-w-0 items-center gap-2"
      >
        <FolderOpen aria-hidden className="size-3.5 shrink-0 text-accent" />
        <span className={cx('truncate', header.excerpt && 'max-w-[45%] shrink-0')}>{visibleLine(name)}</span>
        {header.excerpt && (
          <span className="min-w-0 truncate text-warn">{visibleLine(excerptInWords(header.excerpt))}</span>
        )}
      </span>
      <Button
        variant="quiet"
        size="small"
        icon={<X aria-hidden className="size-3.5" />}
        onClick={() => reportFault(closeTrace(sessionId))}
      >
        Close
      </Button>
    </>
  );
}

/** The logo: a round window, half full. */
function Logo() {
  return (
    <span
      aria-hidden
      className="size-4 shrink-0 rounded-full border-2 border-accent bg-[linear-gradient(180deg,transparent_50%,var(--accent)_50%)]"
    />
  );
}

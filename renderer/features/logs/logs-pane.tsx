import { FileDown, ScrollText, ShieldQuestion, Unplug } from 'lucide-react';
import { type RefObject, useMemo, useRef, useState } from 'react';
import { type Command, useCommands } from '#model/commands.ts';
import { openExport } from '#model/exports.ts';
import { faultOf } from '#model/faults.ts';
import { useLogLevel } from '#model/log-level.ts';
import { selectPane, useShownSession, useSelection } from '#model/selection.ts';
import { isOpen, type SessionStatus } from '#model/sessions.ts';
import type { Agreement } from '#shared/contract/sessions.ts';
import { formatCount } from '#shared/format.ts';
import { logLevels } from '#shared/protocol/log-levels.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Checkbox, SelectBox } from '#ui/field.tsx';
import { useSignal, useSignalled } from '#ui/frame-signal.ts';
import { LogLevel } from '#ui/log-level.tsx';
import { SearchField } from '#ui/search-field.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { Tooltip } from '#ui/tooltip.tsx';
import { WordSwitch } from '#ui/word-switch.tsx';
import { Activity } from './activity.tsx';
import { LogDetail } from './log-detail.tsx';
import { LogList } from './log-list.tsx';
import { everyLog, type LogView, logViews } from './log-view.ts';
import { LoggerList, useLogCounts } from './logger-list.tsx';
import { SecretScan } from './secret-scan.tsx';

type Part = 'messages' | 'activity';

/** What a server logs, and what is under way in its session. */
export function LogsPane() {
  const session = useShownSession();
  if (session === null) {
    return (
      <EmptyState icon={<Unplug />} title="Not connected">
        Connect to the server: its log messages appear here.
      </EmptyState>
    );
  }
  return <Logs key={session.id} session={session} />;
}

function Logs({ session }: { readonly session: SessionStatus }) {
  const view = useMemo(() => logViews.of(session.id), [session.id]);
  const [part, setPart] = useState<Part>('messages');
  const clock = useSignalled(view.signal, () => view.clock);
  const searchRef = useRef<HTMLInputElement>(null);
  const search = (): void => {
    setPart('messages');
    // Mounted by the next render.
    requestAnimationFrame(() => searchRef.current?.focus());
  };
  const inLogs = { group: 'Logs', keywords: ['log', 'message', 'logger'] } as const;
  const commands: readonly Command[] = [
    { ...inLogs, id: 'logs.search', title: 'Search the log messages', run: search },
    { ...inLogs, id: 'logs.follow', title: 'Follow the newest log message', run: () => view.setLive(true) },
    { ...inLogs, id: 'logs.activity', title: 'Show what is under way', run: () => setPart('activity') },
  ];
  useCommands(commands);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex min-h-[34px] shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1">
        <WordSwitch
          label="Logs"
          value={part}
          onChange={setPart}
          options={[
            { id: 'messages', label: 'Messages', hint: 'Log messages of the server' },
            { id: 'activity', label: 'Activity', hint: 'Requests under way, and changes of lists' },
          ]}
        />
        {part === 'messages' && <Choices view={view} session={session} searchRef={searchRef} />}
        <div className="ml-auto flex items-center gap-2">
          <ServerLevel session={session} />
        </div>
      </div>
      <div className="min-h-0 flex-1">
        {part === 'messages' ? (
          <Messages view={view} session={session} />
        ) : (
          <Activity session={session} clock={clock} />
        )}
      </div>
    </div>
  );
}

/** The level that the server was asked for, and while it is connected the selector of it. */
function ServerLevel({ session }: { readonly session: SessionStatus }) {
  const { agreement, phase, logLevel } = session;
  return (
    <>
      <span className="text-sm text-mute">Server sends from</span>
      {phase === 'ready' && agreement !== null ? (
        <LevelSelector session={session} agreement={agreement} />
      ) : (
        <span className="mono">{logLevel ?? 'level not set'}</span>
      )}
    </>
  );
}

function LevelSelector({
  session,
  agreement,
}: {
  readonly session: SessionStatus;
  readonly agreement: Agreement;
}) {
  return <LogLevel {...useLogLevel(session, agreement)} />;
}

/** What the list shows. */
function Choices({
  view,
  session,
  searchRef,
}: {
  readonly view: LogView;
  readonly session: SessionStatus;
  readonly searchRef: RefObject<HTMLInputElement | null>;
}) {
  useSignal(view.signal);
  const { choices, isLive } = view;
  return (
    <>
      <SelectBox
        aria-label="Show from level"
        size="small"
        className="w-36"
        value={String(choices.severity)}
        options={logLevels.map((level, severity) => ({
          value: String(severity),
          label: severity === 0 ? 'every level' : `${level} and up`,
        }))}
        onChange={(severity) => view.choose({ severity: Number(severity) })}
      />
      <SearchField
        ref={searchRef}
        label="Search the logs"
        value={choices.text}
        onChange={(text) => view.choose({ text })}
        className="w-44"
      />
      <Checkbox
        label="stderr"
        checked={choices.withStderr}
        onChange={(withStderr) => view.choose({ withStderr })}
      />
      {isOpen(session) && <Follow isLive={isLive} onChange={(follows) => view.setLive(follows)} />}
    </>
  );
}

function Follow({
  isLive,
  onChange,
}: {
  readonly isLive: boolean;
  readonly onChange: (isLive: boolean) => void;
}) {
  return (
    <Tooltip
      text={isLive ? 'New messages scroll into view. Click to stay here.' : 'Go to the newest message (End)'}
    >
      <button
        type="button"
        aria-pressed={isLive}
        onClick={() => onChange(!isLive)}
        className={`flex h-6 w-[72px] shrink-0 items-center justify-center gap-1.5 rounded-ui hover:bg-hover ${isLive ? 'text-in' : 'text-mute'}`}
      >
        <span
          aria-hidden
          className={`size-2 rounded-full ${isLive ? 'bg-in' : 'border-[1.5px] border-current'}`}
        />
        {isLive ? 'live' : 'paused'}
        <span className="sr-only">: follow the newest message</span>
      </button>
    </Tooltip>
  );
}

/** The loggers, the list and the selected message. */
function Messages({ view, session }: { readonly view: LogView; readonly session: SessionStatus }) {
  useSignal(view.signal);
  const counts = useLogCounts(session);
  const isRecorded = useSelection(({ openedId }) => openedId === session.id);
  const [scannedFilter, setScannedFilter] = useState<{ id: string; matches: number } | null>(null);
  const listRef = useRef<HTMLDivElement>(null);
  const detailRef = useRef<HTMLElement>(null);
  const { selected, choices, progress, filterId, error } = view;
  const close = () => {
    view.deselect();
    listRef.current?.focus();
  };
  if (scannedFilter !== null && scannedFilter.id !== filterId) setScannedFilter(null);
  return (
    <div className="flex h-full min-h-0 flex-col">
      {error !== null && (
        <FaultCard
          fault={faultOf(error)}
          actions={<Button onClick={() => view.retry()}>Try again</Button>}
          className="m-2 shrink-0"
        />
      )}
      {scannedFilter !== null && (
        <SecretScan
          sessionId={session.id}
          filterId={scannedFilter.id}
          matches={scannedFilter.matches}
          onClose={() => setScannedFilter(null)}
        />
      )}
      <Split id="logs" direction="row" className="min-h-0 flex-1">
        <SplitPanel id="logs-loggers" size={230} min={170} max={420} keepsPixels>
          {counts && (
            <LoggerList
              counts={counts}
              chosen={choices.loggers}
              isRecorded={isRecorded}
              onChange={(loggers) => view.choose({ loggers })}
            />
          )}
        </SplitPanel>
        <SplitHandle label="Width of the loggers" />
        <SplitPanel id="logs-list" min={320}>
          <div className="relative min-h-0 flex-1 after:pointer-events-none after:absolute after:inset-0 after:border after:border-transparent has-[[role=listbox]:focus-visible]:after:border-accent">
            <LogList view={view} ref={listRef} onEnter={() => detailRef.current?.focus()} />
            {progress?.isDone && progress.matches === 0 && <NoMessages view={view} session={session} />}
          </div>
          <div className="flex h-7 shrink-0 items-center gap-2 border-t border-line px-2.5 text-sm">
            <span role="status" aria-busy={progress === null || !progress.isDone} className="mono text-mute">
              {progress && `${formatCount(progress.matches)} shown`}
            </span>
            <div className="ml-auto flex items-center gap-1">
              <IconButton
                size="small"
                label="Search these messages for secrets"
                disabled={filterId === null || progress?.matches === 0}
                onClick={() =>
                  setScannedFilter(
                    filterId === null ? null : { id: filterId, matches: progress?.matches ?? 0 },
                  )
                }
              >
                <ShieldQuestion aria-hidden className="size-3.5" />
              </IconButton>
              <Button
                size="small"
                variant="quiet"
                icon={<FileDown aria-hidden className="size-3.5" />}
                disabled={filterId === null || progress?.matches === 0}
                onClick={() => {
                  if (filterId === null || progress === null) return;
                  openExport(session.id, { of: 'filter', filterId }, { filterId, matches: progress.matches });
                }}
              >
                Export…
              </Button>
            </div>
          </div>
        </SplitPanel>
        {selected !== null && <SplitHandle label="Width of the message" />}
        {selected !== null && (
          <SplitPanel id="logs-detail" size={340} min={220} keepsPixels>
            <LogDetail view={view} ref={detailRef} onClose={close} />
          </SplitPanel>
        )}
      </Split>
    </div>
  );
}

/** Covers the empty list. */
function NoMessages({ view, session }: { readonly view: LogView; readonly session: SessionStatus }) {
  const { choices } = view;
  const isFiltered = choices.severity > 0 || choices.loggers.length > 0 || choices.text !== '';
  return (
    <div className="absolute inset-0 bg-panel">
      {isFiltered ? (
        <EmptyState
          title="No message matches"
          actions={<Button onClick={() => view.choose(everyLog)}>Show all messages</Button>}
        />
      ) : (
        <EmptyState
          icon={<ScrollText />}
          title="No log messages"
          actions={
            isOpen(session) && <Button onClick={() => selectPane('tools')}>Show the server’s tools</Button>
          }
        >
          {isOpen(session)
            ? 'A server sends them on its own or while a tool runs. Many send none until a level is set: choose one above, at the right.'
            : 'The server sent none in this session.'}
        </EmptyState>
      )}
    </div>
  );
}

import { GitCompare, Unplug } from 'lucide-react';
import { type ReactNode, useEffect, useMemo } from 'react';
import {
  changeSetup,
  type ReplayStage,
  type ReplayView,
  replayAgain,
  returnRoom,
  type Side,
  stepReplay,
  stopReplay,
  stopUnseenReplay,
  useReplayView,
} from '#model/replay.ts';
import { useSelection, useShownSession } from '#model/selection.ts';
import { type SessionStatus, useLatestStatuses } from '#model/sessions.ts';
import { useCurrentTrace, useTraces } from '#model/traces.ts';
import type { OpenedTrace, TraceFileView } from '#shared/contract/traces.ts';
import { formatCount } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { visibleLine } from '#ui/visible.ts';
import { ComparedRun } from './compared-run.tsx';
import { CompareButton, ReplayPlan, SetupLine, SideChoice, type SideOption } from './setup.tsx';
import { clockOf, useSideNames } from './side-names.ts';

/** Replays a recording in the session on screen, or compares the opened trace on screen with another. */
export function ReplayPane() {
  const serverId = useSelection((selection) => selection.serverId);
  const trace = useCurrentTrace();
  const session = useShownSession();
  const live = trace === null && session?.phase === 'ready' ? session : null;
  const paneId = trace?.sessionId ?? serverId ?? '';
  const view = useReplayView(paneId);
  useEffect(() => returnRoom, []);
  const { stage } = view;
  switch (stage.at) {
    case 'running':
      return <Running paneId={paneId} stage={stage} />;
    case 'comparing':
      return (
        <EmptyState icon={<GitCompare />} title="Comparing">
          <span role="status">The responses and the lists of both sides are compared.</span>
        </EmptyState>
      );
    case 'compared':
      return <Compared paneId={paneId} view={view} stage={stage} live={live} />;
    case 'setup':
      return trace === null ? (
        <LiveSetup paneId={paneId} view={view} session={live} />
      ) : (
        <OpenedSetup paneId={paneId} view={view} trace={trace} />
      );
  }
}

function Running({
  paneId,
  stage: { sessionId, done, total, waiting, isStopping },
}: {
  readonly paneId: string;
  readonly stage: Extract<ReplayStage, { at: 'running' }>;
}) {
  const percent = total === 0 ? 0 : Math.floor((100 * done) / total);
  return (
    <div className="grid h-full place-items-center overflow-auto p-6">
      <section aria-label="Replay under way" className="w-full max-w-[520px]">
        <h2 className="text-lg font-semibold">{isStopping ? 'Stopping' : 'Replaying'}</h2>
        <p role="status" className="mt-1 text-mute tabular-nums">
          {formatCount(done)} of {formatCount(total)} calls
          {isStopping && ', the one under way is waited for'}
        </p>
        <div
          role="progressbar"
          aria-label="Calls replayed"
          aria-valuenow={percent}
          aria-valuemin={0}
          aria-valuemax={100}
          className="mt-2 h-1 overflow-hidden rounded-full bg-line"
        >
          <div className="h-full rounded-full bg-accent" style={{ width: `${percent}%` }} />
        </div>
        {waiting !== null && (
          <div
            key={waiting.recordedRow}
            ref={focusCard}
            role="group"
            aria-label="The next call"
            tabIndex={-1}
            className="mt-4 rounded-ui border border-line bg-panel px-3 py-2.5 outline-none"
          >
            <p className="truncate">
              Next: <span className="mono text-mute">{visibleLine(waiting.method)}</span>{' '}
              <span className="mono font-medium">{visibleLine(waiting.target ?? '')}</span>
            </p>
            <pre
              className="mono mt-1.5 max-h-32 overflow-auto whitespace-pre-wrap text-mute [overflow-wrap:anywhere]"
              tabIndex={0}
            >
              {waiting.params.slice(0, MAX_PARAMS)}
            </pre>
          </div>
        )}
        <div className="mt-4 flex gap-2">
          {waiting !== null && (
            <>
              <Button variant="primary" onClick={() => void stepReplay(paneId, waiting, 'send')}>
                Send it
              </Button>
              <Button onClick={() => void stepReplay(paneId, waiting, 'skip')}>Skip it</Button>
            </>
          )}
          <Button disabled={isStopping} onClick={() => void stopReplay(paneId, sessionId)}>
            Stop
          </Button>
        </div>
      </section>
    </div>
  );
}

/**
 * Focuses the next call, not the button that sends it: a held Enter must not send what nobody has read. A user who works
 * elsewhere keeps the focus.
 */
function focusCard(card: HTMLElement | null): void {
  const { activeElement, body } = document;
  const isHere = activeElement === body || activeElement?.closest('[aria-label="Replay under way"]') != null;
  if (isHere) card?.focus();
}

/** Characters shown of the params of a call that waits. */
const MAX_PARAMS = 5000;

function Compared({
  paneId,
  view,
  stage: { sides, comparison },
  live,
}: {
  readonly paneId: string;
  readonly view: ReplayView;
  readonly stage: Extract<ReplayStage, { at: 'compared' }>;
  readonly live: SessionStatus | null;
}) {
  const sideNames = useSideNames(sides);
  const [recorded, other] = sideNames.names;
  const statuses = useLatestStatuses();
  const target =
    live ?? Object.values(statuses).find(({ id, phase }) => id === sides.other && phase === 'ready') ?? null;
  const title =
    sides.replay === null ? `${recorded} compared with ${other}` : `Replay of ${recorded} against ${other}`;
  return (
    <ComparedRun
      paneId={paneId}
      title={title}
      comparison={comparison}
      sides={sides}
      sideNames={sideNames}
      fault={view.fault}
      onAgain={target === null ? null : () => void replayAgain(paneId, sides.recorded, target.id)}
    />
  );
}

/** Trace files that are offered. */
const MAX_FILES = 500;

/** The recorded traces to choose from, but for one; those of other folders if they are open. */
function useFileOptions(except: string | null): readonly SideOption[] {
  const files = useTraces((traces) => traces.files);
  const opened = useTraces((traces) => traces.opened);
  return useMemo(() => {
    const listed = (files ?? []).filter(
      ({ fault, path, sessionId }) => fault === null && path !== except && sessionId === null,
    );
    const paths = new Set((files ?? []).map(({ path }) => path));
    const elsewhere = Object.values(opened).filter(({ path }) => !paths.has(path) && path !== except);
    return [
      ...elsewhere.map((trace) => ({
        side: { of: 'session' as const, sessionId: trace.sessionId },
        label: `${trace.name} (open)`,
      })),
      ...listed
        .slice(0, MAX_FILES)
        .map((file) => ({ side: { of: 'file' as const, path: file.path }, label: fileLabel(file) })),
    ];
  }, [files, opened, except]);
}

function fileLabel({ name, server, createdAt, rows }: TraceFileView): string {
  const date = new Date(createdAt);
  const day = date.toLocaleDateString('en-CA');
  const facts = [`${day} ${clockOf(createdAt)}`, rows === null ? null : `${formatCount(rows)} rows`];
  return [server !== null && name.startsWith(server) ? server : name, ...facts].filter(Boolean).join(' · ');
}

function LiveSetup({
  paneId,
  view,
  session,
}: {
  readonly paneId: string;
  readonly view: ReplayView;
  /** Null unless it is ready. */
  readonly session: SessionStatus | null;
}) {
  const files = useFileOptions(null);
  if (session === null) {
    return (
      <>
        {view.fault !== null && <FaultCard fault={view.fault} className="m-4" />}
        <EmptyState icon={<Unplug />} title="Not connected">
          Connect to the server to replay a recording against it. To compare two recordings, open one of them.
        </EmptyState>
      </>
    );
  }
  const own: Side = { of: 'session', sessionId: session.id };
  const options: SideOption[] = [{ side: own, label: 'The calls of this session so far' }, ...files];
  const { recording } = view.setup;
  const earlier =
    recording?.of === 'session' && recording.sessionId !== session.id
      ? [{ side: recording, label: 'An earlier session of this server' }]
      : [];
  const chosen = recording ?? own;
  return (
    <SetupFrame
      paneId={paneId}
      view={view}
      title="Replay a recording against this server"
      sessionId={session.id}
    >
      <div className="px-4">
        <SetupLine label="Recording">
          <SideChoice
            label="Recording"
            value={chosen}
            options={[...options, ...earlier]}
            placeholder="Choose a recording"
            onChange={(side) => changeSetup(paneId, { recording: side, scope: { of: 'all' } })}
          />
          {recording !== null && !(recording.of === 'session' && recording.sessionId === session.id) && (
            <CompareButton
              paneId={paneId}
              recorded={recording}
              other={{ of: 'so-far', sessionId: session.id }}
              label="Compare with this session so far"
              variant="plain"
            />
          )}
        </SetupLine>
      </div>
      <ReplayPlan paneId={paneId} view={view} recording={chosen} sessionId={session.id} />
    </SetupFrame>
  );
}

function OpenedSetup({
  paneId,
  view,
  trace,
}: {
  readonly paneId: string;
  readonly view: ReplayView;
  readonly trace: OpenedTrace;
}) {
  const files = useFileOptions(trace.path);
  const statuses = useLatestStatuses();
  const ready = Object.values(statuses).filter(({ phase }) => phase === 'ready');
  const options: SideOption[] = [
    ...ready.map((session) => ({
      side: { of: 'session' as const, sessionId: session.id },
      label: `Replay against ${session.serverName}, connected`,
    })),
    ...ready.map((session) => ({
      side: { of: 'so-far' as const, sessionId: session.id },
      label: `${session.serverName}, its session so far`,
    })),
    ...files,
  ];
  const { against, scope } = view.setup;
  const isLive = (side: Side): boolean =>
    side.of === 'session' && ready.some(({ id }) => id === side.sessionId);
  // Calls that were chosen in the trace are to be sent: to the server of the recording, if it is connected.
  const proposed =
    scope.of === 'all'
      ? null
      : (ready.find(({ serverName }) => serverName === trace.header.server.name) ?? ready[0] ?? null);
  const chosen: Side | null = against ?? (proposed && { of: 'session', sessionId: proposed.id });
  const recording: Side = { of: 'session', sessionId: trace.sessionId };
  return (
    <SetupFrame
      paneId={paneId}
      view={view}
      title="Compare this recording"
      sessionId={chosen?.of === 'session' ? chosen.sessionId : null}
    >
      <div className="px-4">
        <SetupLine label="With">
          <SideChoice
            label="Compare with"
            value={chosen}
            options={options}
            placeholder={
              options.length === 0
                ? 'No other recording, no connected server'
                : 'Another recording, or a connected server'
            }
            onChange={(side) => changeSetup(paneId, { against: side })}
          />
          {(chosen === null || !isLive(chosen)) && (
            <CompareButton paneId={paneId} recorded={recording} other={chosen} />
          )}
        </SetupLine>
      </div>
      {chosen !== null && chosen.of === 'session' && isLive(chosen) ? (
        <ReplayPlan paneId={paneId} view={view} recording={recording} sessionId={chosen.sessionId} />
      ) : (
        <div className="min-h-0 flex-1">
          <EmptyState icon={<GitCompare />} title="Two recordings, call by call">
            Calls are matched by method, tool and arguments, and sorted by how much their responses differ.
            Each change of the tools, resources and prompts names the recorded calls that it would break.{' '}
            {chosen?.of === 'so-far'
              ? 'No call is sent: the session is compared as far as it has come.'
              : 'With a connected server, the calls are sent to it first.'}
          </EmptyState>
        </div>
      )}
    </SetupFrame>
  );
}

function SetupFrame({
  paneId,
  view: { fault },
  title,
  sessionId,
  children,
}: {
  readonly paneId: string;
  readonly view: ReplayView;
  readonly title: string;
  /** The session that calls are sent to; null without any. */
  readonly sessionId: string | null;
  readonly children: ReactNode;
}) {
  return (
    <div className="flex h-full min-h-0 flex-col gap-2.5 pt-3">
      <h2 className="px-4 text-lg font-semibold">{title}</h2>
      {fault !== null && (
        <FaultCard
          fault={fault}
          className="mx-4"
          actions={
            fault.code === 'already-replaying' &&
            sessionId !== null && (
              <Button onClick={() => void stopUnseenReplay(paneId, sessionId)}>Stop that replay</Button>
            )
          }
        />
      )}
      {children}
    </div>
  );
}

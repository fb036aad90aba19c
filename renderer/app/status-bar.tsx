import { FileWarning } from 'lucide-react';
import type { ReactNode } from 'react';
import type { InboxRule } from '#shared/contract/inbox.ts';
import { defaultClientProfile, type Server } from '#shared/contract/servers.ts';
import type { SessionView, Stream } from '#shared/contract/sessions.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import { formatBytes, formatDuration, formatQuantity, formatRunTime, formatUptime } from '#shared/format.ts';
import { ActiveSwitches } from '#features/overview/active-switches.tsx';
import { Encryption } from '#features/overview/encryption.tsx';
import { RebuildState } from '#features/overview/rebuild.tsx';
import { connect } from '#model/connection.ts';
import { declineAll, showRules } from '#model/inbox.ts';
import { useAcceptsCertificate, useServers } from '#model/servers.ts';
import { phaseLabel, isOpen, transportLabel } from '#model/sessions.ts';
import { selectPane } from '#model/selection.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Popover } from '#ui/popover.tsx';
import { StatusDot } from '#ui/status-dot.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { Tooltip } from '#ui/tooltip.tsx';
import { useNow } from '#ui/use-now.ts';
import { visibleLine } from '#ui/visible.ts';

const wordTones = { ok: 'text-in', busy: 'text-warn', error: 'text-err', off: 'text-mute' } as const;

/** One line about the session or the opened trace on screen. */
export function StatusBar({
  server,
  session,
  trace,
}: {
  readonly server: Server | null;
  readonly session: SessionView | null;
  /** The opened trace file on screen; it replaces the server. */
  readonly trace: OpenedTrace | null;
}) {
  const { tone, label } = phaseLabel(session);
  return (
    <footer
      aria-label="Session status"
      className="flex items-center gap-4 overflow-hidden border-t border-line bg-panel px-3 text-sm whitespace-nowrap text-mute"
    >
      {server && (
        <span className={cx('flex items-center gap-1.5', wordTones[tone])}>
          <StatusDot tone={tone} />
          {label}
        </span>
      )}
      {server && <ActiveSwitches serverId={server.id} />}
      {server && <RebuildState serverId={server.id} />}
      {session && <SessionFacts session={session} />}
      {trace && <OpenedFacts trace={trace} />}
    </footer>
  );
}

function SessionFacts({ session }: { readonly session: SessionView }) {
  const { agreement, counts, medianDuration, traceFile } = session;
  const isAccepted = useAcceptsCertificate(session.serverId);
  return (
    <>
      {agreement && (
        <span>
          {agreement.era} {agreement.revision}
        </span>
      )}
      {session.http !== null && <Encryption url={session.http.url} isAccepted={isAccepted} />}
      <span className="mono min-w-0 truncate text-sm">
        <ConnectionFacts session={session} />
      </span>
      <span className="mono text-sm">
        {formatQuantity(counts.rows, 'row')} · {formatBytes(counts.traceBytes)}
      </span>
      <QuestionsWait count={session.waiting} />
      <AnsweredAutomatically session={session} />
      <MissedPings session={session} />
      <ChangedSettings session={session} />
      {counts.errors > 0 && <span className="text-err">{formatQuantity(counts.errors, 'error')}</span>}
      <FindingCount findings={session.findings} />
      {counts.invalid > 0 && (
        <span className="text-warn">{formatQuantity(counts.invalid, 'invalid', 'invalid')}</span>
      )}
      <span className="ml-auto flex min-w-[200px] shrink-[100000] items-center justify-end gap-4">
        {medianDuration !== null && (
          <span className="mono text-sm">median {formatDuration(medianDuration)}</span>
        )}
        {traceFile.fault === null ? (
          <TraceFileName path={traceFile.path} lead="saved to " />
        ) : (
          <Popover
            label="The trace file cannot be written"
            side="top"
            align="end"
            className="w-[440px] p-0"
            trigger={
              <button type="button" className="flex h-5 items-center gap-1 text-err hover:underline">
                <FileWarning aria-hidden className="size-3.5" />
                trace not saved
              </button>
            }
          >
            <FaultCard fault={traceFile.fault} className="border-0 border-l-2" />
          </Popover>
        )}
      </span>
    </>
  );
}

function ConnectionFacts({ session }: { readonly session: SessionView }) {
  const isRunning = isOpen(session);
  const now = useNow(1000, isRunning);
  const until = session.closedAt ?? now;
  const facts = [
    transportLabel(session),
    placeOf(session),
    isRunning
      ? `up ${formatUptime(until - session.openedAt)}`
      : `ran ${formatRunTime(until - session.openedAt)}`,
    streamsOf(session),
  ];
  return facts.filter(Boolean).join(' · ');
}

/** The server's process id or host. */
function placeOf({ process, http }: SessionView): string | null {
  if (http !== null) return URL.canParse(http.url) ? new URL(http.url).host : http.url;
  return process?.pid == null ? null : `pid ${process.pid}`;
}

/** How many streams are open, and how many are waiting to resume. */
function streamsOf(session: SessionView): string | null {
  const count = (wanted: Stream['state']) =>
    session.http?.streams.filter(({ state }) => state === wanted).length ?? 0;
  const open = count('open');
  const waiting = isOpen(session) ? count('waiting') : 0;
  const facts = [
    open > 0 && `${formatQuantity(open, 'stream')} open`,
    waiting > 0 && `${formatQuantity(waiting, 'stream')} waiting to resume`,
  ];
  return facts.filter(Boolean).join(' · ') || null;
}

/** Warns that automatic pings were not answered. */
function MissedPings({ session }: { readonly session: SessionView }) {
  if (session.missedPings === 0 || !isOpen(session)) return null;
  const pings = formatQuantity(session.missedPings, 'ping');
  return (
    <Tooltip
      side="top"
      text="Pings that went out by themselves were not answered: the server may be busy, stuck or gone. Its next answer clears this. What follows after three in a row is in the settings of the server."
    >
      <button type="button" className="shrink-0 cursor-default text-warn">
        no answer to {pings}
      </button>
    </Tooltip>
  );
}

/** Offers to connect again with changed settings. */
function ChangedSettings({ session }: { readonly session: SessionView }) {
  if (!session.isOutdated || !isOpen(session)) return null;
  return (
    <Tooltip
      side="top"
      text="The settings of this server were changed after this session began. They apply when you reconnect."
    >
      <button
        type="button"
        onClick={() => void connect(session.serverId)}
        className="shrink-0 text-warn hover:underline"
      >
        settings changed: reconnect
      </button>
    </Tooltip>
  );
}

/** Whether the user made a rule: the default one only sends the roots that are set. */
const isOwnRule = (rule: InboxRule): boolean =>
  !defaultClientProfile.rules.some((one) => JSON.stringify(one) === JSON.stringify(rule));

/** Says that questions are answered without the user, and ends or shows that. */
function AnsweredAutomatically({ session }: { readonly session: SessionView }) {
  const rules = useServers(
    ({ servers }) =>
      servers.find(({ id }) => id === session.serverId)?.client.rules.filter(isOwnRule).length ?? 0,
  );
  if (!isOpen(session)) return null;
  return (
    <>
      {session.isDecliningAll && (
        <Tooltip
          side="top"
          text="Decline all is on: everything this server requests of you is declined until you end it."
        >
          <button
            type="button"
            onClick={() => reportFault(declineAll(session.id, false))}
            className="shrink-0 text-warn hover:underline"
          >
            declining all: ask me again
          </button>
        </Tooltip>
      )}
      {rules > 0 && (
        <Tooltip
          side="top"
          text="Questions that match a rule are answered without you. A click shows the rules."
        >
          <button type="button" onClick={showRules} className="shrink-0 hover:underline">
            {rules === 1 ? '1 rule answers' : `${rules} rules answer`}
          </button>
        </Tooltip>
      )}
    </>
  );
}

/** Links to the Inbox without interrupting the user. */
function QuestionsWait({ count }: { readonly count: number }) {
  return (
    <span role="status" className="shrink-0">
      {count > 0 && (
        <button type="button" onClick={() => selectPane('inbox')} className="text-accent hover:underline">
          {formatQuantity(count, 'question waiting', 'questions waiting')}
        </button>
      )}
    </span>
  );
}

/** The number of findings, in the colour of the worst severity. */
function FindingCount({ findings: { error, warning, info } }: Pick<SessionView, 'findings'>) {
  const total = error + warning + info;
  if (total === 0) return null;
  const parts = [
    error > 0 && formatQuantity(error, 'error'),
    warning > 0 && formatQuantity(warning, 'warning'),
    info > 0 && formatQuantity(info, 'note'),
  ].filter(Boolean);
  return (
    <Tooltip
      side="top"
      text={`What the checks found wrong with messages: ${parts.join(', ')}. Marked rows show them in the detail.`}
    >
      <button type="button" className={cx('shrink-0 cursor-default', error + warning > 0 && 'text-warn')}>
        {formatQuantity(total, 'finding')}
      </button>
    </Tooltip>
  );
}

/** One line about an opened trace file. */
function OpenedFacts({ trace }: { readonly trace: OpenedTrace }) {
  const { header, counts, findings, size, read, isRead, isChecked, isGrowing, medianDuration } = trace;
  return (
    <>
      <span className="flex items-center gap-1.5">
        <StatusDot tone={isGrowing ? 'busy' : 'off'} />
        {isGrowing ? 'being recorded' : 'recorded'}
      </span>
      <span className="mono min-w-0 truncate text-sm">
        {visibleLine(header.server.name)} · {header.server.transport}
      </span>
      <span className="mono text-sm">
        {formatQuantity(counts.rows, 'row')} · {formatBytes(size)}
      </span>
      {!isRead && <span>reading {size === 0 ? 100 : Math.floor((read / size) * 100)} %</span>}
      {isRead && !isChecked && <span>checking</span>}
      {counts.errors > 0 && <span className="text-err">{formatQuantity(counts.errors, 'error')}</span>}
      <FindingCount findings={findings} />
      {counts.invalid > 0 && (
        <span className="text-warn">{formatQuantity(counts.invalid, 'invalid', 'invalid')}</span>
      )}
      <span className="ml-auto flex min-w-[200px] shrink-[100000] items-center justify-end gap-4">
        {medianDuration !== null && (
          <span className="mono text-sm">median {formatDuration(medianDuration)}</span>
        )}
        <TraceFileName path={trace.path} />
      </span>
    </>
  );
}

/** The name of a trace file; a click shows its path. */
function TraceFileName({
  path,
  lead,
}: {
  readonly path: string;
  /** Text before the name, such as `saved to`. */
  readonly lead?: ReactNode;
}) {
  return (
    <Popover
      label="Trace file"
      side="top"
      align="end"
      className="flex max-w-[560px] items-center gap-2 py-1.5 pr-1.5"
      trigger={
        <button type="button" title={path} className="truncate hover:text-text">
          {lead}
          {path.split(/[\\/]/).at(-1)}
        </button>
      }
    >
      <PlainText text={path} className="mono" />
      <CopyButton text={path} label="Copy the path" />
    </Popover>
  );
}

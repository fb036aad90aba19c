import { FileWarning } from 'lucide-react';
import { phaseWord } from '#model/phase.ts';
import { isOpen } from '#model/sessions.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { formatBytes, formatDuration, formatQuantity, formatUptime } from '#shared/format.ts';
import { PlainText } from '#ui/plain-text.tsx';
import { Popover } from '#ui/popover.tsx';
import { StatusDot } from '#ui/status-dot.tsx';
import { useNow } from '#ui/use-now.ts';

const wordTones = { ok: 'text-in', busy: 'text-warn', error: 'text-err', off: 'text-mute' } as const;

/** One line about the session on screen. */
export function StatusBar({
  hasServer,
  session,
}: {
  readonly hasServer: boolean;
  readonly session: SessionView | null;
}) {
  const { tone, word } = phaseWord(session);
  return (
    <footer
      aria-label="Session status"
      className="flex items-center gap-4 overflow-hidden border-t border-line bg-panel px-3 text-sm whitespace-nowrap text-mute"
    >
      {hasServer && (
        <span className={cx('flex items-center gap-1.5', wordTones[tone])}>
          <StatusDot tone={tone} />
          {word}
        </span>
      )}
      {session && <SessionFacts session={session} />}
    </footer>
  );
}

function SessionFacts({ session }: { readonly session: SessionView }) {
  const { agreement, counts, medianDuration, traceFile } = session;
  return (
    <>
      {agreement && (
        <span>
          {agreement.era} {agreement.revision}
        </span>
      )}
      <span className="mono text-sm">
        <ProcessFacts session={session} />
      </span>
      <span className="mono text-sm">
        {formatQuantity(counts.rows, 'record')} · {formatBytes(counts.traceBytes)}
      </span>
      {counts.errors > 0 && <span className="text-err">{formatQuantity(counts.errors, 'error')}</span>}
      {counts.invalid > 0 && (
        <span className="text-warn">{formatQuantity(counts.invalid, 'invalid', 'invalid')}</span>
      )}
      <span className="ml-auto flex min-w-0 items-center gap-4">
        {medianDuration !== null && (
          <span className="mono text-sm">median {formatDuration(medianDuration)}</span>
        )}
        {traceFile.fault === null ? (
          <TraceFileName path={traceFile.path} />
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

function ProcessFacts({ session }: { readonly session: SessionView }) {
  const isRunning = isOpen(session);
  const now = useNow(1000, isRunning);
  const until = session.closedAt ?? now;
  const pid = session.process?.pid ?? null;
  const facts = [
    session.transport,
    ...(pid === null ? [] : [`pid ${pid}`]),
    `${isRunning ? 'up' : 'ran'} ${formatUptime(until - session.openedAt)}`,
  ];
  return facts.join(' · ');
}

function TraceFileName({ path }: { readonly path: string }) {
  return (
    <Popover
      label="Trace file"
      side="top"
      align="end"
      className="flex max-w-[560px] items-center gap-2 py-1.5 pr-1.5"
      trigger={
        <button type="button" title={path} className="truncate hover:text-text">
          saved to {path.split(/[\\/]/).at(-1)}
        </button>
      }
    >
      <PlainText text={path} className="mono" />
      <CopyButton text={path} label="Copy the path" />
    </Popover>
  );
}

import { joinCommandLine } from '#shared/command-line.ts';
import { FileDown, FolderSearch, Trash2, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { call } from '#bridge';
import { isOnDesktop, showInFolder } from '#model/desktop.ts';
import { openExport } from '#model/exports.ts';
import { selectTraceRow } from '#model/selection.ts';
import { closeTrace, excerptInWords, rebuiltInWords, useTraces } from '#model/traces.ts';
import { useQuery } from '#model/use-query.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import { formatBytes, formatCount, formatDuration, formatMinute, formatUptime } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { cx } from '#ui/cx.ts';
import { Facts, type Fact } from '#ui/facts.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { DeletionConfirmation } from './deletion.tsx';
import { ProgressBar } from '#ui/progress-bar.tsx';

/** The overview of an opened trace: faults of its file, the session as its Overview was, then the origin and contents of the file. */
export function OpenedPane({
  trace,
  children,
}: {
  readonly trace: OpenedTrace;
  /** The session. */
  readonly children?: ReactNode;
}) {
  return (
    <div className="flex h-full flex-col gap-4 overflow-auto px-4 py-3.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="min-w-0 truncate text-lg font-semibold">{visibleLine(trace.name)}</h2>
        <TraceActions trace={trace} />
      </div>
      <Reading trace={trace} />
      {trace.faults.map((fault) => (
        <FaultCard key={fault.code} fault={fault} />
      ))}
      {children}
      <div className="grid items-start gap-x-8 gap-y-5 border-t border-line pt-4 min-[1000px]:grid-cols-[minmax(280px,8fr)_minmax(260px,5fr)]">
        <Origin trace={trace} />
        <Contents trace={trace} />
      </div>
    </div>
  );
}

/** The actions of an opened trace. */
export function TraceActions({ trace }: { readonly trace: OpenedTrace }) {
  const { sessionId, path, name, size, counts, isRead } = trace;
  const isOurs = useTraces(({ files }) => files?.some((file) => file.path === path) ?? false);
  const [isDeleting, setDeleting] = useState(false);
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        size="small"
        icon={<FileDown aria-hidden className="size-3.5" />}
        onClick={() => openExport(sessionId)}
      >
        Export…
      </Button>
      {isOnDesktop() && (
        <Button
          size="small"
          icon={<FolderSearch aria-hidden className="size-3.5" />}
          onClick={() => reportFault(showInFolder(path))}
        >
          Show in folder
        </Button>
      )}
      <Button
        size="small"
        icon={<X aria-hidden className="size-3.5" />}
        onClick={() => reportFault(closeTrace(sessionId))}
      >
        Close
      </Button>
      {isOurs && (
        <DeletionConfirmation
          file={{ path, name, size, rows: isRead ? counts.rows : null }}
          open={isDeleting}
          onClose={() => setDeleting(false)}
          side="bottom"
          anchor={
            <Button
              size="small"
              icon={<Trash2 aria-hidden className="size-3.5" />}
              onClick={() => setDeleting(true)}
            >
              Delete…
            </Button>
          }
        />
      )}
    </div>
  );
}

/** The progress of reading the file and checking its messages. */
export function Reading({ trace: { isRead, isChecked, read, size } }: { readonly trace: OpenedTrace }) {
  if (!isRead) {
    return (
      <div className="max-w-[560px]">
        <p className="text-mute">
          Reading: {formatBytes(read)} of {formatBytes(size)}. The rows below appear as they are read.
        </p>
        <ProgressBar label="Reading the file" share={size === 0 ? 1 : read / size} className="mt-1.5" />
      </div>
    );
  }
  if (isChecked) return null;
  return (
    <p role="status" className="text-mute">
      Checking the messages: findings appear as they are found.
    </p>
  );
}

/** The server, the time, the duration and the file. */
export function Origin({ trace }: { readonly trace: OpenedTrace }) {
  const { header, path, size, isGrowing } = trace;
  const ending = useEnding(trace);
  return (
    <section aria-label="Origin">
      <Facts
        facts={[
          { name: 'Server', value: visibleLine(header.server.name) },
          header.excerpt === undefined
            ? null
            : {
                name: 'Part',
                value: <span className="text-warn">{visibleLine(excerptInWords(header.excerpt))}</span>,
              },
          header.rebuilt === undefined
            ? null
            : {
                name: 'Rebuilt',
                value: <span className="text-warn">{visibleLine(rebuiltInWords(header.rebuilt))}</span>,
              },
          targetFact(header.server),
          { name: 'Recorded', value: formatMinute(Date.parse(header.createdAt)) },
          ending && {
            name: isGrowing ? 'So far' : 'Lasted',
            value: <span className="mono">{formatUptime(ending.lasted / 1000)}</span>,
          },
          {
            name: 'Ended',
            value: <End trace={trace} ending={ending} />,
          },
          {
            name: 'Written by',
            value: (
              <span className="mono">
                {visibleLine(header.app.name)}{' '}
                <span className="text-mute">{visibleLine(header.app.version)}</span>
              </span>
            ),
          },
          environmentFact(header.environment),
          {
            name: 'File',
            value: (
              <>
                <PlainText text={path} inline className="mono" />
                <CopyButton text={path} label="Copy the path" className="-my-1 ml-1 align-middle" />
              </>
            ),
          },
          { name: 'Size', value: <span className="mono">{formatBytes(size)}</span> },
        ]}
      />
    </section>
  );
}

/** What a trace contains, and what the current checks find in it. */
export function Contents({ trace }: { readonly trace: OpenedTrace }) {
  const { counts, findings, isChecked, medianDuration } = trace;
  return (
    <section aria-label="Contents">
      <Facts
        facts={[
          { name: 'Rows', value: <Count count={counts.rows} /> },
          { name: 'Messages', value: <Count count={counts.messages} /> },
          { name: 'Errors', value: <Count count={counts.errors} tone="text-err" /> },
          { name: 'Invalid', value: <Count count={counts.invalid} tone="text-warn" /> },
          {
            name: 'Findings',
            value: (
              <>
                <Count count={findings.error} tone="text-err" /> {word(findings.error, 'error')},{' '}
                <Count count={findings.warning} tone="text-warn" /> {word(findings.warning, 'warning')},{' '}
                <Count count={findings.info} /> {word(findings.info, 'note')}
                {!isChecked && <span className="text-mute"> so far</span>}
              </>
            ),
          },
          medianDuration === null
            ? null
            : { name: 'Median', value: <span className="mono">{formatDuration(medianDuration)}</span> },
        ]}
      />
    </section>
  );
}

const word = (count: number, one: string): string => (count === 1 ? one : `${one}s`);

/** A count, coloured unless it is 0. */
function Count({ count, tone }: { readonly count: number; readonly tone?: string }) {
  return <span className={cx('mono tabular-nums', count > 0 && tone)}>{formatCount(count)}</span>;
}

/** The machine it was recorded on; files of other programs do not say it. */
function environmentFact(environment: OpenedTrace['header']['environment']): Fact | null {
  if (environment === undefined) return null;
  const { platform, release, arch, runtime } = environment;
  return {
    name: 'On',
    value: <PlainText text={`${platform} ${release} ${arch}, ${runtime}`} inline className="mono" />,
  };
}

function targetFact(server: OpenedTrace['header']['server']): Fact {
  if (server.transport === 'http') {
    return { name: 'URL', value: <PlainText text={server.url} inline className="mono" /> };
  }
  const command = joinCommandLine([server.command, ...server.args]);
  return { name: 'Command', value: <PlainText text={command} inline className="mono" /> };
}

function End({
  trace: { sessionId, isRead, isGrowing, header },
  ending,
}: {
  readonly trace: OpenedTrace;
  readonly ending: ReturnType<typeof useEnding>;
}) {
  if (!isRead || ending === null) return <span className="text-mute">not read yet</span>;
  const { last } = ending;
  if (last === null || (last.phase !== 'closed' && last.phase !== 'failed')) {
    if (header.excerpt !== undefined) return <span className="text-mute">not in this excerpt</span>;
    return isGrowing ? (
      'still being recorded'
    ) : (
      <span className="text-warn">the recording stopped without an end</span>
    );
  }
  return (
    <>
      <span className={last.phase === 'failed' ? 'text-err' : undefined}>{last.phase}</span>
      {last.reason !== null && (
        <>
          <span className="text-mute">: </span>
          <PlainText text={last.reason} inline />
        </>
      )}{' '}
      <RowLink row={last.row} onOpen={() => selectTraceRow(sessionId, last.row)} />
    </>
  );
}

/** How a recorded session ended. */
export interface Ending {
  /** Microseconds from the first record to the last row. */
  readonly lasted: number;
  /** The last phase and its reason; null when none was recorded near the end. */
  readonly last: { readonly row: number; readonly phase: string; readonly reason: string | null } | null;
}

/** Rows searched from the end. */
const NEAR_THE_END = 200;

/** How the session ended; null until the whole file has been read. */
function useEnding({ sessionId, isRead, counts: { rows }, header }: OpenedTrace): Ending | null {
  const beganAt = header.clock.at;
  const key = isRead && rows > 0 ? JSON.stringify([sessionId, rows, beganAt]) : null;
  return useQuery(key, () => readEnding(sessionId, rows, beganAt)).latest;
}

async function readEnding(sessionId: string, total: number, beganAt: number): Promise<Ending> {
  const from = Math.max(0, total - NEAR_THE_END);
  const { rows } = await call('trace/rows', { sessionId, filterId: null, from, count: NEAR_THE_END });
  const lasted = (rows.at(-1)?.at ?? beganAt) - beganAt;
  const row = rows.findLast(({ kind }) => kind === 'phase')?.row;
  if (row === undefined) return { lasted, last: null };
  const { phase } = await call('trace/detail', { sessionId, row });
  return { lasted, last: phase && { row, ...phase } };
}

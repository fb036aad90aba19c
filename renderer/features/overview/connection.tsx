import { Info } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { call } from '#bridge';
import { selectTraceRow } from '#model/selection.ts';
import { useAcceptsCertificate } from '#model/servers.ts';
import { spokenTransport, transportLabel } from '#model/sessions.ts';
import type { SessionStatus } from '#model/sessions.ts';
import type { HttpSession, Stream } from '#shared/contract/sessions.ts';
import { formatQuantity, formatCount, formatDuration, formatRunTime, truncate } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { type Fact, Facts } from '#ui/facts.tsx';
import { MaskedText } from '#ui/masked-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink as Link } from '#ui/row-link.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { Tooltip } from '#ui/tooltip.tsx';
import { visibleLine } from '#ui/visible.ts';
import { AuthorizationStateText } from '#ui/authorization-state.tsx';
import { Encryption } from './encryption.tsx';

/** Transport, era, the evidence for both, and the process or URL. */
export function Connection({ session }: { readonly session: SessionStatus }) {
  const { agreement, process, http } = session;
  const isAccepted = useAcceptsCertificate(session.serverId);
  return (
    <section aria-label="Connection">
      <h3 className="caption mb-1">Connection</h3>
      <p className="mb-1 font-medium">
        {transportLabel(session)}
        {agreement === null ? (
          <span className="font-normal text-mute"> · era unknown</span>
        ) : (
          <>
            {' · '}
            {agreement.era} <span className="mono font-normal">{visibleLine(agreement.revision)}</span>
          </>
        )}
      </p>
      <EvidenceList session={session} />
      <div className="mt-1">
        <Facts
          facts={[
            process?.pid == null
              ? null
              : { name: 'Process', value: <span className="mono">{process.pid}</span> },
            process === null || process.shutdown.length === 0
              ? null
              : { name: 'Shutdown', value: <Shutdown steps={process.shutdown} /> },
            ...(http === null ? [] : httpFacts(http, session, isAccepted)),
          ]}
        />
      </div>
      {spokenTransport(session) === 'http-sse' && (
        <p className="mt-1 flex items-start gap-1.5 text-sm text-mute">
          <Info aria-hidden className="mt-[3px] size-3 shrink-0 text-info" />
          HTTP+SSE has been deprecated since 2025-03-26, which replaced it with Streamable HTTP.
        </p>
      )}
    </section>
  );
}

const shutdownSteps = {
  'close-stdin': 'standard input closed',
  sigterm: 'SIGTERM sent',
  sigkill: 'SIGKILL sent',
  exit: 'process exited',
} as const;

/** What was done to end the process, each with the time since the first step. */
const Shutdown = ({ steps }: { readonly steps: NonNullable<SessionStatus['process']>['shutdown'] }) => (
  <ol aria-label="Steps of the shutdown">
    {steps.map(({ step, after }) => (
      <li key={step}>
        {shutdownSteps[step]}{' '}
        <span className="mono text-mute">
          {after === 0 && step !== 'exit' ? '' : `after ${formatRunTime(after)}`}
        </span>
      </li>
    ))}
  </ol>
);

function httpFacts(
  http: HttpSession,
  { agreement, transport }: SessionStatus,
  isAccepted: boolean,
): (Fact | null)[] {
  // Only Streamable HTTP in the legacy era has session ids.
  const mayHaveId = transport === 'streamable-http' && agreement?.era === 'legacy';
  return [
    {
      name: 'URL',
      value: (
        <>
          <PlainText inline text={http.url} className="mono" />{' '}
          <Encryption url={http.url} isAccepted={isAccepted} />
        </>
      ),
    },
    http.endpoint === null
      ? null
      : { name: 'Endpoint', value: <PlainText inline text={http.endpoint} className="mono" /> },
    http.sessionId !== null
      ? { name: 'Session id', value: <MaskedText name="session id" text={http.sessionId} /> }
      : mayHaveId
        ? { name: 'Session id', value: <span className="text-mute">not assigned by the server</span> }
        : null,
    http.authorization === null
      ? null
      : { name: 'Authorization', value: <AuthorizationStateText state={http.authorization} /> },
    http.renewed === 0
      ? null
      : {
          name: 'Renewed',
          value: (
            <span>
              {formatQuantity(http.renewed, 'time')}{' '}
              <span className="text-mute">after the session had expired on the server</span>
            </span>
          ),
        },
  ];
}

/** The steps that determined era and transport. */
export function EvidenceList({ session }: { readonly session: SessionStatus }) {
  const { id, evidence } = session;
  if (evidence.length === 0) return null;
  return (
    <ol aria-label="Evidence" className="flex flex-col">
      {evidence.map(({ text, row }, index) => (
        <li key={index} className="grid min-h-6 grid-cols-[20px_minmax(0,1fr)] items-baseline gap-x-1 py-0.5">
          <span aria-hidden className="mono text-xs text-faint">
            {index + 1}
          </span>
          <span>
            <PlainText inline text={text} className="text-mute" />
            {row !== null && (
              <>
                {' '}
                <RowLink sessionId={id} row={row} />
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Closed streams listed initially. A server that streams its responses has one for each request. */
const FIRST = 4;

const kinds: Readonly<Record<Stream['kind'], { readonly label: string; readonly means: string }>> = {
  answer: { label: 'answer', means: 'Opened by one of our POSTs, for its response' },
  standing: { label: 'standing', means: 'Opened by a GET, for messages the server sends on its own' },
};

const states: Readonly<Record<Stream['state'], { readonly label: string; readonly tone: string }>> = {
  open: { label: 'open', tone: 'text-in' },
  waiting: { label: 'waiting to resume', tone: 'text-warn' },
  closed: { label: 'closed', tone: 'text-mute' },
  refused: { label: 'not offered', tone: 'text-mute' },
};

/** The event streams of a session over HTTP: open ones first, then the newest. */
export function Streams({ session, http }: { readonly session: SessionStatus; readonly http: HttpSession }) {
  const [isWhole, setWhole] = useState(false);
  const streams = [...http.streams].sort((a, b) => Number(isAlive(b)) - Number(isAlive(a)) || b.row - a.row);
  const first = streams.filter(isAlive).length + FIRST;
  const shown = isWhole ? streams : streams.slice(0, first);
  return (
    <section aria-label="Streams">
      <h3 className="caption mb-1">Event streams</h3>
      {streams.length === 0 ? (
        <p className="text-mute">
          None so far. A server may respond with plain JSON and never open an event stream.
        </p>
      ) : (
        <table className="w-full border-collapse text-left whitespace-nowrap">
          <thead>
            <tr className="h-row border-b border-line text-xs text-faint">
              <th className="pr-4 font-normal">row</th>
              <th className="pr-4 font-normal">kind</th>
              <th className="pr-4 font-normal">state</th>
              <th className="pr-4 text-right font-normal">events</th>
              <th className="w-full max-w-0 truncate pr-4 font-normal">last event id</th>
              <th className="pr-4 font-normal">retry</th>
              <th className="pr-4 text-right font-normal">resumed</th>
              <th className="font-normal">
                <span className="sr-only">actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((stream) => (
              <StreamRow key={stream.row} stream={stream} session={session} />
            ))}
          </tbody>
        </table>
      )}
      {streams.length > first && (
        <Button variant="quiet" size="small" className="mt-1 -ml-2" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${formatCount(streams.length)} streams`}
        </Button>
      )}
    </section>
  );
}

const isAlive = ({ state }: Stream) => state === 'open' || state === 'waiting';

function StreamRow({ stream, session }: { readonly stream: Stream; readonly session: SessionStatus }) {
  const { label, tone } = states[stream.state];
  const kind = kinds[stream.kind];
  return (
    <tr className="h-row leading-6 hover:bg-hover">
      <td className="pr-4">
        <RowLink sessionId={session.id} row={stream.row} />
      </td>
      <td title={kind.means} className="pr-4">
        {kind.label}
      </td>
      <td className={cx('pr-4', tone)}>{label}</td>
      <td className="mono pr-4 text-right">{formatCount(stream.events)}</td>
      <td className="mono max-w-0 truncate pr-4 text-mute" title={visibleLine(stream.lastEventId ?? '')}>
        {stream.lastEventId === null ? '–' : visibleLine(stream.lastEventId)}
      </td>
      <td className="mono pr-4 text-mute">
        {stream.retry === null ? '–' : formatDuration(stream.retry * 1000)}
      </td>
      <td className="mono pr-4 text-right text-mute">{stream.resumed}</td>
      <td className="text-right">
        {stream.state === 'open' && <Drop stream={stream} session={session} />}
        {canResume(stream, session) && stream.lastEventId && (
          <Resume stream={stream} after={stream.lastEventId} session={session} />
        )}
      </td>
    </tr>
  );
}

function Drop({ stream, session }: { readonly stream: Stream; readonly session: SessionStatus }) {
  const drop = async () => {
    await call('sessions/drop-stream', { sessionId: session.id, exchange: stream.exchange });
  };
  return (
    <Action
      label="Drop"
      stream={stream}
      hint={`Aborts the stream without notifying the server. ${streamLossNote(session)}`}
      run={drop}
    />
  );
}

/** Only Streamable HTTP in the legacy era has resumable streams (MCP 2025-11-25 transports, resumability). */
const canResume = ({ state }: Stream, { agreement, phase, transport }: SessionStatus): boolean =>
  state === 'closed' && phase === 'ready' && transport === 'streamable-http' && agreement?.era === 'legacy';

function Resume({
  stream,
  after,
  session,
}: {
  readonly stream: Stream;
  /** The last event id received. */
  readonly after: string;
  readonly session: SessionStatus;
}) {
  const resume = async () => {
    const { row } = await call('sessions/resume-stream', { sessionId: session.id, lastEventId: after });
    selectTraceRow(session.id, row);
  };
  return (
    <Action
      label="Resume"
      stream={stream}
      hint={
        <>
          Sends a GET for the events after <span className="mono">{visibleLine(truncate(after, 80))}</span>
        </>
      }
      run={resume}
    />
  );
}

/** A button that acts on a stream. */
function Action({
  label,
  stream,
  hint,
  run,
}: {
  readonly label: string;
  readonly stream: Stream;
  readonly hint: ReactNode;
  readonly run: () => Promise<void>;
}) {
  return (
    <Tooltip text={hint}>
      <button
        type="button"
        aria-label={`${label} stream ${rowNumber(stream.row)}`}
        onClick={() => reportFault(run())}
        className="rounded-sm px-1 text-sm text-mute hover:bg-raise hover:text-text"
      >
        {label}
      </button>
    </Tooltip>
  );
}

/** How the server should interpret it (MCP 2025-11-25 transports, sending messages; MCP 2026-07-28 cancellation). */
const streamLossNote = ({ agreement }: SessionStatus): string =>
  agreement?.era === 'modern'
    ? 'In the modern era this cancels its request.'
    : 'To the server this is a lost connection, not a cancellation.';

/** A link to a row of the session's trace. */
const RowLink = ({ sessionId, row }: { readonly sessionId: string; readonly row: number }) => (
  <Link row={row} onOpen={() => selectTraceRow(sessionId, row)} />
);

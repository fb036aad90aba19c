import { Info } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { call } from '#bridge';
import { selectTraceRow } from '#model/selection.ts';
import { spokenTransport, transportWord } from '#model/sessions.ts';
import type { HttpSession, SessionView, Stream } from '#shared/contract/sessions.ts';
import { formatQuantity, formatCount, formatDuration } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { type Fact, Facts } from '#ui/facts.tsx';
import { MaskedText } from '#ui/masked-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink as Link } from '#ui/row-link.tsx';
import { reportFailure } from '#ui/toaster.tsx';
import { Tooltip } from '#ui/tooltip.tsx';
import { visibleLine } from '#ui/visible.ts';

/** How the server is reached: transport and era, what they were found out by, and where it is. */
export function Connection({ session }: { readonly session: SessionView }) {
  const { agreement, process, http } = session;
  return (
    <section aria-label="Connection">
      <h3 className="caption mb-1">Connection</h3>
      <p className="mb-1 font-medium">
        {transportWord(session)}
        {agreement === null ? (
          <span className="font-normal text-mute"> · era not known</span>
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
            ...(http === null ? [] : httpFacts(http, session)),
          ]}
        />
      </div>
      {spokenTransport(session) === 'http-sse' && (
        <p className="mt-1 flex items-start gap-1.5 text-sm text-mute">
          <Info aria-hidden className="mt-[3px] size-3 shrink-0 text-info" />
          HTTP+SSE is deprecated since 2025-03-26, which replaced it by Streamable HTTP.
        </p>
      )}
    </section>
  );
}

function httpFacts(http: HttpSession, { agreement, transport }: SessionView): (Fact | null)[] {
  // Only Streamable HTTP of the legacy era has sessions.
  const mayHaveId = transport === 'streamable-http' && agreement?.era === 'legacy';
  return [
    { name: 'URL', value: <PlainText inline text={http.url} className="mono" /> },
    http.endpoint === null
      ? null
      : { name: 'Endpoint', value: <PlainText inline text={http.endpoint} className="mono" /> },
    http.sessionId !== null
      ? { name: 'Session id', value: <MaskedText name="session id" text={http.sessionId} /> }
      : mayHaveId
        ? { name: 'Session id', value: <span className="text-mute">the server gave none</span> }
        : null,
    http.renewed === 0
      ? null
      : {
          name: 'Renewed',
          value: (
            <span>
              {formatQuantity(http.renewed, 'time')}{' '}
              <span className="text-mute">after the server had let the session expire</span>
            </span>
          ),
        },
  ];
}

/** What led to era and transport, step by step, in the words of the engine. */
export function EvidenceList({ session }: { readonly session: SessionView }) {
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

/** Streams listed at first beside those that live. A server that answers by streams has one for each request. */
const FIRST = 4;

const kinds: Readonly<Record<Stream['kind'], { readonly word: string; readonly means: string }>> = {
  answer: { word: 'answer', means: 'Opened by a POST of ours, for its answer' },
  standing: { word: 'standing', means: 'Opened by a GET, for what the server sends unasked' },
};

const states: Readonly<Record<Stream['state'], { readonly word: string; readonly tone: string }>> = {
  open: { word: 'open', tone: 'text-in' },
  waiting: { word: 'waiting to resume', tone: 'text-warn' },
  closed: { word: 'closed', tone: 'text-mute' },
  refused: { word: 'not offered', tone: 'text-mute' },
};

/** The event streams of a session over HTTP: those that are open first, then the newest. */
export function Streams({ session, http }: { readonly session: SessionView; readonly http: HttpSession }) {
  const [isWhole, setWhole] = useState(false);
  const streams = [...http.streams].sort((a, b) => Number(isAlive(b)) - Number(isAlive(a)) || b.row - a.row);
  const first = streams.filter(isAlive).length + FIRST;
  const shown = isWhole ? streams : streams.slice(0, first);
  return (
    <section aria-label="Streams">
      <h3 className="caption mb-1">
        Streams <span className="font-normal tracking-normal normal-case">of events</span>
      </h3>
      {streams.length === 0 ? (
        <p className="text-mute">
          None so far. A server may answer with plain JSON and never open a stream of events.
        </p>
      ) : (
        <table className="w-full table-fixed border-collapse text-left">
          <thead>
            <tr className="h-row border-b border-line text-xs text-faint">
              <th className="w-14 font-normal">row</th>
              <th className="w-20 font-normal">kind</th>
              <th className="w-32 font-normal">state</th>
              <th className="w-14 pr-4 text-right font-normal">events</th>
              <th className="font-normal">last event id</th>
              <th className="w-16 font-normal">retry</th>
              <th className="w-16 pr-4 text-right font-normal">resumed</th>
              <th className="w-16 font-normal">
                <span className="sr-only">what can be done</span>
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

function StreamRow({ stream, session }: { readonly stream: Stream; readonly session: SessionView }) {
  const { word, tone } = states[stream.state];
  const kind = kinds[stream.kind];
  return (
    <tr className="h-row leading-6 hover:bg-hover">
      <td>
        <RowLink sessionId={session.id} row={stream.row} />
      </td>
      <td title={kind.means}>{kind.word}</td>
      <td className={cx('truncate', tone)}>{word}</td>
      <td className="mono pr-4 text-right">{formatCount(stream.events)}</td>
      <td className="mono truncate pr-3 text-mute" title={visibleLine(stream.lastEventId ?? '')}>
        {stream.lastEventId === null ? '–' : visibleLine(stream.lastEventId)}
      </td>
      <td className="mono truncate text-mute">
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

function Drop({ stream, session }: { readonly stream: Stream; readonly session: SessionView }) {
  const drop = async () => {
    await call('sessions/drop-stream', { sessionId: session.id, exchange: stream.exchange });
  };
  return (
    <Action
      word="Drop"
      stream={stream}
      hint={`Breaks the stream off without a word. ${takenFor(session)}`}
      run={drop}
    />
  );
}

/** Only Streamable HTTP of the legacy era has streams that can be gone on with (MCP 2025-11-25 transports, resumability). */
const canResume = ({ state }: Stream, { agreement, phase, transport }: SessionView): boolean =>
  state === 'closed' && phase === 'ready' && transport === 'streamable-http' && agreement?.era === 'legacy';

function Resume({
  stream,
  after,
  session,
}: {
  readonly stream: Stream;
  /** The last event id that was seen. */
  readonly after: string;
  readonly session: SessionView;
}) {
  const resume = async () => {
    const { row } = await call('sessions/resume-stream', { sessionId: session.id, lastEventId: after });
    selectTraceRow(session.id, row);
  };
  return (
    <Action
      word="Resume"
      stream={stream}
      hint={
        <>
          Asks by GET for what came after the event <span className="mono">{inShort(after)}</span>
        </>
      }
      run={resume}
    />
  );
}

/** As much of an id as a tooltip can hold; the server sets its length. */
const inShort = (id: string): string => visibleLine(id.length > 80 ? `${id.slice(0, 80)}…` : id);

/** What can be done to a stream with one click. */
function Action({
  word,
  stream,
  hint,
  run,
}: {
  readonly word: string;
  readonly stream: Stream;
  readonly hint: ReactNode;
  readonly run: () => Promise<void>;
}) {
  return (
    <Tooltip text={hint}>
      <button
        type="button"
        aria-label={`${word} stream ${rowNumber(stream.row)}`}
        onClick={() => reportFailure(run())}
        className="rounded-sm px-1 text-sm text-mute hover:bg-raise hover:text-text"
      >
        {word}
      </button>
    </Tooltip>
  );
}

/** What the server is to make of it (MCP 2025-11-25 transports, sending messages; MCP 2026-07-28 cancellation). */
const takenFor = ({ agreement }: SessionView): string =>
  agreement?.era === 'modern'
    ? 'In the modern era that cancels its request.'
    : 'To the server that is a lost connection, not a cancellation.';

/** Leads to the row of the trace that shows it. */
const RowLink = ({ sessionId, row }: { readonly sessionId: string; readonly row: number }) => (
  <Link row={row} onOpen={() => selectTraceRow(sessionId, row)} />
);

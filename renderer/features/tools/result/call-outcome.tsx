import { CircleX } from 'lucide-react';
import { call as ask } from '#bridge';
import { useQuery } from '#model/use-query.ts';
import type { Call } from '#shared/contract/calls.ts';
import type { ResultView } from '#shared/contract/place.ts';
import { formatBytes, formatDuration } from '#shared/format.ts';
import { errorCodeName } from '#shared/protocol/jsonrpc.ts';
import { ResultBody } from '#ui/content/result-body.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import type { DotTone } from '#ui/status-dot.tsx';

interface CallOutcomeProps {
  readonly call: Call;
  readonly view: ResultView;
  /** Shows a row of its trace. */
  readonly onRow: (row: number) => void;
}

/** The outcome of a call that is no longer running. */
export function CallOutcome({ call, view, onRow }: CallOutcomeProps) {
  switch (call.state) {
    case 'ok':
    case 'tool-error':
      return <ResultOf call={call} view={view} onRow={onRow} />;
    case 'protocol-error':
      return call.error === null ? (
        <NoResponse call={call} onRow={onRow} />
      ) : (
        <ProtocolError error={call.error} quote={call.fault?.quote} />
      );
    case 'cancelled':
    case 'timed-out':
    case 'lost':
    case 'waiting':
    case 'running':
      return <NoResponse call={call} onRow={onRow} />;
  }
}

function NoResponse({ call, onRow }: Omit<CallOutcomeProps, 'view'>) {
  if (call.fault !== null) return <FaultCard fault={call.fault} onRow={onRow} />;
  return (
    <p className="text-mute">
      {call.state === 'cancelled' && call.requestRow === null
        ? 'Cancelled before it was sent.'
        : call.state === 'cancelled'
          ? 'Cancelled: the server was notified. Anything it still sends is in the trace.'
          : 'There is no response.'}
    </p>
  );
}

/** The server rejected the request with a JSON-RPC error. */
function ProtocolError({
  error,
  quote,
}: {
  readonly error: NonNullable<Call['error']>;
  readonly quote: string | undefined;
}) {
  return (
    <section
      aria-label="Protocol error"
      className="rounded-ui border border-line border-l-2 border-l-err bg-panel px-3 py-2.5"
    >
      <div className="flex flex-wrap items-baseline gap-x-2">
        <CircleX aria-hidden className="size-3.5 shrink-0 self-center text-err" />
        <code className="mono text-err">{error.code}</code>
        <span className="font-medium">{errorCodeName(error.code)}</span>
      </div>
      <PlainText text={error.message} className="mt-1" />
      {quote !== undefined && (
        <PlainText
          text={quote}
          className="mono my-1 max-h-40 overflow-auto border-l-2 border-line pl-2 text-xs"
        />
      )}
      {error.data !== null && error.data !== undefined && (
        <>
          <div className="caption mt-2">data</div>
          <JsonText raw={JSON.stringify(error.data)} className="mt-1" />
        </>
      )}
    </section>
  );
}

/** A small result came with the call; a larger one is requested. */
const ResultOf = (props: CallOutcomeProps) =>
  props.call.result === null ? (
    <RequestedResult {...props} />
  ) : (
    <ShownResult {...props} text={props.call.result} isCut={false} />
  );

function RequestedResult(props: CallOutcomeProps) {
  const { sessionId, id } = props.call;
  const { result, fault } = useQuery(id, () => ask('calls/result', { sessionId, callId: id }));
  if (fault !== null) return <FaultCard fault={fault} />;
  if (result === null)
    return <div role="group" aria-busy aria-label="The result is loading" className="h-8" />;
  if (result.text === null) return <p className="text-mute">The response has no result.</p>;
  return <ShownResult {...props} text={result.text} isCut={result.truncated} />;
}

interface ShownResultProps extends CallOutcomeProps {
  readonly text: string;
  readonly isCut: boolean;
}

function ShownResult({ call, view, onRow, text, isCut }: ShownResultProps) {
  const { state, responseRow, outputValidation } = call;
  return (
    <ResultBody
      text={text}
      view={view}
      isCut={isCut}
      isToolError={state === 'tool-error'}
      outputValidation={outputValidation}
      onShowAll={responseRow === null ? null : () => onRow(responseRow)}
    />
  );
}

interface StateLabel {
  readonly label: string;
  /** Text colour; never the only indication. */
  readonly colour: string;
  readonly dot: DotTone;
}

/** Label and colours of each call state. */
export const callLabels: Readonly<Record<Call['state'], StateLabel>> = {
  waiting: { label: 'waits until connected', colour: 'text-mute', dot: 'busy' },
  running: { label: 'running', colour: 'text-info', dot: 'busy' },
  ok: { label: 'ok', colour: 'text-in', dot: 'ok' },
  'tool-error': { label: 'tool error', colour: 'text-warn', dot: 'busy' },
  'protocol-error': { label: 'protocol error', colour: 'text-err', dot: 'error' },
  cancelled: { label: 'cancelled', colour: 'text-mute', dot: 'off' },
  'timed-out': { label: 'timed out', colour: 'text-err', dot: 'error' },
  lost: { label: 'no response', colour: 'text-err', dot: 'error' },
};

/** The JSON-RPC id of a call, such as `id 5`. */
export const numberOf = ({ requestId }: Call): string => (requestId === null ? '–' : `id ${requestId}`);

/** Such as `5.012 s`, `214 B` and `10 progress`; leaves out what is unknown. */
export const callMeasures = ({ state, duration, size, progress }: Call): readonly string[] =>
  [
    duration === null ? null : formatDuration(duration),
    size === null ? null : formatBytes(size),
    progress === null || state === 'running' || state === 'waiting' ? null : `${progress.count} progress`,
  ].filter((part) => part !== null);

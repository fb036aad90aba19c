import { CircleX } from 'lucide-react';
import { call as ask } from '#bridge';
import { useQuery } from '#model/use-query.ts';
import type { Call } from '#shared/contract/calls.ts';
import { errorCodeName } from '#shared/protocol/jsonrpc.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import type { ResultView } from '../drafts.ts';
import { ResultBody } from './result-body.tsx';

interface CallOutcomeProps {
  readonly call: Call;
  readonly view: ResultView;
}

/** The outcome of a call that is no longer running. */
export function CallOutcome({ call, view }: CallOutcomeProps) {
  switch (call.state) {
    case 'ok':
    case 'tool-error':
      return <ResultOf call={call} view={view} />;
    case 'protocol-error':
      return call.error === null ? (
        <NoResponse call={call} />
      ) : (
        <ProtocolError error={call.error} quote={call.fault?.quote} />
      );
    case 'cancelled':
    case 'timed-out':
    case 'lost':
    case 'running':
      return <NoResponse call={call} />;
  }
}

function NoResponse({ call }: { readonly call: Call }) {
  if (call.fault !== null) return <FaultCard fault={call.fault} />;
  return (
    <p className="text-mute">
      {call.state === 'cancelled'
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
const ResultOf = ({ call, view }: CallOutcomeProps) =>
  call.result === null ? (
    <RequestedResult call={call} view={view} />
  ) : (
    <ShownResult call={call} view={view} text={call.result} isCut={false} />
  );

function RequestedResult({ call, view }: CallOutcomeProps) {
  const { sessionId, id } = call;
  const { result, fault } = useQuery(id, () => ask('calls/result', { sessionId, callId: id }));
  if (fault !== null) return <FaultCard fault={fault} />;
  if (result === null) return <div aria-busy aria-label="The result is loading" className="h-8" />;
  if (result.text === null) return <p className="text-mute">The response has no result.</p>;
  return <ShownResult call={call} view={view} text={result.text} isCut={result.truncated} />;
}

interface ShownResultProps extends CallOutcomeProps {
  readonly text: string;
  readonly isCut: boolean;
}

function ShownResult({ call, view, text, isCut }: ShownResultProps) {
  const { sessionId, state, responseRow, outputValidation } = call;
  return (
    <ResultBody
      text={text}
      view={view}
      isCut={isCut}
      isToolError={state === 'tool-error'}
      outputValidation={outputValidation}
      traceRow={responseRow === null ? null : { sessionId, row: responseRow }}
    />
  );
}

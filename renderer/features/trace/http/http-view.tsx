import type { ExchangeDetail } from '#shared/contract/trace.ts';
import { formatQuantity } from '#shared/format.ts';
import { PlainText } from '#ui/plain-text.tsx';
import { RowList } from '../detail/related-rows.tsx';
import { type Clock, wallTime } from '#model/trace-clock.ts';
import { ConnectionFacts, RefusedCertificate, FailureNote } from './connection.tsx';
import { RequestHead, ResponseHead, Trailers } from './heads.tsx';
import { Section } from './section.tsx';
import { TimingBars } from './timing.tsx';

/** An HTTP exchange: request, response, timing and connection. */
export function HttpView({
  sessionId,
  exchange,
  shown,
  clock,
}: {
  readonly sessionId: string;
  readonly exchange: ExchangeDetail;
  /** The row whose detail this is. */
  readonly shown: number;
  readonly clock: Clock | null;
}) {
  const { request, connected, responses, end } = exchange;
  const hasAnswer = responses.some(({ interim }) => interim !== true);
  return (
    <>
      {end && <FailureNote end={end} />}
      {end?.failure?.certificate && (
        <RefusedCertificate certificate={end.failure.certificate} wall={clock && wallTime(clock, end.at)} />
      )}
      {request.received !== undefined && <ReceivedNote received={request.received} />}
      <RequestHead request={request} />
      {responses.map((response) => (
        <ResponseHead key={response.seq} response={response} />
      ))}
      {!hasAnswer && (
        <Section title="Response">
          <p className="px-3 text-mute">{end === null ? 'Not yet.' : 'None.'}</p>
        </Section>
      )}
      {end?.trailers && <Trailers trailers={end.trailers} />}
      <TimingBars exchange={exchange} />
      {connected && <ConnectionFacts connected={connected} clock={clock} />}
      <CarriedRows sessionId={sessionId} exchange={exchange} shown={shown} />
    </>
  );
}

/** Says that the client did not send the request, and whether it is to be believed. */
const ReceivedNote = ({ received: { by, untrusted } }: { readonly received: Received }) => (
  <p role="note" aria-label="Received" className="px-3 pt-2 text-mute">
    {by === 'pasted'
      ? 'The user pasted this callback. It did not come over HTTP.'
      : 'This request came to the redirect URI of an authorization.'}
    {untrusted !== undefined && (
      <span className="text-warn">
        {' '}
        Not trusted: <PlainText inline text={untrusted} /> Nothing of it was used.
      </span>
    )}
  </p>
);

type Received = NonNullable<ExchangeDetail['request']['received']>;

/** The rows an exchange carried, in both directions. A click selects one. */
function CarriedRows({
  sessionId,
  exchange: { row, request, carried, carriedCount },
  shown,
}: {
  readonly sessionId: string;
  readonly exchange: ExchangeDetail;
  /** The row whose detail this is. */
  readonly shown: number;
}) {
  return (
    <Section title="Carried" summary={formatQuantity(carriedCount, 'row')}>
      {carriedCount === 0 && <p className="px-3 text-mute">No row came from its bodies.</p>}
      <RowList
        sessionId={sessionId}
        label="Rows it carried"
        of={row}
        by="exchange"
        rows={carried}
        total={carriedCount}
        shown={shown}
        since={request.at}
      />
    </Section>
  );
}

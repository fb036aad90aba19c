import type { ExchangeDetail } from '#shared/contract/trace.ts';
import { type Clock, wallTime } from '../table/row-times.ts';
import { CarriedRows } from './carried-rows.tsx';
import { ConnectionFacts, RefusedCertificate } from './connection-facts.tsx';
import { FailureNote } from './failure-note.tsx';
import { RequestHead, ResponseHead, Trailers } from './heads.tsx';
import { Section } from './section.tsx';
import { TimingBars } from './timing-bars.tsx';

/** An HTTP exchange: what was asked, what was answered, how long each step took, over which connection. */
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
      <RequestHead request={request} />
      {responses.map((response) => (
        <ResponseHead key={response.seq} response={response} />
      ))}
      {!hasAnswer && (
        <Section title="Response">
          <p className="px-3 text-mute">{end === null ? 'None yet.' : 'None came.'}</p>
        </Section>
      )}
      {end?.trailers && <Trailers trailers={end.trailers} />}
      <TimingBars exchange={exchange} />
      {connected && <ConnectionFacts connected={connected} clock={clock} />}
      <CarriedRows sessionId={sessionId} exchange={exchange} shown={shown} />
    </>
  );
}

import type { Certificate, HttpConnectedRecord } from '#shared/trace/record.ts';
import { type Clock, wallTime } from '../table/row-times.ts';
import { visibleLine } from '#ui/visible.ts';
import { instantWords, trustWords, validityOf } from './certificate-words.ts';
import { Section } from './section.tsx';
import { type ValueLine, ValueTable } from './value-table.tsx';

/** The connection an exchange went over, and what TLS made of it. */
export function ConnectionFacts({
  connected,
  clock,
}: {
  readonly connected: HttpConnectedRecord;
  readonly clock: Clock | null;
}) {
  const { at, remote, proxy, reused, tls } = connected;
  const lines: ValueLine[] = [
    { name: proxy === undefined ? 'Server' : 'Proxy’s address', value: remote },
    ...(proxy === undefined ? [] : [{ name: 'Through proxy', value: proxy }]),
    { name: 'Connection', value: '', note: reused ? 'reused: it was open already' : 'new' },
  ];
  return (
    <>
      <Section title="Connection" says={visibleLine(remote)}>
        <ValueTable names="words" lines={lines} />
      </Section>
      {tls && (
        <Section
          title="TLS"
          says={tls.untrusted === undefined ? tls.protocol : 'not trusted, accepted by you'}
        >
          <ValueTable
            names="words"
            lines={[
              { name: 'Protocol', value: tls.protocol },
              { name: 'Cipher', value: tls.cipher },
              { name: 'Trusted', value: '', note: <Trust untrusted={tls.untrusted} /> },
              ...(tls.certificate ? certificateLines(tls.certificate, clock && wallTime(clock, at)) : []),
            ]}
          />
        </Section>
      )}
    </>
  );
}

const Trust = ({ untrusted }: { readonly untrusted: string | undefined }) => (
  <span className={untrusted === undefined ? 'text-in' : 'text-warn'}>{trustWords({ untrusted })}</span>
);

/**
 * A certificate, line by line.
 *
 * @param wall when it was shown, in milliseconds since the Unix epoch
 */
function certificateLines(certificate: Certificate, wall: number | null): ValueLine[] {
  const { subject, issuer, validFrom, validTo, altNames, fingerprint } = certificate;
  const validity = wall === null ? 'valid' : validityOf(certificate, wall);
  return [
    { name: 'Subject', value: subject },
    { name: 'Issuer', value: issuer },
    ...(altNames === undefined ? [] : [{ name: 'Names', value: altNames }]),
    {
      name: 'Valid from',
      value: instantWords(validFrom),
      ...problem(validity === 'not valid yet' && validity),
    },
    { name: 'Valid to', value: instantWords(validTo), ...problem(validity === 'expired' && validity) },
    { name: 'SHA-256', value: fingerprint },
  ];
}

const problem = (words: string | false): Pick<ValueLine, 'note'> =>
  words === false ? {} : { note: <span className="text-err">{words}</span> };

/** The certificate for which an exchange failed. */
export const RefusedCertificate = ({
  certificate,
  wall,
}: {
  readonly certificate: Certificate;
  readonly wall: number | null;
}) => (
  <Section title="Certificate" says="not accepted">
    <ValueTable names="words" lines={certificateLines(certificate, wall)} />
  </Section>
);

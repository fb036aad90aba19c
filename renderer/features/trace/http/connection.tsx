import { CircleX } from 'lucide-react';
import type {
  Certificate,
  HttpConnectedRecord,
  HttpEndRecord,
  HttpStep,
  TlsFacts,
} from '#shared/trace/record.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';
import { type Clock, wallTime } from '#model/trace-clock.ts';
import { Section, type ValueLine, ValueTable } from './section.tsx';

/** The connection of an exchange and its TLS session. */
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
    { name: 'Connection', value: '', note: reused ? 'reused' : 'new' },
  ];
  return (
    <>
      <Section title="Connection" summary={visibleLine(remote)}>
        <ValueTable names="ours" lines={lines} />
      </Section>
      {tls && (
        <Section
          title="TLS"
          summary={tls.untrusted === undefined ? tls.protocol : 'not trusted, accepted by you'}
        >
          <ValueTable
            names="ours"
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
  <span className={untrusted === undefined ? 'text-in' : 'text-warn'}>{trustLabel({ untrusted })}</span>
);

/** A certificate, line by line. @param wall when it was presented; milliseconds since the Unix epoch */
function certificateLines(certificate: Certificate, wall: number | null): ValueLine[] {
  const { subject, issuer, validFrom, validTo, altNames, fingerprint } = certificate;
  const validity = wall === null ? 'valid' : validityOf(certificate, wall);
  return [
    { name: 'Subject', value: subject },
    { name: 'Issuer', value: issuer },
    ...(altNames === undefined ? [] : [{ name: 'Names', value: altNames }]),
    {
      name: 'Valid from',
      value: formatInstant(validFrom),
      ...errorNote(validity === 'not valid yet' && validity),
    },
    { name: 'Valid to', value: formatInstant(validTo), ...errorNote(validity === 'expired' && validity) },
    { name: 'SHA-256', value: fingerprint },
  ];
}

const errorNote = (text: string | false): Pick<ValueLine, 'note'> =>
  text === false ? {} : { note: <span className="text-err">{text}</span> };

/** The certificate that made an exchange fail. */
export const RefusedCertificate = ({
  certificate,
  wall,
}: {
  readonly certificate: Certificate;
  readonly wall: number | null;
}) => (
  <Section title="Certificate" summary="not accepted">
    <ValueTable names="ours" lines={certificateLines(certificate, wall)} />
  </Section>
);

/** What failed, by step. */
const stepLabels: Readonly<Record<HttpStep, string>> = {
  lookup: 'Looking up the address of the host failed.',
  connect: 'Connecting failed.',
  proxy: 'The proxy did not connect to the server.',
  tls: 'The TLS handshake failed.',
  request: 'Sending the request failed.',
  response: 'It failed before the response arrived.',
  body: 'Reading the body of the response failed.',
};

const endLabels: Readonly<Record<HttpEndRecord['how'], string | null>> = {
  complete: null,
  cut: 'The server closed the connection inside the body.',
  dropped: 'Sightglass aborted the exchange.',
  failed: 'The exchange failed.',
};

/** Why an exchange did not complete: the step, and the error of the system. */
export function FailureNote({ end: { how, failure } }: { readonly end: HttpEndRecord }) {
  const label = failure === undefined ? endLabels[how] : stepLabels[failure.step];
  if (label === null) return null;
  const isOurs = how === 'dropped';
  const evidence = failure && `${failure.code}: ${failure.message}`;
  const distrust = failure && distrustOf(failure.code);
  return (
    <div role="note" className={`border-b border-line py-2 ${isOurs ? 'bg-raise' : 'bg-err/10'}`}>
      <div className="flex gap-2 px-3">
        <CircleX aria-hidden className={`mt-0.5 size-3.5 shrink-0 ${isOurs ? 'text-mute' : 'text-err'}`} />
        <div className="min-w-0 flex-1">
          <p>{label}</p>
          {distrust && <p className="text-mute">The certificate is not trusted: {distrust}.</p>}
          {evidence !== undefined && <PlainText text={evidence} className="mono mt-0.5 text-mute" />}
        </div>
        {evidence !== undefined && <CopyButton label="Copy the error" text={evidence} className="-mt-0.5" />}
      </div>
    </div>
  );
}

/** Why a certificate is not trusted, by the code of OpenSSL or Node. */
const reasons: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its chain ends in a self-signed certificate',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is not known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is not known',
  CERT_UNTRUSTED: 'its issuer is not trusted',
  CERT_REJECTED: 'its issuer is not trusted for servers',
  CERT_REVOKED: 'it was revoked',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_SIGNATURE_FAILURE: 'its signature is wrong',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it was made for other names',
  HOSTNAME_MISMATCH: 'it was made for other names',
  INVALID_PURPOSE: 'it was not made for servers',
};

/** Why a certificate is not trusted, as the end of a sentence; null for other codes. */
const distrustOf = (code: string): string | null => reasons[code] ?? null;

/** Whether the certificate of a connection is trusted, or was accepted by the user. */
function trustLabel({ untrusted }: Pick<TlsFacts, 'untrusted'>): string {
  if (untrusted === undefined) return 'yes';
  const reason = distrustOf(untrusted);
  return `no, ${reason === null ? '' : `${reason}: `}${untrusted}. You accepted it`;
}

/** Whether a certificate was valid at an instant; milliseconds since the Unix epoch. */
function validityOf(
  { validFrom, validTo }: Certificate,
  wall: number,
): 'valid' | 'expired' | 'not valid yet' {
  if (wall > Date.parse(validTo)) return 'expired';
  return wall < Date.parse(validFrom) ? 'not valid yet' : 'valid';
}

/** An ISO 8601 instant to the second, `2026-01-31 12:00:00 UTC`; other text unchanged. */
const formatInstant = (iso: string): string =>
  iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC');

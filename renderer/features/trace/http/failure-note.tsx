import { CircleX } from 'lucide-react';
import type { HttpEndRecord, HttpStep } from '#shared/trace/record.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { type Clock, wallTime } from '../trace-clock.ts';
import { distrustOf } from './certificate-words.ts';
import { certificateLines } from './connection-facts.tsx';
import { ValueTable } from './value-table.tsx';

/** What was being done when it failed. */
const stepWords: Readonly<Record<HttpStep, string>> = {
  lookup: 'looking up the address of the host',
  connect: 'connecting',
  proxy: 'having the proxy connect to the server',
  tls: 'the TLS handshake',
  request: 'sending the request',
  response: 'waiting for the response',
  body: 'reading the body of the response',
};

const endWords: Readonly<Record<HttpEndRecord['how'], string | null>> = {
  complete: null,
  cut: 'The server broke off inside the body.',
  dropped: 'Sightglass broke the exchange off.',
  failed: 'The exchange failed.',
};

/** Why an exchange did not end as it should: at which step, and what the system said. */
export function FailureNote({ end, clock }: { readonly end: HttpEndRecord; readonly clock: Clock | null }) {
  const { how, failure } = end;
  const words = failure === undefined ? endWords[how] : `Failed while ${stepWords[failure.step]}.`;
  if (words === null) return null;
  const isOurs = how === 'dropped';
  const evidence = failure && `${failure.code}: ${failure.message}`;
  const distrust = failure && distrustOf(failure.code);
  return (
    <div role="note" className={`border-b border-line py-2 ${isOurs ? 'bg-raise' : 'bg-err/10'}`}>
      <div className="flex gap-2 px-3">
        <CircleX aria-hidden className={`mt-0.5 size-3.5 shrink-0 ${isOurs ? 'text-mute' : 'text-err'}`} />
        <div className="min-w-0 flex-1">
          <p>{words}</p>
          {distrust && <p className="text-mute">The certificate is not trusted: {distrust}.</p>}
          {evidence !== undefined && <PlainText text={evidence} className="mono mt-0.5 text-mute" />}
        </div>
        {evidence !== undefined && <CopyButton label="Copy the error" text={evidence} className="-mt-0.5" />}
      </div>
      {failure?.certificate && (
        <div className="mt-1">
          <ValueTable
            label="Certificate that was not accepted"
            lines={certificateLines(failure.certificate, clock && wallTime(clock, end.at))}
          />
        </div>
      )}
    </div>
  );
}

import { CircleX } from 'lucide-react';
import type { HttpEndRecord, HttpStep } from '#shared/trace/record.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { distrustOf } from './certificate-words.ts';

/** What failed, by its step. */
const stepWords: Readonly<Record<HttpStep, string>> = {
  lookup: 'Looking up the address of the host failed.',
  connect: 'Connecting failed.',
  proxy: 'The proxy did not connect to the server.',
  tls: 'The TLS handshake failed.',
  request: 'Sending the request failed.',
  response: 'It failed before the response came.',
  body: 'Reading the body of the response failed.',
};

const endWords: Readonly<Record<HttpEndRecord['how'], string | null>> = {
  complete: null,
  cut: 'The server broke off inside the body.',
  dropped: 'Sightglass broke the exchange off.',
  failed: 'The exchange failed.',
};

/** Why an exchange did not end as it should: at which step, and what the system said. */
export function FailureNote({ end: { how, failure } }: { readonly end: HttpEndRecord }) {
  const words = failure === undefined ? endWords[how] : stepWords[failure.step];
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
    </div>
  );
}

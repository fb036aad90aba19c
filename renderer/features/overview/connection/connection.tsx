import { Info } from 'lucide-react';
import type { HttpSession, SessionView } from '#shared/contract/sessions.ts';
import { formatQuantity } from '#shared/format.ts';
import { MaskedText } from '#ui/masked-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';
import { type Fact, Facts } from '#ui/facts.tsx';
import { EvidenceList } from './evidence-list.tsx';
import { spokenTransport, transportWord } from '#model/transport.ts';

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

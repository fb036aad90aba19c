import { ExternalLink, TriangleAlert } from 'lucide-react';
import type { Agreement, Implementation, SessionView } from '#shared/contract/sessions.ts';
import { formatDuration } from '#shared/format.ts';
import { PlainText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';
import { Facts } from './facts.tsx';
import { Ping } from './ping.tsx';

/** Who the server says it is, and the terms of the session. */
export function Identity({
  session,
  agreement,
}: {
  readonly session: SessionView;
  readonly agreement: Agreement;
}) {
  const { server, era, revision, requestedRevision, handshake } = agreement;
  return (
    <section aria-label="Server">
      <div className="mb-0.5 flex items-center gap-2">
        <h2 className="min-w-0 truncate text-lg font-semibold">{visibleLine(server.title ?? server.name)}</h2>
        {session.phase === 'ready' && <Ping key={session.id} sessionId={session.id} />}
      </div>
      {server.description !== undefined && (
        <PlainText text={server.description} className="mt-0.5 mb-1 text-mute" />
      )}
      <Facts
        facts={[
          {
            name: 'Name',
            value: (
              <span className="mono">
                {visibleLine(server.name)} <span className="text-mute">{visibleLine(server.version)}</span>
              </span>
            ),
          },
          server.websiteUrl === undefined ? null : { name: 'Website', value: <Website server={server} /> },
          {
            name: 'Revision',
            value: (
              <>
                <span className="mono">{visibleLine(revision)}</span>
                <span className="text-mute"> · {era} era</span>
                {requestedRevision !== revision && (
                  <span className="flex items-start gap-1 text-warn">
                    <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
                    <span>
                      <span className="mono">{visibleLine(requestedRevision)}</span> was asked for
                    </span>
                  </span>
                )}
              </>
            ),
          },
          { name: 'Handshake', value: <span className="mono">{formatDuration(handshake)}</span> },
          session.process?.pid == null
            ? null
            : { name: 'Process', value: <span className="mono">{session.process.pid}</span> },
        ]}
      />
    </section>
  );
}

/** The address as text; a link only when it leads to the web, and followed only by a click. */
function Website({ server }: { readonly server: Implementation }) {
  const address = server.websiteUrl ?? '';
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    return <PlainText text={address} inline className="mono" />;
  }
  return (
    <a
      href={address}
      target="_blank"
      rel="noreferrer noopener"
      className="mono inline-flex items-center gap-1 text-key hover:underline"
    >
      <PlainText text={address} inline />
      <ExternalLink aria-label="opens in your browser" className="size-3 shrink-0" />
    </a>
  );
}

import { ExternalLink, TriangleAlert } from 'lucide-react';
import type { Agreement, Implementation, SessionView } from '#shared/contract/sessions.ts';
import { formatDuration } from '#shared/format.ts';
import { PlainText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';
import { type Fact, Facts } from '#ui/facts.tsx';
import { LogLevel } from './log-level.tsx';
import { Ping } from './ping.tsx';

/** Who the server says it is, and the terms of the session. */
export function Identity({
  session,
  agreement,
}: {
  readonly session: SessionView;
  readonly agreement: Agreement;
}) {
  const { server, era, revision, requestedRevision, supportedRevisions, handshake } = agreement;
  return (
    <section aria-label="Server">
      <div className="mb-0.5 flex items-center gap-2">
        <h2 className="min-w-0 truncate text-lg font-semibold">
          {visibleLine(server === null ? session.serverName : (server.title ?? server.name))}
        </h2>
        {session.phase === 'ready' && <Ping key={session.id} sessionId={session.id} era={era} />}
      </div>
      {server?.description !== undefined && (
        <PlainText text={server.description} className="mt-0.5 mb-1 text-mute" />
      )}
      <Facts
        facts={[
          ...implementationFacts(server),
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
          supportedRevisions.length === 0
            ? null
            : {
                name: 'Supports',
                value: <PlainText inline text={supportedRevisions.join('  ')} className="mono" />,
              },
          handshake === null
            ? null
            : {
                name: era === 'modern' ? 'Discovery' : 'Handshake',
                value: <span className="mono">{formatDuration(handshake)}</span>,
              },
          session.phase === 'ready'
            ? {
                name: 'Log level',
                value: <LogLevel key={session.id} session={session} agreement={agreement} />,
              }
            : null,
        ]}
      />
    </section>
  );
}

function implementationFacts(server: Implementation | null): (Fact | null)[] {
  if (server === null) {
    return [{ name: 'Name', value: <span className="text-mute">has not said who it is</span> }];
  }
  const { name, version, websiteUrl } = server;
  return [
    {
      name: 'Name',
      value: (
        <span className="mono">
          {visibleLine(name)} <span className="text-mute">{visibleLine(version)}</span>
        </span>
      ),
    },
    websiteUrl === undefined ? null : { name: 'Website', value: <Website address={websiteUrl} /> },
  ];
}

/** The address as text; a link only when it leads to the web, and followed only by a click. */
function Website({ address }: { readonly address: string }) {
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

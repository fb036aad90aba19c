import { ExternalLink, TriangleAlert } from 'lucide-react';
import { useLogLevel } from '#model/log-level.ts';
import type { SessionStatus } from '#model/sessions.ts';
import type { Agreement, Implementation } from '#shared/contract/sessions.ts';
import { formatDuration } from '#shared/format.ts';
import { type Fact, Facts } from '#ui/facts.tsx';
import { LogLevel } from '#ui/log-level.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Icons } from '#ui/media/icons.tsx';
import { visibleLine } from '#ui/visible.ts';

/** The server's name and version, and the agreed revision. */
export function Identity({
  session,
  agreement,
}: {
  readonly session: SessionStatus;
  readonly agreement: Agreement;
}) {
  const { server, era, revision, requestedRevision, supportedRevisions, handshake } = agreement;
  return (
    <section aria-label="Server">
      <h2 className="mb-0.5 truncate text-lg font-semibold">
        <Icons icons={server?.icons} />
        {visibleLine(server === null ? session.serverName : (server.title ?? server.name))}
      </h2>
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
                      <span className="mono">{visibleLine(requestedRevision)}</span> was requested
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
                value: <SessionLogLevel key={session.id} session={session} agreement={agreement} />,
              }
            : null,
        ]}
      />
    </section>
  );
}

function implementationFacts(server: Implementation | null): (Fact | null)[] {
  if (server === null) {
    return [{ name: 'Name', value: <span className="text-mute">not identified</span> }];
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

/** The address as text, and as a link if it is http(s). */
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

/** The selector of the log level of a session. */
export function SessionLogLevel({
  session,
  agreement,
}: {
  readonly session: SessionStatus;
  readonly agreement: Agreement;
}) {
  return <LogLevel {...useLogLevel(session, agreement)} />;
}

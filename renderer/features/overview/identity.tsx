import { ExternalLink, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { call } from '#bridge';
import { useAction } from '#model/use-query.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { type Agreement, type Implementation, logLevels } from '#shared/contract/sessions.ts';
import { formatDuration } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { type Fact, Facts } from '#ui/facts.tsx';
import { SelectBox } from '#ui/field.tsx';
import { PlainText, VisibleText } from '#ui/plain-text.tsx';
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

const NONE = '';

/** The minimum severity of log messages requested from the server. */
export function LogLevel({
  session,
  agreement,
}: {
  readonly session: SessionStatus;
  readonly agreement: Agreement;
}) {
  const isModern = agreement.era === 'modern';
  const isOffered = isModern || agreement.serverCapabilities?.logging !== undefined;
  const [isForced, setForced] = useState(false);
  const { id: sessionId, logLevel } = session;
  const { run, isRunning, fault } = useAction(async (level: string | null) => {
    await call('sessions/set-log-level', { sessionId, level });
  });

  if (!isOffered && !isForced && logLevel === null) {
    return (
      <span className="flex items-center gap-2 text-mute">
        logging is not declared
        <Button variant="quiet" size="small" onClick={() => setForced(true)}>
          Set one anyway
        </Button>
      </span>
    );
  }
  // The modern era sends the level with each request, so it can be unset; the legacy era cannot unset it.
  const none = isModern ? 'none' : logLevel === null ? 'not set' : null;
  return (
    <div className="flex flex-wrap items-center gap-x-2 py-px">
      <SelectBox
        aria-label="Log level"
        size="small"
        className="w-28"
        disabled={isRunning}
        value={logLevel ?? NONE}
        options={[
          ...(none === null ? [] : [{ value: NONE, label: none }]),
          ...logLevels.map((level) => ({ value: level, label: level })),
        ]}
        onChange={(level) => void run(level === NONE ? null : level)}
      />
      <span className="text-xs text-faint">
        {isModern ? 'sent with each request' : 'set by logging/setLevel'}
      </span>
      {fault !== null && (
        <span role="alert" className="basis-full text-err">
          <VisibleText text={fault.what} />
        </span>
      )}
    </div>
  );
}

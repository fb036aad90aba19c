import { Play, RotateCw, LoaderCircle } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { connect, useAttempts } from '#model/connection.ts';
import { useRebuild } from '#model/rebuilds.ts';
import { isOpen } from '#model/sessions.ts';
import type { Server } from '#shared/contract/servers.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { formatUptime } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { useNow } from '#ui/use-now.ts';
import { ClientSwitches } from './client-switches.tsx';
import { Consents } from './consents.tsx';
import { ConnectionSteps } from './connection-steps.tsx';
import { Connection, Streams, EvidenceList } from './connection.tsx';
import { Ended } from './ended-session.tsx';
import { DefinitionChanges } from './definition-changes.tsx';
import { Identity } from './identity.tsx';
import { Offers } from './offers.tsx';
import { ApprovalCard, NotConnected } from './not-connected.tsx';
import { ProcessCommand } from './process-command.tsx';
import { RebuildSection } from './rebuild.tsx';
import { Roots } from './roots.tsx';
import { PingTimes } from './ping-times.tsx';
import { Traffic } from './traffic.tsx';

// Only a connected server has them, so they are not needed for the first paint.
const Capabilities = lazy(async () => ({ default: (await import('./capabilities.tsx')).Capabilities }));
const Instructions = lazy(async () => ({ default: (await import('./capabilities.tsx')).Instructions }));

/** The selected server: its target, how it starts, what both sides agreed on, how it ended. */
export function OverviewPane({
  server,
  session,
}: {
  readonly server: Server;
  readonly session: SessionStatus | null;
}) {
  const attempt = useAttempts((attempts) => attempts[server.id]);
  const hasEnded = session !== null && !isOpen(session);
  const agreement = session?.agreement ?? null;
  const http = session?.http ?? null;
  return (
    <div className="flex h-full flex-col gap-4 overflow-auto px-4 py-3.5">
      {attempt?.state === 'approval' && (
        <ApprovalCard server={server} approval={attempt.approval} asked={attempt.asked} />
      )}
      {attempt?.state === 'failed' && (
        <FaultCard fault={attempt.fault} actions={<ConnectButton server={server} label="Try again" />} />
      )}
      {hasEnded && (
        <Ended
          session={session}
          action={
            attempt?.state !== 'approval' && (
              <ConnectButton server={server} label="Reconnect" hasRun isPlain={session.remedies.length > 0} />
            )
          }
        />
      )}
      <div
        className={cx(
          'grid items-start gap-x-8 gap-y-5',
          agreement === null
            ? 'max-w-[760px]'
            : 'min-[1000px]:grid-cols-[minmax(280px,5fr)_minmax(420px,8fr)]',
        )}
      >
        <div className="flex min-w-0 flex-col gap-5">
          {session !== null && isStarting(session) && <Starting session={session} />}
          {session && agreement && <Identity session={session} agreement={agreement} />}
          {session && agreement && <Offers session={session} />}
          {session && agreement && <Changes server={server} session={session} />}
          {session !== null && (
            <RebuildSection key={`rebuild ${server.id}`} server={server} session={session} />
          )}
          {session?.phase === 'ready' && agreement && (
            <PingTimes key={`trips ${session.id}`} sessionId={session.id} era={agreement.era} />
          )}
          {hasEnded && session.diagnosis && (
            <ConnectionSteps sessionId={session.id} diagnosis={session.diagnosis} />
          )}
          {session !== null && !isStarting(session) && <Connection session={session} />}
          {session?.transport === 'stdio' && !isStarting(session) && (
            <ProcessCommand key={`command ${session.id}`} sessionId={session.id} server={server} />
          )}
          {session !== null && !isStarting(session) && (
            <Traffic key={`traffic ${session.id}`} session={session} />
          )}
          {session === null && attempt?.state !== 'approval' && (
            <NotConnected
              server={server}
              action={attempt === undefined && <ConnectButton server={server} label="Connect" />}
            />
          )}
          <Roots server={server} session={session} />
          <Consents server={server} />
          <ClientSwitches key={server.id} server={server} session={session} />
          <Suspense>{agreement && <Instructions agreement={agreement} />}</Suspense>
        </div>
        {session && agreement && (
          <div className="flex min-w-0 flex-col gap-5">
            {http && <Streams session={session} http={http} />}
            <Suspense>
              <Capabilities serverId={server.id} agreement={agreement} />
            </Suspense>
          </div>
        )}
      </div>
    </div>
  );
}

/** What the server defines differently, unless a restart has just said so. */
function Changes({ server, session: { id } }: { readonly server: Server; readonly session: SessionStatus }) {
  const rebuild = useRebuild(server.id);
  if (rebuild?.last?.sessionId === id && rebuild.last.comparison !== null) return null;
  return <DefinitionChanges key={`changes ${id}`} sessionId={id} />;
}

function ConnectButton({
  server,
  label,
  hasRun = false,
  isPlain = false,
}: {
  readonly server: Server;
  readonly label: string;
  readonly hasRun?: boolean;
  /** Set if another action is more likely to help. */
  readonly isPlain?: boolean;
}) {
  const isOpening = useAttempts((attempts) => attempts[server.id]?.state === 'opening');
  const Icon = hasRun ? RotateCw : Play;
  return (
    <Button
      variant={isPlain ? 'plain' : 'primary'}
      icon={<Icon aria-hidden className="size-3.5" />}
      disabled={isOpening}
      onClick={() => void connect(server.id)}
    >
      {label}
    </Button>
  );
}

type StartingPhase = keyof typeof words;

/** What a starting session waits for, over stdio and over HTTP. */
const words = {
  connecting: { process: 'Starting the process…', http: 'Connecting…' },
  detecting: {
    process: 'Detecting the era of the server…',
    http: 'Detecting the era and transport of the server…',
  },
  initializing: {
    process: 'Waiting for the response to initialize…',
    http: 'Waiting for the response to initialize…',
  },
} as const;

/** Whether a session is starting. */
const isStarting = (session: SessionStatus): session is SessionStatus & { phase: StartingPhase } =>
  Object.hasOwn(words, session.phase);

/** A starting session: what it waits for, for how long, and what was detected so far. */
function Starting({ session }: { readonly session: SessionStatus & { phase: StartingPhase } }) {
  const elapsed = useNow(250, true) - session.openedAt;
  const kind = session.transport === 'stdio' ? 'process' : 'http';
  return (
    <section aria-label="Starting" className="flex max-w-[760px] gap-2.5">
      <LoaderCircle aria-hidden className="mt-0.5 size-4 shrink-0 animate-spin text-warn" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          <span role="status">{words[session.phase][kind]}</span>{' '}
          <span className="mono font-normal text-mute">{formatUptime(elapsed)}</span>
        </p>
        {elapsed >= HINT_AFTER_MS && <p className="mt-0.5 text-mute">{hints[kind]}</p>}
        <div className="mt-1">
          <EvidenceList session={session} />
        </div>
      </div>
    </section>
  );
}

const hints = {
  process:
    'A package runner such as npx or uvx can take 30 seconds the first time. The server’s stderr output is in the trace below.',
  http: 'The trace below shows each request and its current step.',
} as const;

/** Milliseconds until a hint appears. */
const HINT_AFTER_MS = 3000;

import { Play, RotateCw } from 'lucide-react';
import { connect, useAttempts } from '#model/connection.ts';
import { isOpen } from '#model/sessions.ts';
import type { Server } from '#shared/contract/servers.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { Announced, Instructions } from './announced.tsx';
import { Connection } from './connection/connection.tsx';
import { Streams } from './connection/streams.tsx';
import { Ended } from './ended.tsx';
import { Identity } from './identity.tsx';
import { LaunchApproval } from './launch-approval.tsx';
import { NotConnected } from './not-connected.tsx';
import { isStarting, Starting } from './starting.tsx';
import { ClientSwitches } from './switches/client-switches.tsx';

/** The server on screen: what would be connected to, how it starts, what both sides agreed on, how it ended. */
export function OverviewPane({
  server,
  session,
}: {
  readonly server: Server;
  readonly session: SessionView | null;
}) {
  const attempt = useAttempts((attempts) => attempts[server.id]);
  const hasEnded = session !== null && !isOpen(session);
  const agreement = session?.agreement ?? null;
  const http = session?.http ?? null;
  return (
    <div className="flex h-full flex-col gap-4 overflow-auto px-4 py-3.5">
      {attempt?.state === 'approval' && (
        <LaunchApproval server={server} approval={attempt.approval} launch={attempt.launch} />
      )}
      {attempt?.state === 'failed' && (
        <FaultCard fault={attempt.fault} actions={<ConnectButton server={server} word="Try again" />} />
      )}
      {hasEnded && (
        <Ended
          session={session}
          action={
            <ConnectButton server={server} word="Reconnect" hasRun isPlain={session.remedies.length > 0} />
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
          {session !== null && !isStarting(session) && <Connection session={session} />}
          {session === null && attempt?.state !== 'approval' && (
            <NotConnected
              server={server}
              action={attempt === undefined && <ConnectButton server={server} word="Connect" />}
            />
          )}
          <ClientSwitches key={server.id} server={server} session={session} />
          {agreement && <Instructions agreement={agreement} />}
        </div>
        {session && agreement && (
          <div className="flex min-w-0 flex-col gap-5">
            {http && <Streams session={session} http={http} />}
            <Announced serverId={server.id} agreement={agreement} />
          </div>
        )}
      </div>
    </div>
  );
}

function ConnectButton({
  server,
  word,
  hasRun = false,
  isPlain = false,
}: {
  readonly server: Server;
  readonly word: string;
  readonly hasRun?: boolean;
  /** Something else is more likely to help. */
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
      {word}
    </Button>
  );
}

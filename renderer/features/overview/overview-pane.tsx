import { Play, RotateCw } from 'lucide-react';
import { connect, useAttempts } from '#model/connection.ts';
import { isOpen } from '#model/sessions.ts';
import type { Server } from '#shared/contract/servers.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Agreed } from './agreed.tsx';
import { Ended } from './ended.tsx';
import { LaunchApproval } from './launch-approval.tsx';
import { NotConnected } from './not-connected.tsx';
import { Starting } from './starting.tsx';

/** The server on screen: what would be run, how it starts, what both sides agreed on, how it ended. */
export function OverviewPane({
  server,
  session,
}: {
  readonly server: Server;
  readonly session: SessionView | null;
}) {
  const attempt = useAttempts((attempts) => attempts[server.id]);
  const isStarting = session?.phase === 'connecting' || session?.phase === 'initializing';
  const hasEnded = session !== null && !isOpen(session);
  return (
    <div className="flex h-full flex-col gap-4 overflow-auto px-4 py-3.5">
      {attempt?.state === 'approval' && (
        <LaunchApproval server={server} approval={attempt.approval} launch={attempt.launch} />
      )}
      {attempt?.state === 'failed' && (
        <FaultCard fault={attempt.fault} actions={<ConnectButton server={server} word="Try again" />} />
      )}
      {hasEnded && (
        <Ended session={session} action={<ConnectButton server={server} word="Reconnect" hasRun />} />
      )}
      {isStarting && <Starting session={session} />}
      {session?.agreement && <Agreed session={session} agreement={session.agreement} />}
      {session === null && attempt?.state !== 'approval' && (
        <NotConnected
          server={server}
          action={attempt === undefined && <ConnectButton server={server} word="Connect" />}
        />
      )}
    </div>
  );
}

function ConnectButton({
  server,
  word,
  hasRun = false,
}: {
  readonly server: Server;
  readonly word: string;
  readonly hasRun?: boolean;
}) {
  const isOpening = useAttempts((attempts) => attempts[server.id]?.state === 'opening');
  const Icon = hasRun ? RotateCw : Play;
  return (
    <Button
      variant="primary"
      icon={<Icon aria-hidden className="size-3.5" />}
      disabled={isOpening}
      onClick={() => void connect(server.id)}
    >
      {word}
    </Button>
  );
}

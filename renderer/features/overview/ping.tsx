import { useMemo, useState } from 'react';
import { call } from '#bridge';
import { useCommands } from '#model/commands.ts';
import { faultOf } from '#model/connection.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Era } from '#shared/protocol/revisions.ts';
import { Button } from '#ui/button.tsx';
import { formatDuration } from '#shared/format.ts';
import { VisibleText } from '#ui/plain-text.tsx';
import { Tooltip } from '#ui/tooltip.tsx';

type Outcome =
  | { readonly state: 'none' | 'waiting' }
  | { readonly state: 'answered'; readonly duration: number }
  | { readonly state: 'failed'; readonly fault: Fault };

/** What is sent; MCP 2026-07-28 has no `ping`. */
const sent: Readonly<Record<Era, string>> = {
  legacy: 'Sends ping',
  modern: 'Sends server/discover: the modern era has no ping',
};

/** Asks for a sign of life and shows how long the answer took. */
export function Ping({ sessionId, era }: { readonly sessionId: string; readonly era: Era }) {
  const [outcome, setOutcome] = useState<Outcome>({ state: 'none' });
  const command = useMemo(() => {
    const ping = async () => {
      setOutcome({ state: 'waiting' });
      try {
        const { duration } = await call('sessions/ping', { sessionId });
        setOutcome({ state: 'answered', duration });
      } catch (error) {
        setOutcome({ state: 'failed', fault: faultOf(error) });
      }
    };
    return { id: 'session.ping', title: 'Ping', group: 'Session' as const, run: () => void ping() };
  }, [sessionId]);
  useCommands(useMemo(() => [command], [command]));
  return (
    <div className="flex shrink-0 items-center gap-2">
      <Tooltip text={sent[era]}>
        <Button size="small" disabled={outcome.state === 'waiting'} onClick={command.run}>
          Ping
        </Button>
      </Tooltip>
      <span role="status" className="mono">
        {outcome.state === 'answered' && (
          <span className="text-in">answered in {formatDuration(outcome.duration)}</span>
        )}
        {outcome.state === 'failed' && (
          <span className="text-err">
            <VisibleText text={outcome.fault.what} />
          </span>
        )}
      </span>
    </div>
  );
}

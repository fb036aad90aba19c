import { call } from '#bridge';
import { useApprovals } from '#model/approvals.ts';
import { formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { LaunchFacts } from '#ui/launch-facts.tsx';
import { reportFailure } from '#ui/toaster.tsx';
import { Folded } from './folded.tsx';

/** What was approved to run for a server, each to be taken back; nothing while there is none. */
export function ApprovalList({ serverId }: { readonly serverId: string | null }) {
  const all = useApprovals(({ approvals }) => approvals);
  const approvals = all.filter(({ serverIds }) => serverId !== null && serverIds.includes(serverId));
  if (approvals.length === 0) return null;
  return (
    <Folded
      title="Approved to run"
      summary={formatQuantity(approvals.length, 'command line')}
      hasErrors={false}
      className="flex flex-col gap-3"
    >
      <p className="text-xs text-faint">
        These run without asking you. “Revoke” has Sightglass ask again before the next start; a server that
        is running is not stopped. Approvals are removed with the server.
      </p>
      <ul className="flex flex-col gap-3">
        {approvals.map(({ id, launch, at, serverIds }) => (
          <li key={id} className="rounded-ui border border-line bg-panel px-3 py-2">
            <LaunchFacts launch={launch} />
            <div className="mt-1.5 flex items-center gap-3">
              <Button size="small" onClick={() => reportFailure(revoke(id))}>
                Revoke
              </Button>
              <span className="text-xs text-faint">
                approved {new Date(at).toLocaleString()}
                {serverIds.length > 1 && `, also for ${formatQuantity(serverIds.length - 1, 'other server')}`}
              </span>
            </div>
          </li>
        ))}
      </ul>
    </Folded>
  );
}

const revoke = (id: string): Promise<null> => call('approvals/revoke', { id });

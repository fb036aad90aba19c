import { call } from '#bridge';
import { useApprovals } from '#model/servers.ts';
import { type Approval, isLaunchApproval, isVariablesApproval } from '#shared/contract/approvals.ts';
import { formatMinute, formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { LaunchFacts } from '#ui/launch-facts.tsx';
import { SentVariablesFacts } from '#ui/sent-variables-facts.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { Collapsible } from './form-parts.tsx';

/** What was approved for a server: command lines and variables, each with a button to revoke it. */
export function ApprovalList({ serverId }: { readonly serverId: string | null }) {
  const all = useApprovals(({ approvals }) => approvals);
  const approvals = all.filter(({ serverIds }) => serverId !== null && serverIds.includes(serverId));
  const launches = approvals.filter(isLaunchApproval);
  const variables = approvals.filter(isVariablesApproval);
  return (
    <>
      <Approvals
        title="Approved to run"
        summary={formatQuantity(launches.length, 'command line')}
        note="These run without asking you. “Revoke” makes Sightglass ask again before the next start; a running server is not stopped. Approvals are removed with the server."
        approvals={launches}
      />
      <Approvals
        title="Approved to be sent"
        summary={formatQuantity(variables.length, 'host')}
        note="These variables are sent without asking you. “Revoke” makes Sightglass ask again before the next connection; an open one goes on. Approvals are removed with the server."
        approvals={variables}
      />
    </>
  );
}

/** Renders nothing if there are none. */
function Approvals({
  title,
  summary,
  note,
  approvals,
}: {
  readonly title: string;
  readonly summary: string;
  readonly note: string;
  readonly approvals: readonly Approval[];
}) {
  if (approvals.length === 0) return null;
  return (
    <Collapsible title={title} summary={summary} hasErrors={false} className="flex flex-col gap-3">
      <p className="text-xs text-faint">{note}</p>
      <ul className="flex flex-col gap-3">
        {approvals.map((approval) => (
          <li key={approval.id} className="rounded-ui border border-line bg-panel px-3 py-2">
            {isLaunchApproval(approval) ? (
              <LaunchFacts launch={approval.launch} />
            ) : (
              <SentVariablesFacts sent={approval.sent} />
            )}
            <div className="mt-1.5 flex items-center gap-3">
              <Button size="small" onClick={() => reportFault(revoke(approval.id))}>
                Revoke
              </Button>
              <span className="text-xs text-faint">
                approved {formatMinute(approval.at)}
                {approval.serverIds.length > 1 &&
                  `, also for ${formatQuantity(approval.serverIds.length - 1, 'other server')}`}
              </span>
            </div>
          </li>
        ))}
      </ul>
    </Collapsible>
  );
}

const revoke = (id: string): Promise<null> => call('approvals/revoke', { id });

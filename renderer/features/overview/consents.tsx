import type { ReactNode } from 'react';
import { call } from '#bridge';
import { openEditor } from '#model/selection.ts';
import { removeFromSettings } from '#model/removed-settings.ts';
import { useApprovals, useServers } from '#model/servers.ts';
import {
  confirmationLabels,
  DESTRUCTIVE_MEANS,
  setConfirmationLevel,
  useConfirmationLevel,
  useSettings,
} from '#model/settings.ts';
import { offerUndo } from '#model/undo.ts';
import { joinCommandLine } from '#shared/command-line.ts';
import { type Approval, isLaunchApproval } from '#shared/contract/approvals.ts';
import type { Server } from '#shared/contract/servers.ts';
import { confirmationLevels } from '#shared/contract/settings.ts';
import { formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { Field, SelectBox } from '#ui/field.tsx';
import { VisibleText } from '#ui/plain-text.tsx';
import { reportFault } from '#ui/toaster.tsx';

/** Stops trusting the accepted certificate, which can be undone. */
async function revokeCertificate(server: Server): Promise<void> {
  const { id, name, transport } = server;
  if (transport.kind !== 'http') return;
  const before = transport.tls.accepted;
  await setAccepted(server, null);
  // Its other settings may have been changed since.
  const current = () => useServers.getState().servers.find((one) => one.id === id) ?? server;
  offerUndo(`Revoked the certificate of “${name}”`, () => setAccepted(current(), before));
}

/** Sets which certificate is accepted. */
async function setAccepted(server: Server, accepted: string | null): Promise<void> {
  const { id, transport } = server;
  if (transport.kind !== 'http') return;
  await call('servers/save', {
    id,
    settings: { ...server, transport: { ...transport, tls: { ...transport.tls, accepted } } },
  });
}

/**
 * Everything that the user has allowed a server, each with a way to take it back (MCP 2025-06-18, security and trust & safety): command
 * lines, variables that are sent, a certificate, runs of tools, answers without a question, and what the server may ask for.
 */
export function Consents({ server }: { readonly server: Server }) {
  const approvals = useApprovals((state) => state.approvals).filter(({ serverIds }) =>
    serverIds.includes(server.id),
  );
  const allowedTools = useSettings((settings) => settings.allowedTools);
  const level = useConfirmationLevel(server.id);
  const { transport, client } = server;
  const accepted = transport.kind === 'http' ? transport.tls.accepted : null;
  const change = (
    <Button size="small" variant="quiet" onClick={() => openEditor(server.id, 'client')}>
      Change…
    </Button>
  );
  return (
    <section aria-label="Consents">
      <h3 className="caption mb-1">Consents</h3>
      <ul className="mb-2 flex flex-col gap-0.5">
        {approvals.map((approval) => (
          <Consent
            key={approval.id}
            what={isLaunchApproval(approval) ? 'Runs without a question:' : 'Sent without a question:'}
            action={
              <Button size="small" onClick={() => reportFault(call('approvals/revoke', { id: approval.id }))}>
                Revoke
              </Button>
            }
          >
            <VisibleText text={approvedText(approval)} />
          </Consent>
        ))}
        {accepted !== null && transport.kind === 'http' && (
          <Consent
            what="Trusted certificate:"
            action={
              <Button size="small" onClick={() => reportFault(revokeCertificate(server))}>
                Revoke
              </Button>
            }
          >
            {accepted}
          </Consent>
        )}
        {allowedTools
          .filter(({ serverId }) => serverId === server.id)
          .map((allowed) => (
            <Consent
              key={allowed.tool}
              what="Runs without a question: the tool"
              action={
                <Button
                  size="small"
                  onClick={() =>
                    reportFault(
                      removeFromSettings(
                        'allowedTools',
                        [allowed],
                        `Revoked running “${allowed.tool}” without a question`,
                      ),
                    )
                  }
                >
                  Ask again
                </Button>
              }
            >
              <VisibleText text={allowed.tool} />
            </Consent>
          ))}
        {client.roots.length > 0 && (
          <Consent what={`Told about ${formatQuantity(client.roots.length, 'root')}:`} action={change}>
            <VisibleText text={client.roots.map(({ uri }) => uri).join('  ')} />
          </Consent>
        )}
        {client.rules.length > 0 && (
          <Consent what="Answered without a question:" action={change}>
            {[...new Set(client.rules.map(({ method }) => method))].join('  ')}
          </Consent>
        )}
        <Consent what="May ask for:" action={change}>
          {client.capabilities === null
            ? EVERYTHING
            : Object.keys(client.capabilities).join('  ') || 'nothing'}
        </Consent>
      </ul>
      <Field label="Confirm runs of" note={DESTRUCTIVE_MEANS} className="max-w-[640px]">
        {(control) => (
          <SelectBox
            {...control}
            value={level}
            options={confirmationLevels.map((value) => ({ value, label: confirmationLabels[value] }))}
            onChange={(chosen) => reportFault(setConfirmationLevel(server.id, chosen))}
          />
        )}
      </Field>
    </section>
  );
}

function approvedText(approval: Approval): string {
  if (isLaunchApproval(approval)) return joinCommandLine([approval.launch.command, ...approval.launch.args]);
  const { origin, variables } = approval.sent;
  return `${variables.map(({ variable }) => variable).join(', ')} to ${origin}`;
}

const EVERYTHING = <span className="font-sans">everything that the revision has</span>;

function Consent({
  what,
  action,
  children,
}: {
  readonly what: string;
  readonly action: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <li className="flex items-start gap-2">
      <span className="min-w-0 flex-1 pt-0.5">
        <span className="text-mute">{what}</span>{' '}
        <span className="mono [overflow-wrap:anywhere]">{children}</span>
      </span>
      {action}
    </li>
  );
}

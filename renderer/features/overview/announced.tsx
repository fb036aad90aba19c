import type { Agreement } from '#shared/contract/sessions.ts';
import { openEditor } from '#model/selection.ts';
import { Button } from '#ui/button.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { CapabilityTable } from './capability-table.tsx';

/** What both sides announced; stays on screen when the session has ended. */
export function Announced({
  serverId,
  agreement,
}: {
  readonly serverId: string;
  readonly agreement: Agreement;
}) {
  const { revision, serverCapabilities, clientCapabilities } = agreement;
  return (
    <>
      <CapabilityTable side="server" announced={serverCapabilities} revision={revision} />
      <CapabilityTable
        side="client"
        announced={clientCapabilities}
        revision={revision}
        action={
          <Button variant="quiet" size="small" onClick={() => openEditor(serverId, 'client')}>
            Change…
          </Button>
        }
      />
    </>
  );
}

/** How the server wants to be used. */
export function Instructions({ agreement }: { readonly agreement: Agreement }) {
  const { instructions } = agreement;
  if (instructions === null) return null;
  return (
    <section aria-label="Instructions">
      <h3 className="caption mb-1.5">
        Instructions <span className="font-normal tracking-normal normal-case">in the server’s words</span>
      </h3>
      <div className="rounded-ui border border-line bg-raise px-2.5 py-2 leading-[1.5]">
        <PlainText text={instructions} />
      </div>
    </section>
  );
}

import type { Agreement, SessionView } from '#shared/contract/sessions.ts';
import { PlainText } from '#ui/plain-text.tsx';
import { CapabilityTable } from './capability-table.tsx';
import { Identity } from './identity.tsx';

/** What the handshake established; stays on screen when the session has ended. */
export function Agreed({
  session,
  agreement,
}: {
  readonly session: SessionView;
  readonly agreement: Agreement;
}) {
  const { instructions, revision, serverCapabilities, clientCapabilities } = agreement;
  return (
    <div className="grid items-start gap-x-8 gap-y-5 min-[1000px]:grid-cols-[minmax(280px,5fr)_minmax(420px,8fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        <Identity session={session} agreement={agreement} />
        {instructions !== null && (
          <section aria-label="Instructions">
            <h3 className="caption mb-1.5">
              Instructions{' '}
              <span className="font-normal tracking-normal normal-case">in the server’s words</span>
            </h3>
            <div className="rounded-ui border border-line bg-raise px-2.5 py-2 leading-[1.5]">
              <PlainText text={instructions} />
            </div>
          </section>
        )}
      </div>
      <div className="flex min-w-0 flex-col gap-5">
        <CapabilityTable side="server" announced={serverCapabilities} revision={revision} />
        <CapabilityTable side="client" announced={clientCapabilities} revision={revision} />
      </div>
    </div>
  );
}

import { call } from '#bridge';
import { useAction } from '#model/use-query.ts';
import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { useNow } from '#ui/use-now.ts';

/** A request that is held back because it is sent late on purpose: how long still, and the end of the wait. */
export function LateWait({ flow, until }: { readonly flow: AuthorizationFlow; readonly until: number }) {
  const now = useNow(1000, true);
  const send = useAction(async () => {
    await call('authorization/send-early', { flowId: flow.id });
  });
  const seconds = Math.max(0, Math.ceil((until - now) / 1000));
  const left = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return (
    <section
      aria-label="Sent late"
      className="mx-3 mb-2 rounded-ui border border-line border-l-2 border-l-warn bg-panel px-3 py-2"
    >
      <p className="text-sm">
        The request is held back, so that what it sends expires. It is sent in{' '}
        <span role="timer" aria-label="Time left" className="mono">
          {left}
        </span>{' '}
        minutes. If the authorization server says that it expires earlier, send it then.
      </p>
      <Button size="small" className="mt-2" disabled={send.isRunning} onClick={() => void send.run()}>
        Send now
      </Button>
      {send.fault !== null && <FaultCard fault={send.fault} className="mt-2" />}
    </section>
  );
}

import { ShieldQuestionMark } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { approve, forgetAttempt } from '#model/connection.ts';
import type { Server } from '#shared/contract/servers.ts';
import type { Launch } from '#shared/contract/sessions.ts';
import { Button } from '#ui/button.tsx';
import { LaunchFacts } from '#ui/launch-facts.tsx';

/** Asks, once for each command line, whether it may run: exactly what, where, and with which file. */
export function LaunchApproval({
  server,
  approval,
  launch,
}: {
  readonly server: Server;
  readonly approval: string;
  readonly launch: Launch;
}) {
  const card = useRef<HTMLElement>(null);
  // The card, not its button: a held Enter must not approve what nobody has read.
  useEffect(() => card.current?.focus(), [approval]);
  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-label="Run this command?"
      className="max-w-[760px] rounded-ui border border-line border-l-2 border-l-warn bg-panel px-3 py-2.5 outline-none"
    >
      <h3 className="flex items-center gap-2 font-semibold">
        <ShieldQuestionMark aria-hidden className="size-4 shrink-0 text-warn" />
        Run this command on your computer?
      </h3>
      <p className="mt-0.5 mb-2 text-mute">
        It runs with your rights and can do whatever you can. You are asked once for each command line, and
        again when the file, the folder or a variable of it changes.
      </p>
      <LaunchFacts launch={launch} />
      <div className="mt-2.5 flex gap-2">
        <Button variant="primary" onClick={() => void approve(server.id)}>
          Run it
        </Button>
        <Button onClick={() => forgetAttempt(server.id)}>Cancel</Button>
      </div>
    </section>
  );
}

import type { SessionStatus } from '#model/sessions.ts';
import { Capabilities, Instructions } from './capabilities.tsx';
import { Connection, Streams } from './connection.tsx';
import { DefinitionChanges } from './definition-changes.tsx';
import { Identity } from './identity.tsx';
import { Offers } from './offers.tsx';
import { Traffic } from './traffic.tsx';

/** What a recorded session agreed on and how it was connected, as the Overview of its server showed it. */
export function RecordedSession({ session }: { readonly session: SessionStatus }) {
  const { agreement, http } = session;
  return (
    <div className="grid items-start gap-x-8 gap-y-5 min-[1000px]:grid-cols-[minmax(280px,5fr)_minmax(420px,8fr)]">
      <div className="flex min-w-0 flex-col gap-5">
        {agreement && <Identity session={session} agreement={agreement} />}
        {agreement && <Offers session={session} />}
        <DefinitionChanges sessionId={session.id} />
        <Connection session={session} />
        <Traffic key={session.id} session={session} />
        {agreement && <Instructions agreement={agreement} />}
      </div>
      <div className="flex min-w-0 flex-col gap-5">
        {http && http.streams.length > 0 && <Streams session={session} http={http} />}
        {agreement && <Capabilities serverId={null} agreement={agreement} />}
      </div>
    </div>
  );
}

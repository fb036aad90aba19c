import { CircleStop, ShieldAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { connect } from '#model/connection.ts';
import { endWord } from '#model/sessions.ts';
import type { SessionView, Remedy } from '#shared/contract/sessions.ts';
import { formatClock, formatRunTime } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { Facts } from '#ui/facts.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Popover } from '#ui/popover.tsx';
import { visibleLine } from '#ui/visible.ts';
import { Fingerprint } from './fingerprint.tsx';

/** A session that is over: why, how its process ended, and the ways on from here. */
export function Ended({ session, action }: { readonly session: SessionView; readonly action: ReactNode }) {
  const facts = [
    endWord(session),
    session.closedAt !== null && `at ${formatClock(session.closedAt)}`,
    session.closedAt !== null && `after ${formatRunTime(session.closedAt - session.openedAt)}`,
  ].filter(Boolean);
  const line = <span className="mono text-sm text-mute">{facts.join(' · ')}</span>;
  if (session.fault !== null) {
    return (
      <FaultCard
        fault={session.fault}
        actions={
          <div className="flex flex-wrap items-center gap-x-2 gap-y-2">
            <Remedies session={session} />
            {action}
            <span className="ml-1">{line}</span>
          </div>
        }
      />
    );
  }
  return (
    <section aria-label="The session is over" className="flex flex-wrap items-center gap-3">
      <CircleStop aria-hidden className="size-4 shrink-0 text-mute" />
      <PlainText text={session.reason ?? 'The session is over.'} className="font-medium" />
      {line}
      {action}
    </section>
  );
}

/** What helps when a session failed, beside connecting as before. */
function Remedies({ session }: { readonly session: SessionView }) {
  return session.remedies.map((remedy, index) => (
    <RemedyAction key={index} remedy={remedy} serverId={session.serverId} isFirst={index === 0} />
  ));
}

interface RemedyProps<W extends Remedy = Remedy> {
  readonly remedy: W;
  readonly serverId: string;
  /** The one most likely to help. */
  readonly isFirst: boolean;
}

function RemedyAction({ remedy, serverId, isFirst }: RemedyProps) {
  switch (remedy.kind) {
    case 'revision':
      return (
        <RemedyButton
          before="Connect with"
          revision={remedy.revision}
          isFirst={isFirst}
          onClick={() => void connect(serverId, { revision: remedy.revision })}
        />
      );
    case 'any-revision':
      return (
        <RemedyButton
          before="Go on with"
          revision={remedy.revision}
          isFirst={isFirst}
          after="anyway"
          onClick={() => void connect(serverId, { anyRevision: true })}
        />
      );
    case 'accept-certificate':
      return <AcceptCertificate remedy={remedy} serverId={serverId} />;
  }
}

function RemedyButton({
  before,
  revision,
  after = '',
  isFirst,
  onClick,
}: {
  readonly before: string;
  /** Untrusted text: a server may call its revision anything. */
  readonly revision: string;
  readonly after?: string;
  readonly isFirst: boolean;
  readonly onClick: () => void;
}) {
  return (
    <Button variant={isFirst ? 'primary' : 'plain'} onClick={onClick}>
      <span>
        {before}{' '}
        <span className="mono inline-block max-w-[200px] truncate align-bottom">{visibleLine(revision)}</span>{' '}
        {after}
      </span>
    </Button>
  );
}

/** Whose certificate it is and its fingerprint come before the decision, which nothing invites to. */
function AcceptCertificate({
  remedy,
  serverId,
}: Omit<RemedyProps<Extract<Remedy, { kind: 'accept-certificate' }>>, 'isFirst'>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover
      label="Accept this certificate?"
      open={isOpen}
      onOpenChange={setOpen}
      className="w-[520px] max-w-[90vw] border-l-2 border-l-warn"
      trigger={<Button>Accept this certificate…</Button>}
    >
      <h3 className="flex items-center gap-2 font-semibold">
        <ShieldAlert aria-hidden className="size-4 shrink-0 text-warn" />
        Accept this certificate from now on?
      </h3>
      <p className="mt-0.5 mb-2 text-mute">
        Nobody you trust vouches for it. Compare the fingerprint with the one the server’s owner tells you: if
        it is another, someone may be listening in between.
      </p>
      <Facts
        facts={[
          { name: 'Subject', value: <PlainText text={remedy.subject} className="mono" /> },
          { name: 'SHA-256', value: <Fingerprint text={remedy.fingerprint} /> },
        ]}
      />
      <div className="mt-2.5 flex gap-2">
        <Button
          onClick={() => {
            setOpen(false);
            void connect(serverId, { acceptCertificate: remedy.fingerprint });
          }}
        >
          Accept and connect
        </Button>
        <Button variant="quiet" onClick={() => setOpen(false)}>
          Cancel
        </Button>
      </div>
    </Popover>
  );
}

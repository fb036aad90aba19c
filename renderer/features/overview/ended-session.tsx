import { CircleStop, ShieldAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { connect } from '#model/connection.ts';
import { openEditor } from '#model/selection.ts';
import { exitLabel } from '#model/sessions.ts';
import type { SessionStatus } from '#model/sessions.ts';
import type { Remedy } from '#shared/contract/sessions.ts';
import { formatClock, formatRunTime } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { Facts } from '#ui/facts.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Popover } from '#ui/popover.tsx';
import { visibleLine } from '#ui/visible.ts';
import { Fingerprint } from './fingerprint.tsx';

/** An ended session: why it ended, how its process exited, and what to do next. */
export function Ended({ session, action }: { readonly session: SessionStatus; readonly action: ReactNode }) {
  const facts = [
    exitLabel(session),
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

/** Remedies for a failed session, besides reconnecting. */
function Remedies({ session }: { readonly session: SessionStatus }) {
  return session.remedies.map((remedy, index) => (
    <RemedyAction key={index} remedy={remedy} serverId={session.serverId} isFirst={index === 0} />
  ));
}

interface RemedyProps<W extends Remedy = Remedy> {
  readonly remedy: W;
  readonly serverId: string;
  /** Whether this action is the one most likely to help. */
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
          before="Continue with"
          revision={remedy.revision}
          isFirst={isFirst}
          after="anyway"
          onClick={() => void connect(serverId, { anyRevision: true })}
        />
      );
    case 'accept-certificate':
      return <AcceptCertificate remedy={remedy} serverId={serverId} />;
    case 'compare-certificate':
      return <CompareCertificate remedy={remedy} serverId={serverId} />;
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
  /** Untrusted text of the server. */
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

/** The certificate of another machine: only somebody who knows that machine can say whether it is its own. */
function CompareCertificate({
  remedy: { subject, issuer, fingerprint },
  serverId,
}: Omit<RemedyProps<Extract<Remedy, { kind: 'compare-certificate' }>>, 'isFirst'>) {
  return (
    <section aria-label="Certificate of the server" className="w-full">
      <Facts
        facts={[
          { name: 'Subject', value: <PlainText text={subject} className="mono" /> },
          { name: 'Issuer', value: <PlainText text={issuer} className="mono" /> },
          { name: 'SHA-256', value: <Fingerprint text={fingerprint} /> },
        ]}
      />
      <p className="mt-1 mb-2 max-w-[70ch] text-mute">
        Someone between here and the server could show a certificate of their own. Compare the fingerprint
        with the one that the administrator of the server gives you, and enter that one in the settings.
      </p>
      <Button onClick={() => openEditor(serverId, 'certificate')}>Enter a fingerprint…</Button>
    </section>
  );
}

/** Shows the certificate's subject and fingerprint before it can be accepted. */
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
        No authority you trust has issued it. The server is on this machine: if you started it yourself, its
        certificate is your own, and the fingerprint is that of its file.
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

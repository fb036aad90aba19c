import { type ReactNode, useState } from 'react';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { AdviceLine, VerdictLine } from '#ui/schema-form/advice.tsx';
import { Tooltip } from '#ui/tooltip.tsx';
import type { Question } from '../question/read-question.ts';
import { refusalWords } from './answer-words.ts';
import { ErrorFields } from './error-fields.tsx';
import { SecretCheck } from './secret-check.tsx';
import type { Answering } from './use-answering.ts';

const defaultsLabels: Readonly<Record<Question['kind'], string>> = {
  sampling: 'Accept with defaults',
  form: 'Accept with defaults',
  url: 'Accept',
  roots: 'Send the roots',
};

/** The ways to answer, and what there is to know before. */
export function AnswerBar({
  entry,
  question,
  answering,
}: {
  readonly entry: InboxEntry;
  readonly question: Question;
  readonly answering: Answering;
}) {
  const [isErrorOpen, setErrorOpen] = useState(false);
  const { send, say, doubtful, confirm, reconsider, isSending, verdict, invalidReason } = answering;
  const isError = entry.by === 'error';
  return (
    <div className="flex shrink-0 flex-col gap-2 border-t border-line bg-bg px-4 py-2.5">
      {!isError && <Advice invalidReason={invalidReason} verdict={verdict} />}
      {doubtful !== null ? (
        <SecretCheck onSend={confirm} onClose={reconsider} />
      ) : isErrorOpen ? (
        <ErrorFields
          onSend={(code, message) => say({ kind: 'error', code, message })}
          onClose={() => setErrorOpen(false)}
        />
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          <Together>
            {!isError && (
              <Button
                variant="primary"
                disabled={send === null || isSending}
                onClick={() => send?.()}
                {...(verdict?.state !== 'invalid' && { shortcut: 'Mod+Enter' })}
              >
                {verdict?.state === 'invalid' && invalidReason === null ? 'Send anyway' : 'Send answer'}
              </Button>
            )}
            {entry.suggestion !== null && (
              <Tooltip text={isError ? 'Nothing is sent: the question is put aside' : entry.suggestion}>
                <Button
                  variant={isError ? 'primary' : 'plain'}
                  disabled={isSending}
                  onClick={() => say({ kind: 'defaults' })}
                >
                  {isError ? 'Done' : defaultsLabels[question.kind]}
                </Button>
              </Tooltip>
            )}
          </Together>
          <Together className="flex-1">
            {(['decline', 'cancel'] as const).map((kind) => (
              <Tooltip key={kind} text={refusalWords(entry, kind)}>
                <Button disabled={isSending} onClick={() => say({ kind })}>
                  {kind === 'decline' ? 'Decline' : 'Cancel'}
                </Button>
              </Tooltip>
            ))}
            {entry.by === 'request' && (
              <Button
                variant="quiet"
                className="ml-auto"
                disabled={isSending}
                onClick={() => setErrorOpen(true)}
              >
                Send an error…
              </Button>
            )}
          </Together>
        </div>
      )}
    </div>
  );
}

/** Buttons that come on a line of their own when there is no room for all. */
const Together = ({ className, children }: { readonly className?: string; readonly children: ReactNode }) => (
  <span className={cx('flex items-center gap-2 empty:hidden', className)}>{children}</span>
);

/** Why the text cannot be sent, or what the schema says of it. */
function Advice({ invalidReason, verdict }: Pick<Answering, 'invalidReason' | 'verdict'>) {
  if (invalidReason !== null)
    return <AdviceLine tone="error">This cannot be sent as a result: {invalidReason}</AdviceLine>;
  return <VerdictLine of="The answer" verdict={verdict} />;
}

import { type ReactNode, useState, useEffect, useId, useRef } from 'react';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { FieldError, Input } from '#ui/field.tsx';
import { AdviceLine, ValidationLine } from '#ui/schema-form/validation-line.tsx';
import { Tooltip } from '#ui/tooltip.tsx';
import { type Rejection, rejectionError } from '#shared/protocol/rejections.ts';
import type { AnswerDraft } from './answer-draft.ts';
import type { Question } from './read-question.ts';

const defaultsLabels: Readonly<Record<Question['kind'], string>> = {
  sampling: 'Accept with defaults',
  form: 'Accept with defaults',
  url: 'Accept',
  roots: 'Send the roots',
  unknown: 'Accept with defaults',
};

/** The buttons to answer with, and a warning if the answer is invalid. */
export function AnswerBar({
  entry,
  question,
  draft,
}: {
  readonly entry: InboxEntry;
  readonly question: Question;
  readonly draft: AnswerDraft;
}) {
  const [isErrorOpen, setErrorOpen] = useState(false);
  const { send, sendInvalid, say, unconfirmed, confirm, cancelConfirm, isSending } = draft;
  const { validation, invalidReason } = draft;
  const isError = entry.by === 'error';
  return (
    <div className="flex shrink-0 flex-col gap-2 border-t border-line bg-bg px-4 py-2.5">
      {!isError && <Advice invalidReason={invalidReason} validation={validation} />}
      {unconfirmed !== null ? (
        <SecretCheck onSend={confirm} onClose={cancelConfirm} />
      ) : isErrorOpen ? (
        <ErrorFields
          onSend={(code, message) => say({ kind: 'error', code, message })}
          onClose={() => setErrorOpen(false)}
        />
      ) : (
        <div className="flex flex-wrap items-start gap-2">
          <Together>
            {!isError && (
              <Button
                variant={sendInvalid === null ? 'primary' : 'danger'}
                disabled={send === null || isSending}
                onClick={sendInvalid ?? send ?? undefined}
                {...(sendInvalid === null && { shortcut: 'Mod+Enter' })}
              >
                {sendInvalid === null ? 'Send answer' : 'Send anyway'}
              </Button>
            )}
            {entry.suggestion !== null && (
              <Tooltip text={isError ? 'Sends nothing: dismisses the question' : entry.suggestion}>
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
          <Together className="flex-1 flex-wrap">
            {(['decline', 'cancel'] as const).map((kind) => (
              <Tooltip key={kind} text={rejectionNote(entry, kind)}>
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

/** Buttons that wrap to the next line together. */
const Together = ({ className, children }: { readonly className?: string; readonly children: ReactNode }) => (
  <span className={cx('flex items-center gap-2 empty:hidden', className)}>{children}</span>
);

/** Why the text cannot be sent, or how it violates the schema. */
function Advice({ invalidReason, validation }: Pick<AnswerDraft, 'invalidReason' | 'validation'>) {
  if (invalidReason !== null)
    return <AdviceLine tone="error">Cannot be sent as a result: {invalidReason}</AdviceLine>;
  return <ValidationLine of="The answer" validation={validation} />;
}

/** Sends a JSON-RPC error instead of a result, with any code, to test the server. */
function ErrorFields({
  onSend,
  onClose,
}: {
  readonly onSend: (code: number, message: string) => void;
  readonly onClose: () => void;
}) {
  const [code, setCode] = useState('-32603');
  const [message, setMessage] = useState('Internal error');
  const isCode = /^-?\d{1,15}$/.test(code.trim());
  const errorId = useId();
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.select(), []);
  const send = () => {
    if (isCode) onSend(Number(code), message);
  };
  return (
    <div
      role="group"
      aria-label="Answer with an error"
      className="flex flex-col gap-1"
      onKeyDown={(press) => {
        if (press.key === 'Enter' && press.target instanceof HTMLInputElement) send();
        else if (press.key === 'Escape') onClose();
        else return;
        press.preventDefault();
        press.stopPropagation();
      }}
    >
      <div className="flex flex-wrap items-center gap-1.5">
        <span className="flex min-w-56 flex-1 gap-1.5">
          <Input
            ref={first}
            aria-label="Error code"
            aria-invalid={isCode ? undefined : true}
            aria-describedby={isCode ? undefined : errorId}
            inputMode="numeric"
            className="mono max-w-24"
            value={code}
            onChange={({ target }) => setCode(target.value)}
          />
          <Input
            aria-label="Error message"
            value={message}
            onChange={({ target }) => setMessage(target.value)}
          />
        </span>
        <span className="flex gap-1.5">
          <Button disabled={!isCode} onClick={send}>
            Send error
          </Button>
          <Button variant="quiet" onClick={onClose}>
            Close
          </Button>
        </span>
      </div>
      {!isCode && <FieldError id={errorId}>An error code must be a whole number.</FieldError>}
    </div>
  );
}

/** Asks for confirmation before sending something that may be a secret. */
function SecretCheck({ onSend, onClose }: { readonly onSend: () => void; readonly onClose: () => void }) {
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  return (
    <div
      role="group"
      aria-label="Send a possible secret?"
      className="flex flex-wrap items-center gap-2 rounded-ui border border-err bg-panel px-2.5 py-1.5"
      onKeyDown={(press) => {
        if (press.key !== 'Escape') return;
        press.stopPropagation();
        onClose();
      }}
    >
      <span className="min-w-0 flex-1 text-err">This may reveal a secret to the server. Send it?</span>
      <Button ref={back} size="small" onClick={onClose}>
        Back
      </Button>
      <Button variant="danger" size="small" onClick={onSend}>
        Send it anyway
      </Button>
    </div>
  );
}

/** What declining or cancelling sends. */
function rejectionNote({ method, by }: Pick<InboxEntry, 'method' | 'by'>, kind: Rejection): string {
  if (by === 'error') return 'Sends nothing: the question came with an error';
  const error = rejectionError(method, kind);
  if (error === null) return `Sends {"action":"${kind}"}`;
  // Input responses cannot be errors (MCP 2026-07-28 multi-round-trip requests).
  if (by === 'input') return 'Ends the call: it is not sent again with an answer';
  return `Sends the error ${error.code} “${error.message}”`;
}

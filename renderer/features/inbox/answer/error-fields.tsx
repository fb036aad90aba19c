import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { FieldError, Input } from '#ui/field.tsx';

/** A JSON-RPC error in place of a result: any code, to see what the server makes of it. */
export function ErrorFields({
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
      aria-label="An error as the answer"
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
            aria-label="Code of the error"
            aria-invalid={isCode ? undefined : true}
            aria-describedby={isCode ? undefined : errorId}
            inputMode="numeric"
            className="mono max-w-24"
            value={code}
            onChange={({ target }) => setCode(target.value)}
          />
          <Input
            aria-label="Message of the error"
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
      {!isCode && <FieldError id={errorId}>The code of an error is a whole number.</FieldError>}
    </div>
  );
}

import { useEffect, useRef } from 'react';
import { Button } from '#ui/button.tsx';

/** Asks once more before something goes out that looks like a secret. */
export function SecretCheck({
  onSend,
  onClose,
}: {
  readonly onSend: () => void;
  readonly onClose: () => void;
}) {
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  return (
    <div
      role="group"
      aria-label="Send a secret?"
      className="flex flex-wrap items-center gap-2 rounded-ui border border-err bg-panel px-2.5 py-1.5"
      onKeyDown={(press) => {
        if (press.key !== 'Escape') return;
        press.stopPropagation();
        onClose();
      }}
    >
      <span className="min-w-0 flex-1 text-err">This may give a secret to the server. Send it?</span>
      <Button ref={back} size="small" onClick={onClose}>
        Back
      </Button>
      <Button variant="danger" size="small" onClick={onSend}>
        Send it anyway
      </Button>
    </div>
  );
}

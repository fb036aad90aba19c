import type { ReactNode } from 'react';
import { Button } from '#ui/button.tsx';

/** What is unusual about a field, under it, and a click that puts it right. */
export function Offer({
  children,
  action,
  onAccept,
}: {
  readonly children: ReactNode;
  readonly action: string;
  readonly onAccept: () => void;
}) {
  return (
    <div className="mt-1.5 flex items-center gap-2 text-xs text-warn">
      <span className="min-w-0 break-words">{children}</span>
      <Button size="small" onClick={onAccept}>
        {action}
      </Button>
    </div>
  );
}

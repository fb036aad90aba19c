import { type ReactNode, useRef } from 'react';
import type { Fault } from '#shared/contract/fault.ts';
import { Button } from './button.tsx';
import { FaultCard } from './fault-card.tsx';
import { Popover } from './popover.tsx';

/** Asks, beside what it is about, before something is removed. The focus lies on the button that keeps it. */
export function RemovalConfirmation({
  label,
  question,
  verb,
  open,
  fault,
  onRemove,
  onKeep,
  side,
  anchor,
  children,
}: {
  /** Accessible name. */
  readonly label: string;
  readonly question: ReactNode;
  /** Of the button, such as `Remove`. */
  readonly verb: string;
  readonly open: boolean;
  readonly fault: Fault | null;
  readonly onRemove: () => void;
  readonly onKeep: () => void;
  readonly side: 'right' | 'bottom';
  readonly anchor: ReactNode;
  /** What goes with it. */
  readonly children: ReactNode;
}) {
  const keep = useRef<HTMLButtonElement>(null);
  return (
    <Popover
      label={label}
      open={open}
      onOpenChange={(isNowOpen) => {
        if (!isNowOpen) onKeep();
      }}
      side={side}
      className="w-[320px]"
      initialFocus={keep}
      anchor={anchor}
    >
      <p className="font-medium wrap-anywhere">{question}</p>
      <p className="mt-1 text-mute">{children}</p>
      {fault && <FaultCard fault={fault} className="mt-2" />}
      <div className="mt-3 flex gap-2">
        <Button ref={keep} onClick={onKeep}>
          Keep
        </Button>
        <Button variant="danger" onClick={onRemove}>
          {verb}
        </Button>
      </div>
    </Popover>
  );
}

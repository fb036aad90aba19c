import { type ReactNode, useState } from 'react';
import { faultOf } from '#model/faults.ts';
import { deleteTrace } from '#model/traces.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { TraceFileView } from '#shared/contract/traces.ts';
import { formatBytes, formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Popover } from '#ui/popover.tsx';
import { visibleLine } from '#ui/visible.ts';

/** Asks for confirmation before a file is deleted. */
export function DeletionConfirmation({
  file,
  open,
  onClose,
  side,
  anchor,
}: {
  readonly file: Pick<TraceFileView, 'path' | 'name' | 'size' | 'rows'>;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly side: 'right' | 'bottom';
  readonly anchor: ReactNode;
}) {
  const [fault, setFault] = useState<Fault | null>(null);
  const close = () => {
    setFault(null);
    onClose();
  };
  const remove = async () => {
    try {
      await deleteTrace(file.path);
      close();
    } catch (error) {
      setFault(faultOf(error));
    }
  };
  const rows = file.rows === null ? '' : `${formatQuantity(file.rows, 'row')}, `;
  return (
    <Popover
      label={`Delete ${file.name}`}
      open={open}
      onOpenChange={(isNowOpen) => {
        if (!isNowOpen) close();
      }}
      side={side}
      className="w-[320px]"
      anchor={anchor}
    >
      <p className="font-medium break-words">Delete “{visibleLine(file.name)}”?</p>
      <p className="mt-1 text-mute">
        {rows}
        {formatBytes(file.size)}. The file is deleted permanently, not moved to the trash.
      </p>
      {fault && <FaultCard fault={fault} className="mt-2" />}
      <div className="mt-3 flex gap-2">
        <Button variant="danger" onClick={() => void remove()}>
          Delete
        </Button>
        <Button onClick={close}>Keep</Button>
      </div>
    </Popover>
  );
}

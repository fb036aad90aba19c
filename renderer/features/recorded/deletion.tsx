import { type ReactNode, useState } from 'react';
import { faultOf } from '#model/faults.ts';
import { deleteTrace } from '#model/traces.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { TraceFileView } from '#shared/contract/traces.ts';
import { formatBytes, formatQuantity } from '#shared/format.ts';
import { RemovalConfirmation } from '#ui/removal-confirmation.tsx';
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
    <RemovalConfirmation
      label={`Delete ${file.name}`}
      question={`Delete “${visibleLine(file.name)}”?`}
      verb="Delete"
      open={open}
      fault={fault}
      onRemove={() => void remove()}
      onKeep={close}
      side={side}
      anchor={anchor}
    >
      {rows}
      {formatBytes(file.size)}. You can undo it for 10 minutes, or until Sightglass quits. Then the file is
      deleted permanently; it is not moved to the trash.
    </RemovalConfirmation>
  );
}

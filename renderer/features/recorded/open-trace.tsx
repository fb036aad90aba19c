import { FileInput } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { TextField } from '#ui/field.tsx';
import { Popover } from '#ui/popover.tsx';
import { visibleLine } from '#ui/visible.ts';
import { askForTrace, endOpening, openPath, useOpening, openFiles } from './opening.ts';

/** Opens a trace that is not in the list, and shows why one could not be opened. */
export function OpenTrace() {
  const { isAsking, faults } = useOpening();
  const button = useRef<HTMLButtonElement>(null);
  const isOpen = isAsking || faults.length > 0;
  useEffect(() => {
    // Opened by shortcut, it may be out of view.
    if (isOpen) button.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  return (
    <Popover
      label="Open trace"
      open={isOpen}
      onOpenChange={(isNowOpen) => {
        if (isNowOpen) void askForTrace();
        else endOpening();
      }}
      side="right"
      align="end"
      className="w-[440px]"
      trigger={
        <button
          ref={button}
          type="button"
          className="flex h-7 w-full items-center px-3.5 text-left text-faint hover:bg-hover hover:text-text"
        >
          Open trace…
        </button>
      }
    >
      {isAsking && <PathForm />}
      {faults.length > 0 && (
        <div className="flex flex-col gap-2 not-first:mt-3">
          {faults.map(({ id, name, fault }) => (
            <div key={id}>
              <p className="mb-1 truncate font-medium">{visibleLine(name)} was not opened</p>
              <FaultCard fault={fault} />
            </div>
          ))}
          {!isAsking && (
            <div>
              <Button onClick={endOpening}>Close</Button>
            </div>
          )}
        </div>
      )}
    </Popover>
  );
}

function PathForm() {
  const [path, setPath] = useState('');
  const [isOpening, setOpening] = useState(false);
  const open = async () => {
    // Show only faults of this path.
    useOpening.setState({ faults: [] });
    setOpening(true);
    const isOpened = await openPath(path.trim());
    setOpening(false);
    if (isOpened) endOpening();
  };
  return (
    <form
      onSubmit={(submit) => {
        submit.preventDefault();
        if (path.trim() !== '' && !isOpening) void open();
      }}
    >
      <TextField
        label="Path of the trace file"
        mono
        value={path}
        onChange={setPath}
        placeholder="/home/me/bug.mcptrace"
        note="On the machine that runs Sightglass. To copy a file from this machine, drop it on the window."
      />
      <Button type="submit" variant="primary" disabled={path.trim() === '' || isOpening} className="mt-3">
        Open
      </Button>
    </form>
  );
}

/** Opens trace files dropped anywhere on the window, with a hint while they are dragged over it. */
export function TraceDrop() {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const onOver = (drag: DragEvent) => {
      if (!carriesFiles(drag)) return;
      if (isTakenElsewhere(drag)) return setIsOver(false);
      // Otherwise the browser would navigate to the file.
      drag.preventDefault();
      if (drag.dataTransfer) drag.dataTransfer.dropEffect = 'copy';
      setIsOver(true);
    };
    const onLeave = (drag: DragEvent) => {
      if (drag.relatedTarget === null) setIsOver(false);
    };
    const onDrop = (drag: DragEvent) => {
      setIsOver(false);
      if (!carriesFiles(drag) || isTakenElsewhere(drag)) return;
      drag.preventDefault();
      drag.stopPropagation();
      void openFiles([...(drag.dataTransfer?.files ?? [])]);
    };
    window.addEventListener('dragenter', onOver, true);
    window.addEventListener('dragover', onOver, true);
    window.addEventListener('dragleave', onLeave, true);
    window.addEventListener('drop', onDrop, true);
    return () => {
      window.removeEventListener('dragenter', onOver, true);
      window.removeEventListener('dragover', onOver, true);
      window.removeEventListener('dragleave', onLeave, true);
      window.removeEventListener('drop', onDrop, true);
    };
  }, []);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-0 z-50 border-2 border-accent bg-accent/8">
      <p
        role="status"
        className="absolute top-1/2 left-1/2 flex -translate-1/2 items-center gap-2 rounded-ui border border-line bg-raise px-4 py-2.5 font-medium shadow-float"
      >
        <FileInput aria-hidden className="size-4 text-accent" />
        Drop to open the trace
      </p>
    </div>
  );
}

const carriesFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false;

/** Whether the files are dragged over a part of the window that takes them itself. */
const isTakenElsewhere = ({ target }: DragEvent): boolean =>
  target instanceof Element && target.closest('[data-takes-files]') !== null;

import { useEffect, useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { TextField } from '#ui/field.tsx';
import { Popover } from '#ui/popover.tsx';
import { visibleLine } from '#ui/visible.ts';
import { askForTrace, endOpening, openPath, useOpening } from './opening.ts';

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

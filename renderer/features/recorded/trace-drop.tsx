import { FileInput } from 'lucide-react';
import { useEffect, useState } from 'react';
import { openFiles } from './opening.ts';

/** Opens trace files that are dropped anywhere on the window, and says so while they hang over it. */
export function TraceDrop() {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const onOver = (drag: DragEvent) => {
      if (!carriesFiles(drag)) return;
      // Else the browser would show the file in place of the page.
      drag.preventDefault();
      if (drag.dataTransfer) drag.dataTransfer.dropEffect = 'copy';
      setIsOver(true);
    };
    const onLeave = (drag: DragEvent) => {
      if (drag.relatedTarget === null) setIsOver(false);
    };
    const onDrop = (drag: DragEvent) => {
      setIsOver(false);
      if (!carriesFiles(drag)) return;
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

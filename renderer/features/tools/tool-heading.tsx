import { Chip } from '#ui/chip.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Tooltip } from '#ui/tooltip.tsx';
import { effectiveHints } from './hints.ts';
import type { ToolLine } from './tool-list-model.ts';

/** A tool's name, what it says about itself, and the hints in force. */
export function ToolHeading({ line }: { readonly line: ToolLine }) {
  const { entry, title, name } = line;
  return (
    <div className="mb-3">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 className="inline text-lg font-semibold">
            <PlainText inline text={title} />
          </h2>
          {name !== null && name !== title && (
            <PlainText inline text={name} className="mono pl-2 text-faint" />
          )}
        </div>
        {name !== null && <CopyButton text={name} label="Copy the name" className="-mt-0.5 -mr-1" />}
      </div>
      {entry.usable && (
        <>
          {entry.tool.description !== undefined && <Description text={entry.tool.description} />}
          <div className="mt-2 flex flex-wrap gap-1">
            {effectiveHints(entry.tool.annotations).map(({ name: hint, label, isExplicit, meaning }) => (
              <Tooltip key={hint} text={meaning}>
                <button type="button" className="max-w-full cursor-default rounded-full">
                  <Chip className={isExplicit ? '' : 'border-dashed text-faint'}>{label}</Chip>
                </button>
              </Tooltip>
            ))}
            <Tooltip text="Nothing proves a hint. A solid frame is what the server says; a dashed one is what holds when it says nothing.">
              <button type="button" className="max-w-full cursor-default rounded-full">
                <Chip className="border-transparent px-1 text-faint">hints are the server's claim</Chip>
              </button>
            </Tooltip>
          </div>
        </>
      )}
    </div>
  );
}

/** Longer descriptions scroll in a place of their own: they may be pages, and may hide something at the end. */
const LONG = 700;

function Description({ text }: { readonly text: string }) {
  if (text.length <= LONG) return <PlainText text={text} className="mt-1 text-mute" />;
  return (
    // A scrolled place must be within reach of the keyboard.
    <section
      aria-label="Description"
      tabIndex={0}
      className="mt-1 max-h-32 overflow-y-auto border-l border-line pl-2"
    >
      <PlainText text={text} className="text-mute" />
    </section>
  );
}

import { Maximize2, Minimize2 } from 'lucide-react';
import { IconButton } from './button.tsx';

/** Gives all the room to a part of the window, or takes it back. */
export function MaximizeButton({
  of,
  shortcut,
  isMaximized,
  onChange,
}: {
  /** Such as `trace`. */
  readonly of: string;
  readonly shortcut: string | undefined;
  readonly isMaximized: boolean;
  readonly onChange: (isMaximized: boolean) => void;
}) {
  const Icon = isMaximized ? Minimize2 : Maximize2;
  return (
    <IconButton
      label={isMaximized ? `Restore the ${of}` : `Maximize the ${of}`}
      shortcut={shortcut}
      size="small"
      onClick={() => onChange(!isMaximized)}
    >
      <Icon aria-hidden className="size-3.5" />
    </IconButton>
  );
}

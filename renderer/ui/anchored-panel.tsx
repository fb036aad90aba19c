import { Popover as Radix } from 'radix-ui';
import type { ReactNode, Ref } from 'react';
import { cx } from './cx.ts';
import { useFloatingPlace } from './floating.ts';

/**
 * A panel below its child, such as completions of a text. It takes no focus, and its parent closes it.
 */
export function AnchoredPanel({
  isOpen,
  panel,
  panelRef,
  className,
  children,
}: {
  readonly isOpen: boolean;
  readonly panel: ReactNode;
  readonly panelRef?: Ref<HTMLDivElement>;
  readonly className?: string;
  /** One element, the anchor. */
  readonly children: ReactNode;
}) {
  const floatingPlace = useFloatingPlace();
  return (
    <Radix.Root open={isOpen}>
      <Radix.Anchor asChild>{children}</Radix.Anchor>
      <Radix.Portal container={floatingPlace}>
        <Radix.Content
          ref={panelRef}
          // Not a dialog: its content has its own role.
          role="presentation"
          align="start"
          sideOffset={4}
          collisionPadding={8}
          onOpenAutoFocus={(focus) => focus.preventDefault()}
          onCloseAutoFocus={(focus) => focus.preventDefault()}
          // Keep the focus in the child on click.
          onMouseDown={(down) => down.preventDefault()}
          className={cx(
            'z-50 overflow-auto rounded-ui border border-line bg-raise shadow-float outline-none',
            className,
          )}
        >
          {panel}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

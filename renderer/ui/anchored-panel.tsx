import { Popover as Radix } from 'radix-ui';
import type { ReactNode, Ref } from 'react';
import { cx } from './cx.ts';
import { useFloatingPlace } from './floating.ts';

/**
 * What appears under its child while there is something to say of it, such as completions of a text. It takes no focus,
 * and its parent decides when it closes.
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
  /** One element, which it stands under. */
  readonly children: ReactNode;
}) {
  const floatingPlace = useFloatingPlace();
  return (
    <Radix.Root open={isOpen}>
      <Radix.Anchor asChild>{children}</Radix.Anchor>
      <Radix.Portal container={floatingPlace}>
        <Radix.Content
          ref={panelRef}
          // It is no dialog: its content says what it is.
          role="presentation"
          align="start"
          sideOffset={4}
          collisionPadding={8}
          onOpenAutoFocus={(focus) => focus.preventDefault()}
          onCloseAutoFocus={(focus) => focus.preventDefault()}
          // The child keeps the focus while the pointer chooses.
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

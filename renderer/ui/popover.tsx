import { Popover as Radix } from 'radix-ui';
import { type ReactNode, type RefObject, useRef } from 'react';
import { cx } from './cx.ts';
import { useFloatingPlace } from './floating.ts';

/**
 * A popover. Escape or an outside click closes it; the rest of the window stays usable. With `trigger` the trigger
 * opens it; with `anchor` the caller does.
 */
export function Popover({
  label,
  open,
  onOpenChange,
  side = 'bottom',
  align = 'start',
  className,
  initialFocus,
  children,
  ...place
}: {
  /** Accessible name. */
  readonly label: string;
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  readonly side?: 'top' | 'right' | 'bottom' | 'left';
  readonly align?: 'start' | 'center' | 'end';
  readonly className?: string;
  /** What gets the focus when it opens; by default its first control. */
  readonly initialFocus?: RefObject<HTMLElement | null>;
  readonly children: ReactNode;
} & ({ readonly trigger: ReactNode } | { readonly anchor: ReactNode })) {
  const floatingPlace = useFloatingPlace();
  const focusedBefore = useRef<Element | null>(null);
  return (
    <Radix.Root {...(open !== undefined && { open })} {...(onOpenChange !== undefined && { onOpenChange })}>
      {'trigger' in place ? (
        <Radix.Trigger asChild>{place.trigger}</Radix.Trigger>
      ) : (
        <Radix.Anchor asChild>{place.anchor}</Radix.Anchor>
      )}
      <Radix.Portal container={floatingPlace}>
        <Radix.Content
          aria-label={label}
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          onOpenAutoFocus={(opening) => {
            focusedBefore.current = document.activeElement;
            if (initialFocus === undefined) return;
            opening.preventDefault();
            initialFocus.current?.focus();
          }}
          onCloseAutoFocus={() => {
            // A trigger gets the focus back by itself.
            const { current: before } = focusedBefore;
            if (
              !('trigger' in place) &&
              before instanceof HTMLElement &&
              document.activeElement === document.body
            )
              before.focus();
          }}
          className={cx(
            'z-40 max-h-(--radix-popover-content-available-height) overflow-auto rounded-lg border border-line bg-panel p-3 shadow-float outline-none',
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

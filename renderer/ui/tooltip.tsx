import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useFloatingPlace } from './floating.ts';

/** A tooltip on hover and focus of its child, which must be one element. */
export function Tooltip({
  text,
  side = 'bottom',
  children,
}: {
  readonly text: ReactNode;
  readonly side?: 'top' | 'right' | 'bottom' | 'left';
  readonly children: ReactNode;
}) {
  const floatingPlace = useFloatingPlace();
  return (
    <Radix.Provider delayDuration={500}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal container={floatingPlace}>
          <Radix.Content
            side={side}
            sideOffset={6}
            collisionPadding={8}
            className="z-50 max-w-[480px] rounded-ui border border-line bg-raise px-2 py-1 text-sm break-words text-text shadow-float"
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}

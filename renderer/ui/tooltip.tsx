import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useFloatingPlace } from './floating.ts';
import { visibleText } from './visible.ts';

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
            {typeof text === 'string' ? visibleText(text) : text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}

/** Characters of the tooltip of a text that is cut off. */
const MAX_TITLE = 2_000;

/**
 * Gives every text that is cut off by its box a tooltip with the whole text, when the pointer comes over it. A place with a tooltip
 * of its own keeps that.
 */
export function showCutTexts(): () => void {
  const onOver = ({ target }: Event) => {
    for (let place = target; place instanceof HTMLElement; place = place.parentElement) {
      if (place.title !== '' && place.dataset.cut === undefined) return;
      if (isCut(place)) {
        place.dataset.cut = '';
        place.title = place.innerText.trim().slice(0, MAX_TITLE);
        return;
      }
      if (place.dataset.cut === undefined) continue;
      delete place.dataset.cut;
      place.removeAttribute('title');
    }
  };
  document.addEventListener('pointerover', onOver);
  return () => document.removeEventListener('pointerover', onOver);
}

/** Whether a text ends in an ellipsis because its box is too small. */
function isCut(element: HTMLElement): boolean {
  if (element.scrollWidth <= element.clientWidth) return false;
  const { overflowX, textOverflow } = getComputedStyle(element);
  return textOverflow === 'ellipsis' && overflowX !== 'visible';
}

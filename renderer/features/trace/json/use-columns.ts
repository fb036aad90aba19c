import { type RefObject, useLayoutEffect } from 'react';

/** Characters of the probe that is measured. */
export const PROBE = '0'.repeat(50);
/** Before the font is there, and where nothing is laid out. */
const USUAL_WIDTH = 7.2;

/** Tells how many columns of its font fit a scroller, whenever that changes. */
export function useColumns(
  scrollerRef: RefObject<HTMLElement | null>,
  probeRef: RefObject<HTMLElement | null>,
  reserved: number,
  onChange: (columns: number) => void,
): void {
  useLayoutEffect(() => {
    const scroller = scrollerRef.current;
    const probe = probeRef.current;
    if (scroller === null || probe === null) return;
    const measure = () => {
      const width = probe.getBoundingClientRect().width / PROBE.length || USUAL_WIDTH;
      onChange(Math.max(10, Math.floor((scroller.clientWidth - reserved) / width)));
    };
    measure();
    // The font comes later than the page.
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    observer.observe(probe);
    return () => observer.disconnect();
  }, [scrollerRef, probeRef, reserved, onChange]);
}

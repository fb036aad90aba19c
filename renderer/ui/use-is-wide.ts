import { type RefCallback, useMemo, useState } from 'react';

/** Pixels; a lower element has no room for two parts one below the other. */
const LOW = 360;

/** Whether the element with the ref is at least `least` pixels wide; `leastWhenLow` if it is low. */
export function useIsWide(least: number, leastWhenLow = least): [RefCallback<HTMLElement>, boolean] {
  const [isWide, setIsWide] = useState(true);
  const ref = useMemo(
    () => (element: HTMLElement | null) => {
      if (element === null) return undefined;
      const measure = () =>
        setIsWide(element.clientWidth >= (element.clientHeight < LOW ? leastWhenLow : least));
      measure();
      const observer = new ResizeObserver(measure);
      observer.observe(element);
      return () => observer.disconnect();
    },
    [least, leastWhenLow],
  );
  return [ref, isWide];
}

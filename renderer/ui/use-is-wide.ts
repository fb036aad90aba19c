import { type RefCallback, useMemo, useState } from 'react';

/** Whether the element with the ref is at least `least` pixels wide. */
export function useIsWide(least: number): [RefCallback<HTMLElement>, boolean] {
  const [isWide, setIsWide] = useState(true);
  const ref = useMemo(
    () => (element: HTMLElement | null) => {
      if (element === null) return undefined;
      const measure = () => setIsWide(element.clientWidth >= least);
      measure();
      const observer = new ResizeObserver(measure);
      observer.observe(element);
      return () => observer.disconnect();
    },
    [least],
  );
  return [ref, isWide];
}

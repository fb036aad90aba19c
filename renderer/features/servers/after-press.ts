import { useEffect, useRef } from 'react';

/**
 * Gives a function that runs what it is handed at once or, while the pointer is pressed, when it was let go.
 * A complaint that appears as a field loses the focus would else push what is being clicked from under the pointer.
 */
export function useAfterPress(): (run: () => void) => void {
  const press = useRef({ isDown: false, waiting: [] as (() => void)[] });
  useEffect(() => {
    const now = press.current;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const down = () => {
      now.isDown = true;
    };
    const up = () => {
      now.isDown = false;
      // The click comes after this, in the same task.
      timer = setTimeout(() => {
        for (const run of now.waiting.splice(0)) run();
      });
    };
    addEventListener('pointerdown', down, true);
    addEventListener('pointerup', up, true);
    addEventListener('pointercancel', up, true);
    return () => {
      clearTimeout(timer);
      now.waiting.length = 0;
      removeEventListener('pointerdown', down, true);
      removeEventListener('pointerup', up, true);
      removeEventListener('pointercancel', up, true);
    };
  }, []);
  return (run) => {
    if (press.current.isDown) press.current.waiting.push(run);
    else run();
  };
}

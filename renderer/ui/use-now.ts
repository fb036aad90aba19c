import { useEffect, useState } from 'react';

/** Milliseconds since the epoch, updated at an interval while `isRunning`. */
export function useNow(everyMs: number, isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isRunning]);
  return now;
}

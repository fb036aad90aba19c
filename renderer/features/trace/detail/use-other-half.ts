import { useEffect, useMemo } from 'react';
import { on } from '#bridge';
import { FrameSignal, useSignal } from '../frame-signal.ts';
import { DetailSource } from './detail-source.ts';

/** The detail of the other half of a call, while it is wanted; null until it has come. */
export function useOtherHalf(sessionId: string, row: number | null): DetailSource {
  const signal = useMemo(() => new FrameSignal(), []);
  const source = useMemo(() => new DetailSource(sessionId, signal.tell), [sessionId, signal]);
  useSignal(signal);
  useEffect(() => {
    source.show(row);
  }, [source, row]);
  useEffect(() => {
    const stop = on('trace/grew', (change) => {
      if (change.sessionId === sessionId) source.outdate(change.changedFrom);
    });
    return () => {
      stop();
      source.close();
    };
  }, [source, sessionId]);
  return source;
}

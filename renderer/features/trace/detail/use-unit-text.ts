import { useState } from 'react';
import { call } from '#bridge';
import { MAX_BYTES_PER_READ, type RowDetail } from '#shared/contract/trace.ts';
import { bytesOfBase64 } from './hex-lines.ts';

/** Bytes of a cut text to go on to with the first click; each further click doubles it. */
const FIRST_STEP = 2 * 1024 * 1024;
/** More of a text than this is no use to a reader, and too much for a page; hex shows every byte. */
const MOST_LOADED = 8 * 1024 * 1024;

export interface UnitText {
  readonly text: string;
  /** The end is missing. */
  readonly isCut: boolean;
  /** Bytes that `text` stands for; null when it is the engine's first part. */
  readonly loaded: number | null;
  readonly state: 'idle' | 'loading' | 'failed';
  /** Loads more of the bytes; null when it cannot: the bytes hold other messages too, or it is enough. */
  readonly loadMore: (() => void) | null;
}

/** The text of a unit: what the detail brought of it, and more on demand. */
export function useUnitText(sessionId: string, detail: RowDetail): UnitText {
  const [longer, setLonger] = useState<{ text: string; loaded: number; total: number } | null>(null);
  const [state, setState] = useState<UnitText['state']>('idle');
  const { row, batch } = detail.row;

  const load = async (goal: number) => {
    setState('loading');
    try {
      setLonger(await readText(sessionId, row, goal));
      setState('idle');
    } catch {
      // The button says so, and stays to try again.
      setState('failed');
    }
  };
  const mayLoad = batch === 1 && (longer?.loaded ?? 0) < MOST_LOADED;
  return {
    text: longer?.text ?? detail.text ?? '',
    isCut: longer ? longer.loaded < longer.total : detail.truncated,
    loaded: longer?.loaded ?? null,
    state,
    loadMore: mayLoad ? () => void load(longer ? longer.loaded * 2 : FIRST_STEP) : null,
  };
}

/** The first `goal` bytes of a unit as text. A character that the end cuts in two is left out. */
async function readText(sessionId: string, row: number, goal: number) {
  const decoder = new TextDecoder();
  let text = '';
  let loaded = 0;
  let total = goal;
  while (loaded < Math.min(goal, total)) {
    const count = Math.min(MAX_BYTES_PER_READ, goal - loaded);
    const answer = await call('trace/bytes', { sessionId, row, from: loaded, count });
    const bytes = bytesOfBase64(answer.base64);
    total = answer.total;
    loaded += bytes.length;
    text += decoder.decode(bytes, { stream: loaded < total });
    if (bytes.length === 0) break;
  }
  return { text, loaded, total };
}

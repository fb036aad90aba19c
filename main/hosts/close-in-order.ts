/** Longer than the time the engine gives its servers to exit. */
const MAX_CLOSE_TIME = 15_000;

/** Waits for a host's parts to close, and says on stderr what failed or took too long. */
export async function closeInOrder(parts: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const part of parts) {
    try {
      await failAfter(MAX_CLOSE_TIME, part());
    } catch (error) {
      console.error('sightglass: while closing:', error);
    }
  }
}

async function failAfter(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${milliseconds / 1000} s`)), milliseconds);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls the listener when the process is asked to end, until the returned function is called. */
export function onEndSignal(listener: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of endSignals) process.on(signal, listener);
  return () => {
    for (const signal of endSignals) process.off(signal, listener);
  };
}

/** Milliseconds after which a step of the start is said to be slow. */
export const SLOW = 10_000;

/** Says on stderr when a step of the start takes long, so that a window with nothing in it tells what it waits for. */
export async function sayWhenSlow<T>(step: string, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    console.error(`sightglass: still waiting for ${step} after ${SLOW / 1000} s`);
  }, SLOW);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds after which a step of the start is said to be slow. */
export const SLOW = 10_000;

/** Prints on stderr when a step of the start takes long, to explain an empty window. */
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

/** Milliseconds after which a step that neither ends nor fails is started again. */
export const STUCK = 30_000;

/** Starts a step again, once, when it is stuck, and says so on stderr. The first attempt no longer counts then. */
export async function againWhenStuck(step: string, work: () => Promise<void>): Promise<void> {
  const first = sayWhenSlow(step, work()).then(() => 'done' as const);
  first.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'stuck'>((resolve) => {
    timer = setTimeout(() => resolve('stuck'), STUCK);
  });
  const outcome = await Promise.race([first, late]).finally(() => clearTimeout(timer));
  if (outcome === 'done') return;
  console.error(`sightglass: waited ${STUCK / 1000} s for ${step}, so it is started again`);
  await sayWhenSlow(step, work());
}

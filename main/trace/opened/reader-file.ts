/**
 * The file that the thread of a reader runs: TypeScript where the sources themselves run, else what was built of it,
 * beside the entries and above the chunks, one of which this is in.
 */
export function readerFile(own: string = import.meta.url): URL {
  if (own.endsWith('.ts')) return new URL('../../trace-worker.ts', own);
  return new URL(own.includes('/chunks/') ? '../trace-worker.js' : './trace-worker.js', own);
}

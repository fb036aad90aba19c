import { watch } from 'node:fs';
import { pageFolder } from './app-root.ts';

/** A build writes many files; the page is complete once none has changed for this long. */
const QUIET = 300;

/** In development (`npm run dev`), calls the listener whenever the page was rebuilt. */
export function onPageRebuilt(listener: () => void): () => void {
  if (!process.env.SIGHTGLASS_DEV) return () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(pageFolder, { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(listener, QUIET);
  });
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}

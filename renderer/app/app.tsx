import { useEffect, useState, useSyncExternalStore } from 'react';
import { currentLinkState, onLinkState } from '#bridge';
import { faultOf } from '#model/connection.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { loadPalette } from '#ui/command-palette.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Toaster } from '#ui/toaster.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { LinkScreen } from './link-screen.tsx';
import { Shell } from './shell.tsx';
import { start } from './start.ts';

let started: Promise<void> | undefined;

type Progress =
  | { readonly state: 'starting' | 'started' }
  | { readonly state: 'failed'; readonly fault: Fault };

/** The whole window: the shell once the engine has answered, and what to do when it does not. */
export function App() {
  const link = useSyncExternalStore(onLinkState, currentLinkState);
  const [progress, setProgress] = useState<Progress>({ state: 'starting' });
  useEffect(() => {
    // Once a page: in development React mounts twice.
    // Ctrl+K works from the first picture on. The app can do without; the palette says why when it is opened.
    started ??= Promise.all([start(), loadPalette().catch(() => undefined)]).then(() => undefined);
    started.then(
      () => setProgress({ state: 'started' }),
      (error: unknown) => setProgress({ state: 'failed', fault: faultOf(error) }),
    );
  }, []);

  if (link === 'lost' || link === 'refused') return <LinkScreen link={link} />;
  if (progress.state === 'failed') {
    return (
      <main className="mx-auto max-w-[640px] p-8">
        <FaultCard fault={progress.fault} />
      </main>
    );
  }
  if (progress.state === 'starting') return <main aria-busy aria-label="Sightglass is starting" />;
  return (
    <ErrorBoundary>
      <Shell />
      <Toaster />
    </ErrorBoundary>
  );
}

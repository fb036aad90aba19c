import { Plug, ShieldX } from 'lucide-react';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';

const screens = {
  lost: {
    icon: <Plug />,
    title: 'Sightglass has stopped',
    text: 'This window has lost the process that talks to your servers. Every trace up to that moment is on disk.',
    next: 'Start Sightglass again; if it is running, reload this page.',
  },
  refused: {
    icon: <ShieldX />,
    title: 'This page is not let in',
    text: 'The address that Sightglass prints works once, in one tab. This tab was opened without it, or with one that was used before.',
    next: 'Open the address that Sightglass printed last, or start it again for a new one.',
  },
} as const;

/** Stands in place of everything while the engine cannot be reached. */
export function LinkScreen({ link }: { readonly link: keyof typeof screens }) {
  const { icon, title, text, next } = screens[link];
  return (
    <main className="h-full">
      <h1 className="sr-only">Sightglass</h1>
      <div role="alert" className="h-full">
        <EmptyState
          icon={icon}
          title={title}
          actions={link === 'lost' && <Button onClick={() => location.reload()}>Reload</Button>}
        >
          <p>{text}</p>
          <p className="mt-2 text-text">{next}</p>
        </EmptyState>
      </div>
    </main>
  );
}

import { FlaskConical } from 'lucide-react';
import { showTestingView, useTesting } from '#model/tests-pane.ts';
import { useCurrentServer, useShownSession } from '#model/selection.ts';
import { EmptyState } from '#ui/empty-state.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { LoadView } from './load-view.tsx';
import { NegativeInputs } from './negative-inputs.tsx';
import { SavedCalls } from './saved-calls.tsx';

/** Tests of the server: saved calls with what is expected of them, negative inputs, and calls that run many times. */
export function TestsPane() {
  const server = useCurrentServer();
  const session = useShownSession();
  const view = useTesting((state) => state.view);
  if (server === null) {
    return (
      <EmptyState icon={<FlaskConical />} title="No server">
        Select a server to test it.
      </EmptyState>
    );
  }
  const ready = session?.phase === 'ready' ? session : null;
  const switcher = (
    <Segmented
      label="Test with"
      value={view}
      onChange={showTestingView}
      options={[
        { id: 'saved', label: 'Saved calls' },
        { id: 'negative', label: 'Negative inputs' },
        { id: 'load', label: 'Load' },
      ]}
    />
  );
  const props = { serverId: server.id, session: ready, switcher };
  switch (view) {
    case 'saved':
      return <SavedCalls key={server.id} {...props} />;
    case 'negative':
      return <NegativeInputs key={server.id} {...props} />;
    case 'load':
      return <LoadView key={server.id} {...props} />;
  }
}

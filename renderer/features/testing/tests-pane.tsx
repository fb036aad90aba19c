import { FlaskConical } from 'lucide-react';
import { showTestingView, useTesting } from '#model/tests-pane.ts';
import { useCurrentServer, useShownSession } from '#model/selection.ts';
import { EmptyState } from '#ui/empty-state.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { NegativeInputs } from './negative-inputs.tsx';
import { SavedCalls } from './saved-calls.tsx';

/** Tests of the server: saved calls with what is expected of them, and negative inputs. */
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
      ]}
    />
  );
  return view === 'saved' ? (
    <SavedCalls key={server.id} serverId={server.id} session={ready} switcher={switcher} />
  ) : (
    <NegativeInputs key={server.id} serverId={server.id} session={ready} switcher={switcher} />
  );
}

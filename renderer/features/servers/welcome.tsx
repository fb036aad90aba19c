import { FileInput, Play, Plus } from 'lucide-react';
import { call } from '#bridge';
import { connect } from '#model/connection.ts';
import { openEditor, openImport, selectServer } from '#model/selection.ts';
import { useAction } from '#model/use-query.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';

/** Shown while no server is configured. */
export function Welcome() {
  const tryDemo = useAction(async () => {
    const server = await call('servers/demo', {});
    selectServer(server.id);
    await connect(server.id);
  });
  return (
    <EmptyState
      title="Look into an MCP server"
      actions={
        <>
          <Button
            variant="primary"
            icon={<Play aria-hidden className="size-3.5" />}
            disabled={tryDemo.isRunning}
            onClick={() => void tryDemo.run()}
          >
            Try the demo server
          </Button>
          <Button icon={<Plus aria-hidden className="size-3.5" />} onClick={() => openEditor(null)}>
            Add a server
          </Button>
          <Button icon={<FileInput aria-hidden className="size-3.5" />} onClick={() => openImport()}>
            Import servers
          </Button>
        </>
      }
    >
      <p>
        Sightglass connects to a server, by the command that starts it or by its URL, shows every byte that
        passes between you and it, and lets you call its tools yourself. The demo server is built in: it has
        one of everything.
      </p>
      {tryDemo.fault && <FaultCard fault={tryDemo.fault} className="mt-4 text-left" />}
    </EmptyState>
  );
}

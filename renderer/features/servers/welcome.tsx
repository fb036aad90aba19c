import { Play, Plus } from 'lucide-react';
import { useState } from 'react';
import { call } from '#bridge';
import { connect, faultOf } from '#model/connection.ts';
import { openEditor, selectServer } from '#model/selection.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';

/** What a window without servers offers. */
export function Welcome() {
  const [fault, setFault] = useState<Fault | null>(null);
  const [isStarting, setStarting] = useState(false);
  const tryDemo = async () => {
    setStarting(true);
    setFault(null);
    try {
      const server = await call('servers/demo', {});
      selectServer(server.id);
      await connect(server.id);
    } catch (error) {
      setFault(faultOf(error));
    } finally {
      setStarting(false);
    }
  };
  return (
    <EmptyState
      title="Look into an MCP server"
      actions={
        <>
          <Button
            variant="primary"
            icon={<Play aria-hidden className="size-3.5" />}
            disabled={isStarting}
            onClick={() => void tryDemo()}
          >
            Try the demo server
          </Button>
          <Button icon={<Plus aria-hidden className="size-3.5" />} onClick={() => openEditor(null)}>
            Add a server
          </Button>
        </>
      }
    >
      <p>
        Sightglass connects to a server, by the command that starts it or by its URL, shows every byte that
        passes between you and it, and lets you call its tools by hand. The demo server is built in: it has
        one of everything.
      </p>
      {fault && <FaultCard fault={fault} className="mt-4 text-left" />}
    </EmptyState>
  );
}

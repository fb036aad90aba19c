import type { ReactNode } from 'react';
import { openEditor, selectPane, useCurrentServer } from '#model/selection.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';

/** Capabilities that let a server ask. */
const asking = ['sampling', 'elicitation', 'roots'] as const;

/** What the inbox is for, and how something gets into it. */
export function NothingAsked({ session, icon }: { readonly session: SessionView; readonly icon: ReactNode }) {
  const server = useCurrentServer();
  const announced = session.agreement?.clientCapabilities;
  const isMute = announced !== undefined && asking.every((name) => announced[name] === undefined);
  return (
    <EmptyState
      icon={icon}
      title="The server has not asked for anything"
      actions={
        isMute && server !== null ? (
          <Button onClick={() => openEditor(server.id, 'client')}>Settings of the server</Button>
        ) : (
          <Button onClick={() => selectPane('tools')}>Show its tools</Button>
        )
      }
    >
      While it works a server can ask you to fill in a form or open a page (elicitation), to let your model
      answer (sampling), or where it may work (roots). Its questions wait here, and nothing is answered
      without you or a rule of yours.{' '}
      {isMute ? (
        'This server may not ask: its settings announce none of the three.'
      ) : server?.source === 'demo' ? (
        <>
          Run its tool <code className="mono">ask_user</code> or <code className="mono">ask_model</code> to
          see one.
        </>
      ) : (
        'Run a tool that needs an answer to see one.'
      )}
    </EmptyState>
  );
}

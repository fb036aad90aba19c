import { Pencil } from 'lucide-react';
import type { ReactNode } from 'react';
import { openEditor } from '#model/selection.ts';
import type { Server } from '#shared/contract/servers.ts';
import { Button } from '#ui/button.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';
import { Argv } from './argv.tsx';
import { Facts } from './facts.tsx';

/** A server that was not connected yet: what a click on Connect will run. */
export function NotConnected({ server, action }: { readonly server: Server; readonly action: ReactNode }) {
  const { command, args, cwd, env, inherit } = server.transport;
  return (
    <section aria-label="What will be run" className="max-w-[760px]">
      <h2 className="text-lg font-semibold">{visibleLine(server.name)}</h2>
      <p className="mt-0.5 mb-2 text-mute">Not connected. This is what will be run:</p>
      <Facts
        facts={[
          { name: 'Command', value: <Argv command={command} args={args} /> },
          {
            name: 'Working folder',
            value: <span className={cwd === null ? 'text-mute' : 'mono'}>{cwd ?? 'your home folder'}</span>,
          },
          {
            name: 'Environment',
            value: (
              <>
                {env.length > 0 && <span className="mono">{env.map(({ name }) => name).join(' ')} </span>}
                <span className="text-mute">
                  {env.length > 0 && 'and '}
                  {inherit === 'safe'
                    ? 'the safe variables (PATH, HOME, …)'
                    : 'every variable Sightglass has'}
                </span>
              </>
            ),
          },
          server.revision === null
            ? null
            : { name: 'Revision', value: <span className="mono">{visibleLine(server.revision)}</span> },
          server.notes === '' ? null : { name: 'Notes', value: <PlainText text={server.notes} /> },
        ]}
      />
      <div className="mt-3 flex gap-2">
        {action}
        <Button icon={<Pencil aria-hidden className="size-3.5" />} onClick={() => openEditor(server.id)}>
          Edit
        </Button>
      </div>
    </section>
  );
}

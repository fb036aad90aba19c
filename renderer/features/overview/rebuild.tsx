import { FilePen, RotateCw } from 'lucide-react';
import { memo, useState } from 'react';
import { call } from '#bridge';
import { noteRebuild, rebuildNow, rebuildSummary, useRebuild, useRebuildOrPlan } from '#model/rebuilds.ts';
import { selectPane, selectServer } from '#model/selection.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { useAction } from '#model/use-query.ts';
import type { Rebuild } from '#shared/contract/rebuild.ts';
import type { Server } from '#shared/contract/servers.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { Checkbox, TextArea } from '#ui/field.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { RebuildOutcome } from './rebuild-outcome.tsx';
import { RerunChoice } from './rerun-choice.tsx';

/** Restarts the server when its files change: the switch, what is watched, and what the last restart brought. */
export function RebuildSection({
  server,
  session,
}: {
  readonly server: Server;
  readonly session: SessionStatus | null;
}) {
  const rebuild = useRebuildOrPlan(server.id);
  const [isEditing, setEditing] = useState(false);
  /** What the user clicked, until it is saved. */
  const [wanted, setWanted] = useState<boolean | null>(null);
  const { run, isRunning, fault } = useAction(async (isOn: boolean, paths: readonly string[]) => {
    setWanted(isOn);
    try {
      noteRebuild(await call('rebuild/set', { serverId: server.id, isOn, paths: [...paths] }));
      setEditing(false);
    } finally {
      setWanted(null);
    }
  });
  // The demo server is a part of the app.
  if (rebuild === null || server.source === 'demo') return null;
  const { isOn, isOurs, last } = rebuild;
  return (
    <section aria-label="Restart on change">
      <div className="mb-1 flex min-h-6 flex-wrap items-center justify-between gap-x-2">
        <h3 className="caption whitespace-nowrap">Restart on change</h3>
        <Button
          size="small"
          variant="quiet"
          icon={<RotateCw aria-hidden className="size-3" />}
          disabled={rebuild.state === 'restarting'}
          onClick={() => reportFault(rebuildNow(server.id))}
        >
          Restart and compare
        </Button>
      </div>
      <Checkbox
        label={
          isOurs
            ? 'Restart when watched files change, or the process exits'
            : 'Connect again when watched files change, or the connection is lost'
        }
        checked={wanted ?? isOn}
        onChange={(on) => void run(on, rebuild.paths)}
      />
      <p role="status" className={cx('text-sm text-mute', rebuildSummary(rebuild) === '' && 'sr-only')}>
        {rebuildSummary(rebuild)}
      </p>
      {!isOurs && isOn && (
        <p className="text-sm text-faint">
          Sightglass does not start this server: build and restart it, and it is connected to again.
        </p>
      )}
      {isEditing ? (
        <PathsForm
          rebuild={rebuild}
          isSaving={isRunning}
          onSave={(paths) => void run(isOn, paths)}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <WatchedPaths rebuild={rebuild} onEdit={() => setEditing(true)} />
      )}
      {fault !== null && <FaultCard fault={fault} className="mt-1.5" />}
      {rebuild.fault !== null && <FaultCard fault={rebuild.fault} className="mt-1.5" />}
      {last !== null && <RebuildOutcome outcome={last} />}
      {(isOn || last !== null || rebuild.rerun.source !== null) && (
        <RerunChoice key={server.id} rebuild={rebuild} hasSession={session !== null} />
      )}
    </section>
  );
}

function WatchedPaths({ rebuild, onEdit }: { readonly rebuild: Rebuild; readonly onEdit: () => void }) {
  const { watched, notWatched } = rebuild;
  return (
    <div className="mt-1 flex items-start gap-2">
      <div className="min-w-0 flex-1">
        {watched.length === 0 && (
          <p className="text-mute">
            The command names no file. Name the files or folders that the server is built from.
          </p>
        )}
        <ul aria-label="Watched paths">
          {watched.map(({ path, from, onlyCode }) => (
            <li key={path} className="py-0.5 leading-5 [overflow-wrap:anywhere]">
              <PlainText inline text={path} className="mono" />{' '}
              <span className="text-xs text-faint">
                {from}
                {onlyCode && ', files of code'}
              </span>
            </li>
          ))}
        </ul>
        {notWatched !== null && <PlainText text={notWatched} className="text-sm text-warn" />}
      </div>
      <Button size="small" variant="quiet" icon={<FilePen aria-hidden className="size-3" />} onClick={onEdit}>
        Change…
      </Button>
    </div>
  );
}

function PathsForm({
  rebuild,
  isSaving,
  onSave,
  onCancel,
}: {
  readonly rebuild: Rebuild;
  readonly isSaving: boolean;
  readonly onSave: (paths: readonly string[]) => void;
  readonly onCancel: () => void;
}) {
  const [text, setText] = useState(rebuild.paths.join('\n'));
  return (
    <form
      className="mt-1.5 max-w-[520px]"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(text.split('\n').flatMap((line) => line.trim() || []));
      }}
    >
      <TextArea
        label="Watched paths"
        hint="one a line"
        note="Files or folders, relative to the working folder. Leave it empty to find them from the command."
        rows={3}
        mono
        value={text}
        onChange={setText}
      />
      <div className="mt-1.5 flex gap-2">
        <Button type="submit" size="small" variant="primary" disabled={isSaving}>
          Save
        </Button>
        <Button size="small" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

const stateTones: Partial<Record<Rebuild['state'], string>> = {
  restarting: 'text-warn',
  waiting: 'text-warn',
  stopped: 'text-err',
};

/** The state of the loop, in the status bar; a click shows the section. */
export const RebuildState = memo(function RebuildState({ serverId }: { readonly serverId: string }) {
  const rebuild = useRebuild(serverId);
  const summary = rebuild === null ? '' : rebuildSummary(rebuild);
  if (rebuild === null || summary === '') return null;
  return (
    <button
      type="button"
      onClick={() => {
        selectServer(serverId);
        selectPane('overview');
      }}
      className={cx('min-w-0 truncate hover:underline', stateTones[rebuild.state])}
    >
      {summary}
    </button>
  );
});

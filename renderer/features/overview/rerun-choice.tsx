import { useState } from 'react';
import { call } from '#bridge';
import { noteRebuild } from '#model/rebuilds.ts';
import { useTestFilePath } from '#model/tests-pane.ts';
import { useAction, useQuery } from '#model/use-query.ts';
import {
  type CallSafety,
  isSafeAgain,
  type Rebuild,
  type RerunCall,
  type RerunSource,
} from '#shared/contract/rebuild.ts';
import { formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { Chip, type Tone } from '#ui/chip.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { visibleLine } from '#ui/visible.ts';

/** The calls that run again after each restart: how many, and the list to choose them from, which is the consent to send them. */
export function RerunChoice({
  rebuild,
  hasSession,
}: {
  readonly rebuild: Rebuild;
  readonly hasSession: boolean;
}) {
  const [isOpen, setOpen] = useState(false);
  const { serverId, rerun } = rebuild;
  const { source, calls, consent, changes } = rerun;
  const { run: stop, fault } = useAction(async () => {
    noteRebuild(await call('rebuild/choose', { serverId, source: null, calls: [] }));
  });
  return (
    <div role="group" aria-label="Calls that run again" className="mt-2 border-t border-line pt-1.5">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1">
          {consent === 'none' ? (
            <span className="text-mute">No call runs again after a restart.</span>
          ) : (
            <>
              {formatQuantity(calls.length, 'call')}
              {source?.kind === 'suite' && ' of the test file'}{' '}
              <span className="text-mute">
                {calls.length === 1 ? 'runs' : 'run'} again after each restart.
              </span>
            </>
          )}
        </span>
        {consent !== 'none' && (
          <Button size="small" variant="quiet" onClick={() => void stop()}>
            Stop
          </Button>
        )}
        <Button
          size="small"
          variant={consent === 'changed' ? 'primary' : 'plain'}
          disabled={!hasSession}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          Choose calls…
        </Button>
      </div>
      {consent === 'changed' && (
        <div
          role="alert"
          className="mt-1 rounded-ui border border-line border-l-2 border-l-warn px-2.5 py-1.5"
        >
          <p className="font-medium">The calls did not run again. Choose them again to send them.</p>
          {changes.map((change) => (
            <PlainText key={change} text={change} className="text-mute" />
          ))}
        </div>
      )}
      {fault !== null && <FaultCard fault={fault} className="mt-1.5" />}
      {isOpen && <CallPicker rebuild={rebuild} onClose={() => setOpen(false)} />}
    </div>
  );
}

function CallPicker({ rebuild, onClose }: { readonly rebuild: Rebuild; readonly onClose: () => void }) {
  const { serverId, rerun, last } = rebuild;
  const [path] = useTestFilePath(serverId);
  const [kind, setKind] = useState<RerunSource['kind']>(rerun.source?.kind ?? 'calls');
  const source: RerunSource = kind === 'calls' ? { kind } : { kind, path };
  const key = JSON.stringify([serverId, source, last?.sessionId]);
  const { latest: calls, fault } = useQuery(key, () => call('rebuild/calls', { serverId, source }));
  /** What the user ticked or unticked. */
  const [ticks, setTicks] = useState<Readonly<Record<string, boolean>>>({});
  const isChosenFrom = JSON.stringify(rerun.source) === JSON.stringify(source);
  const isTicked = (one: RerunCall): boolean =>
    ticks[one.key] ?? (isChosenFrom ? isStillChosen(one, rerun.calls) : isSafeAgain(one.safety));
  const chosen = calls?.filter(isTicked) ?? [];
  const choosing = useAction(async () => {
    noteRebuild(
      await call('rebuild/choose', {
        serverId,
        source,
        calls: chosen.map(({ key: of, safety }) => ({ key: of, safety })),
      }),
    );
    onClose();
  });
  return (
    <div className="mt-1.5 rounded-ui border border-line bg-panel p-2">
      <div className="mb-1.5 flex flex-wrap items-center gap-2">
        <Segmented
          label="Which calls"
          value={kind}
          onChange={setKind}
          options={[
            { id: 'calls', label: 'Calls of this session' },
            { id: 'suite', label: 'Test file' },
          ]}
        />
        {kind === 'suite' && (
          <PlainText inline text={path} className="mono min-w-0 truncate text-sm text-mute" />
        )}
      </div>
      {fault !== null && <FaultCard fault={fault} />}
      {calls?.length === 0 && (
        <p className="text-mute">
          {kind === 'calls'
            ? 'Call a tool first: the calls of the session are listed here.'
            : 'The file has no calls.'}
        </p>
      )}
      <ul aria-label="Calls to choose from" className="max-h-72 overflow-y-auto">
        {calls?.map((one) => (
          <li key={one.key} className="flex items-center gap-2 leading-6">
            <input
              type="checkbox"
              className="size-3.5 shrink-0 accent-accent outline-offset-1"
              aria-label={visibleLine(one.name ?? one.target ?? one.method)}
              checked={isTicked(one)}
              onChange={({ target }) => setTicks((before) => ({ ...before, [one.key]: target.checked }))}
            />
            <span className="min-w-0 flex-1 truncate">
              {one.name !== null && <PlainText inline text={`${one.name} · `} />}
              <span className="mono">
                <PlainText inline text={one.target ?? one.method} />{' '}
                <PlainText inline text={one.params} className="text-mute" />
              </span>
            </span>
            <Chip tone={safetyTones[one.safety]}>{safetyLabels[one.safety]}</Chip>
          </li>
        ))}
      </ul>
      <p className="mt-1.5 text-sm text-mute">
        What is ticked is sent after each restart without a question. You are asked again when the list or the
        annotations of a tool change.
      </p>
      {choosing.fault !== null && <FaultCard fault={choosing.fault} className="mt-1.5" />}
      <div className="mt-1.5 flex gap-2">
        <Button
          size="small"
          variant="primary"
          disabled={chosen.length === 0 || choosing.isRunning}
          onClick={() => void choosing.run()}
        >
          {`Run ${formatQuantity(chosen.length, 'call')} after each restart`}
        </Button>
        <Button size="small" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

/** Whether a call was chosen, and nothing speaks against it since. */
const isStillChosen = ({ key, safety }: RerunCall, chosen: readonly RerunCall[]): boolean =>
  chosen.some((one) => one.key === key && (one.safety === safety || isSafeAgain(safety)));

const safetyLabels: Readonly<Record<CallSafety, string>> = {
  'read-only': 'read-only',
  'not-destructive': 'not destructive',
  'no-tool': 'reads',
  unannotated: 'no annotations',
  destructive: 'destructive',
};

const safetyTones: Readonly<Record<CallSafety, Tone>> = {
  'read-only': 'ok',
  'not-destructive': 'neutral',
  'no-tool': 'neutral',
  unannotated: 'warn',
  destructive: 'error',
};

import { useState } from 'react';
import { openMockForm, startMock, stdioCommandOf, useMockForm } from '#model/mocks.ts';
import { useServers } from '#model/servers.ts';
import { useLatestStatuses } from '#model/sessions.ts';
import { useAction } from '#model/use-query.ts';
import { DEFAULT_LATENCY, type MatchMode, matchModes, type MockSettings } from '#shared/contract/mocks.ts';
import type { Server } from '#shared/contract/servers.ts';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Field, SelectBox, TextField } from '#ui/field.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';

/** Asks how a trace is served as a mock, and starts it. */
export function MockForm() {
  const path = useMockForm((form) => form.path);
  return (
    <Dialog
      title="Serve as a mock"
      open={path !== null}
      onOpenChange={(isOpen) => {
        if (!isOpen) openMockForm(null);
      }}
    >
      {path !== null && <Form key={path} path={path} />}
    </Dialog>
  );
}

export const matchLabels: Readonly<Record<MatchMode, string>> = {
  context: 'By arguments, and what went before',
  args: 'By arguments, in recorded order',
  method: 'By name, whatever the arguments',
  sequence: 'In strict recorded order',
};

const latencies = [
  { value: DEFAULT_LATENCY, label: 'At most 20 ms between messages' },
  { value: 'recorded', label: 'As recorded' },
  { value: 'x2', label: 'Twice as fast' },
  { value: 'none', label: 'At once' },
] as const;

/** What was entered; texts as typed. */
interface Entered {
  readonly port: string;
  readonly match: MatchMode;
  readonly latency: (typeof latencies)[number]['value'];
  readonly faults: string;
  readonly seed: string;
  /** Id of a server; empty to answer with an error. */
  readonly forwardTo: string;
}

const digits = /^\d{1,9}$/;

function Form({ path }: { readonly path: string }) {
  const [entered, setEntered] = useState<Entered>({
    port: '',
    match: 'context',
    latency: DEFAULT_LATENCY,
    faults: '',
    seed: '1',
    forwardTo: '',
  });
  const connected = useConnectedServers();
  const change = (part: Partial<Entered>) => setEntered((before) => ({ ...before, ...part }));
  const portError =
    entered.port === '' || (digits.test(entered.port) && Number(entered.port) < 65_536)
      ? undefined
      : 'A port is a number up to 65535.';
  const seedError = digits.test(entered.seed) ? undefined : 'A seed is a whole number.';
  const isValid = portError === undefined && (entered.faults.trim() === '' || seedError === undefined);
  const settings = settingsOf(entered);
  const starting = useAction(async () => {
    await startMock(path, settings);
    openMockForm(null);
  });
  const command = stdioCommandOf({ path, settings });
  return (
    <form
      aria-label="Serve as a mock"
      className="flex min-h-0 flex-col"
      onSubmit={(submit) => {
        submit.preventDefault();
        if (isValid && !starting.isRunning) void starting.run();
      }}
    >
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-4 pb-3">
        <p className="text-mute">
          Clients get the recorded answers of{' '}
          <PlainText text={path} inline className="mono [overflow-wrap:anywhere] text-text" />, over
          Streamable HTTP on 127.0.0.1, in the era that was recorded.
        </p>
        <div className="grid grid-cols-2 items-start gap-3">
          <TextField
            label="Port"
            hint="optional"
            inputMode="numeric"
            placeholder="any free one"
            value={entered.port}
            onChange={(port) => change({ port: port.trim() })}
            error={portError}
          />
          <Field label="Latency">
            {(control) => (
              <SelectBox
                {...control}
                value={entered.latency}
                options={latencies}
                onChange={(latency) => change({ latency })}
              />
            )}
          </Field>
        </div>
        <Field label="Which recording answers" note={matchNotes[entered.match]}>
          {(control) => (
            <SelectBox
              {...control}
              value={entered.match}
              options={matchModes.map((value) => ({ value, label: matchLabels[value] }))}
              onChange={(match) => change({ match })}
            />
          )}
        </Field>
        <Field
          label="A request that was not recorded"
          note={
            entered.forwardTo === ''
              ? connected.length === 0
                ? 'To forward it, connect to a server first.'
                : undefined
              : 'Every client of the mock can then use that server. Its session records what it answers.'
          }
        >
          {(control) => (
            <SelectBox
              {...control}
              value={entered.forwardTo}
              options={[
                { value: '', label: 'Answer with an error' },
                ...connected.map(({ id, name }) => ({ value: id, label: `Forward to ${visibleLine(name)}` })),
              ]}
              onChange={(forwardTo) => change({ forwardTo })}
            />
          )}
        </Field>
        <div className="grid grid-cols-[minmax(0,1fr)_96px] items-start gap-3">
          <TextField
            label="Faults"
            hint="optional"
            mono
            placeholder="/home/me/faults.yaml"
            note="The full path of a file of faults to inject into what is sent."
            value={entered.faults}
            onChange={(faults) => change({ faults })}
          />
          <TextField
            label="Seed"
            inputMode="numeric"
            value={entered.seed}
            disabled={entered.faults.trim() === ''}
            onChange={(seed) => change({ seed: seed.trim() })}
            error={entered.faults.trim() === '' ? undefined : seedError}
          />
        </div>
        <section aria-label="For a client that starts its servers">
          <h3 className="font-medium">For a client that starts its servers</h3>
          <div className="mt-1 flex items-start gap-1 rounded-ui border border-line bg-bg py-1 pr-1 pl-2.5">
            <PlainText text={command} inline className="mono min-w-0 flex-1 [overflow-wrap:anywhere]" />
            <CopyButton text={command} label="Copy the command line" className="-my-0.5" />
          </div>
        </section>
        {starting.fault !== null && <FaultCard fault={starting.fault} />}
      </div>
      <div className="flex justify-end gap-2 border-t border-line px-4 py-3">
        <Button onClick={() => openMockForm(null)}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={!isValid || starting.isRunning}>
          {starting.isRunning ? 'Starting…' : 'Start the mock'}
        </Button>
      </div>
    </form>
  );
}

const matchNotes: Readonly<Record<MatchMode, string>> = {
  context: 'Of several recordings of a request, the one that the same requests preceded.',
  args: 'Recordings of the same request answer one after the other.',
  method: 'An answer to other arguments is inexact, and reported so.',
  sequence: 'A request that is not the next recorded one is a miss.',
};

const settingsOf = ({ port, match, latency, faults, seed, forwardTo }: Entered): MockSettings => ({
  port: Number(port),
  match,
  latency,
  faults: faults.trim() === '' ? null : { path: faults.trim(), seed: Number(seed) },
  forwardTo: forwardTo === '' ? null : forwardTo,
});

/** The servers that are ready to get what was not recorded. */
function useConnectedServers(): readonly Pick<Server, 'id' | 'name'>[] {
  const servers = useServers((state) => state.servers);
  const statuses = useLatestStatuses();
  return servers.filter(({ id }) => statuses[id]?.phase === 'ready');
}

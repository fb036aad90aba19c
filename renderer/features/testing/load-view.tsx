import { Gauge, Unplug } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { call } from '#bridge';
import { ProgressBar } from '#ui/progress-bar.tsx';
import {
  changeLoadNumbers,
  chooseLoad,
  firstLoadNumbers,
  type LoadChoice,
  type LoadNumbers,
  useTestFilePath,
  useTesting,
} from '#model/tests-pane.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { useQuery } from '#model/use-query.ts';
import type { Params } from '#shared/contract/index.ts';
import { MAX_LOAD_CONCURRENCY, MAX_LOAD_COUNT, MAX_LOAD_RATE, RUN_VARIABLE } from '#shared/contract/load.ts';
import { type TestFile, testFileFault } from '#shared/contract/saved-calls.ts';
import { formatCount, formatDuration, formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Field, SelectBox, TextField } from '#ui/field.tsx';
import { useNow } from '#ui/use-now.ts';
import { visibleLine } from '#ui/visible.ts';
import { LoadResults } from './load-results.tsx';
import { type LoadRun, runLoad, stopLoad, useLoadRun } from './load-run.ts';

/** Runs a call of a tool, or saved calls, many times, and shows how long they took. */
export function LoadView({
  serverId,
  session,
  switcher,
}: {
  readonly serverId: string;
  /** Null unless it is ready. */
  readonly session: SessionStatus | null;
  /** Leads to the other tests. */
  readonly switcher: ReactNode;
}) {
  return (
    <div className="flex h-full min-h-0 flex-col gap-2.5 overflow-y-auto px-4 pt-2.5 pb-3">
      <div>{switcher}</div>
      {session === null ? (
        <EmptyState icon={<Unplug />} title="Not connected">
          Connect to the server to make calls many times.
        </EmptyState>
      ) : (
        <Load key={session.id} serverId={serverId} sessionId={session.id} />
      )}
    </div>
  );
}

function Load({ serverId, sessionId }: { readonly serverId: string; readonly sessionId: string }) {
  const [path] = useTestFilePath(serverId);
  const { latest, fault } = useQuery(path, () => call('saved-calls/read', { path }));
  const file = latest?.path === path ? latest : null;
  const chosen = useTesting(({ loads }) => loads[serverId]);
  const tool = useTesting(({ loadTools }) => loadTools[serverId]);
  const entered = useTesting(({ loadNumbers }) => loadNumbers[serverId] ?? firstLoadNumbers);
  const [argumentsError, setArgumentsError] = useState<string>();
  const change = (part: Partial<LoadNumbers>) => changeLoadNumbers(serverId, part);
  const run = useLoadRun(sessionId);
  const options = [
    ...(tool === undefined ? [] : [{ choice: { of: 'tool' } as const, label: `${tool.name} (as in Tools)` }]),
    ...fileOptions(file),
  ];
  const keyOf = (choice: LoadChoice): string => JSON.stringify(choice);
  // One call by default, because all of a file may be many. Another than the chosen one is never run in its place.
  const selected =
    chosen === undefined
      ? (options.find(({ choice }) => choice.of === 'tool' || choice.name !== null) ?? options[0])
      : options.find(({ choice }) => keyOf(choice) === keyOf(chosen));
  const isReading = file === null && fault === null;
  const fileFault =
    fault ?? (file !== null && file.errors.length > 0 ? testFileFault(file.path, file.errors) : null);
  const errors = errorsOf(entered);
  const isValid = Object.values(errors).every((error) => error === undefined);
  const total =
    selected === undefined || errors.count !== undefined
      ? null
      : callsOf(selected.choice, file) * Number(entered.count);
  const start = () => {
    if (selected === undefined) return;
    const { choice, label } = selected;
    const args = choice.of === 'tool' ? tool?.readArguments() : undefined;
    setArgumentsError(args?.ok === false ? args.error : undefined);
    const what: Params<'load/run'>['what'] | null =
      choice.of === 'file'
        ? { kind: 'file', path, name: choice.name, variables: {} }
        : tool !== undefined && args?.ok === true
          ? { kind: 'tool', tool: tool.name, arguments: args.text }
          : null;
    if (what === null) return;
    const schedule =
      entered.schedule === 'rate'
        ? ({ kind: 'rate', rate: Number(entered.rate) } as const)
        : ({ kind: 'concurrency', concurrency: Number(entered.concurrency) } as const);
    void runLoad(label, { sessionId, what, count: Number(entered.count), schedule });
  };
  if (selected === undefined && isReading) {
    return <div role="group" aria-busy aria-label="The test file is read" />;
  }
  if (options.length === 0) {
    return fileFault !== null ? (
      <FaultCard fault={fileFault} />
    ) : (
      <EmptyState icon={<Gauge />} title="Nothing to run many times">
        Choose “Run many times…” beside a call in the Tools pane, or save a call first.
      </EmptyState>
    );
  }
  return (
    <>
      {fileFault !== null && <FaultCard fault={fileFault} />}
      <form
        aria-label="Load"
        className="flex flex-wrap items-start gap-3"
        onSubmit={(submit) => {
          submit.preventDefault();
          if (isValid && run?.isRunning !== true) start();
        }}
      >
        <Field label="Run" className="w-72" error={argumentsError}>
          {(control) => (
            <SelectBox
              {...control}
              value={selected === undefined ? '' : keyOf(selected.choice)}
              options={[
                ...(selected === undefined ? [{ value: '', label: 'choose what to run' }] : []),
                ...options.map(({ choice, label }) => ({
                  value: keyOf(choice),
                  label: visibleLine(label),
                })),
              ]}
              onChange={(key) => {
                const option = options.find(({ choice }) => keyOf(choice) === key);
                if (option !== undefined) chooseLoad(serverId, option.choice);
              }}
            />
          )}
        </Field>
        <TextField
          label="Times"
          inputMode="numeric"
          className="w-24"
          value={entered.count}
          onChange={(count) => change({ count: count.trim() })}
          error={errors.count}
        />
        <Field label="Schedule" className="w-44">
          {(control) => (
            <SelectBox
              {...control}
              value={entered.schedule}
              options={[
                { value: 'concurrency', label: 'so many at a time' },
                { value: 'rate', label: 'so many a second' },
              ]}
              onChange={(schedule) => change({ schedule })}
            />
          )}
        </Field>
        {entered.schedule === 'concurrency' ? (
          <TextField
            label="At a time"
            inputMode="numeric"
            className="w-24"
            value={entered.concurrency}
            onChange={(concurrency) => change({ concurrency: concurrency.trim() })}
            error={errors.concurrency}
          />
        ) : (
          <TextField
            label="A second"
            inputMode="decimal"
            className="w-24"
            value={entered.rate}
            onChange={(rate) => change({ rate: rate.trim() })}
            error={errors.rate}
          />
        )}
        <div className="flex gap-2 pt-[22px]">
          <Button
            type="submit"
            variant="primary"
            aria-disabled={!isValid || selected === undefined || run?.isRunning === true}
          >
            {total === null ? 'Run' : `Run ${formatQuantity(total, 'call')}`}
          </Button>
          {run?.isRunning === true && (
            <Button
              aria-disabled={run.isStopping}
              onClick={() => {
                if (!run.isStopping) void stopLoad(sessionId);
              }}
            >
              {run.isStopping ? 'Stopping…' : 'Stop'}
            </Button>
          )}
        </div>
      </form>
      <p className="text-sm text-mute">
        In an argument, <code className="mono">{`\${${RUN_VARIABLE}}`}</code> is the number of the run, from
        1.
      </p>
      <Progress run={run} />
      {run?.fault != null && <FaultCard fault={run.fault} />}
      {run?.report != null && <LoadResults sessionId={sessionId} tool={run.tool} report={run.report} />}
    </>
  );
}

function fileOptions(file: TestFile | null): { readonly choice: LoadChoice; readonly label: string }[] {
  const calls = file?.calls ?? [];
  if (calls.length === 0) return [];
  return [
    { choice: { of: 'file', name: null }, label: `all ${formatQuantity(calls.length, 'saved call')}` },
    ...calls.map(({ name }) => ({ choice: { of: 'file', name } as const, label: name })),
  ];
}

/** How many calls one run sends. */
const callsOf = (choice: LoadChoice, file: TestFile | null): number =>
  choice.of === 'file' && choice.name === null
    ? (file?.calls.filter(({ kind }) => kind !== 'wait').length ?? 0)
    : 1;

/** What a load has done so far, with the runs a second. */
function Progress({ run }: { readonly run: LoadRun | null }) {
  const now = useNow(500, run?.isRunning === true);
  if (run === null) {
    return (
      <p role="status" className="text-sm text-mute">
        Every run is recorded in the trace. Tools are called whatever their annotations are: you chose them.
      </p>
    );
  }
  const { about, done, failed, total, startedAt, isRunning, isStopping, report } = run;
  const seconds = startedAt === null ? null : (now - startedAt) / 1000;
  const rate = report?.throughput ?? (seconds === null ? null : seconds > 0 ? done / seconds : 0);
  const state = isStopping
    ? 'stopping'
    : isRunning
      ? 'running'
      : report?.isStopped === true
        ? 'stopped'
        : 'ended';
  return (
    <div>
      <ProgressBar label="Progress of the load" share={done / total} className="mb-1" />
      <p role="status" aria-live={isRunning ? 'off' : 'polite'} className="text-sm text-mute tabular-nums">
        {visibleLine(about)}: {state} · {formatCount(done)} of {formatQuantity(total, 'run')}
        {rate !== null && <> · {rate.toFixed(1)} a second</>}
        {' · '}
        <span className={failed > 0 ? 'text-err' : undefined}>{formatCount(failed)} failed</span>
        {report !== null && <> · {formatDuration(report.elapsed * 1000)}</>}
      </p>
    </div>
  );
}

function errorsOf({ count, schedule, concurrency, rate }: LoadNumbers) {
  const isWhole = (text: string, max: number) =>
    /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= max;
  const whole = (text: string, max: number) =>
    isWhole(text, max) ? undefined : `A whole number from 1 to ${formatCount(max)}.`;
  const isRate = Number(rate) > 0 && Number(rate) <= MAX_LOAD_RATE;
  return {
    count: whole(count, MAX_LOAD_COUNT),
    concurrency: schedule === 'concurrency' ? whole(concurrency, MAX_LOAD_CONCURRENCY) : undefined,
    rate: schedule === 'rate' && !isRate ? `A number up to ${formatCount(MAX_LOAD_RATE)}.` : undefined,
  };
}

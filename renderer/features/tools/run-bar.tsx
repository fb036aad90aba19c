import type { ReactNode } from 'react';
import { CircleStop, Eye, Layers, SlidersHorizontal } from 'lucide-react';
import { useCurrentServer, useNotConnectedReason } from '#model/selection.ts';
import { formatDuration } from '#shared/format.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { cx } from '#ui/cx.ts';
import { Checkbox, TextArea, TextField } from '#ui/field.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { AdviceLine, ValidationLine } from '#ui/schema-form/validation-line.tsx';
import type { Validation } from '#shared/contract/calls.ts';
import { RUN_VARIABLE } from '#shared/contract/load.ts';
import { Segmented } from '#ui/segmented.tsx';
import {
  type Draft,
  MAX_PARALLEL,
  type Sendable,
  readHeaders,
  readOptions,
  readParallel,
  type OptionsDraft,
  timeError,
  metaError,
} from './drafts.ts';
import { refersToRun } from './tool-calls.ts';

/** What is open below the bar. */
export type Drawer = 'options' | 'parallel' | 'preview';

interface RunBarProps {
  readonly mode: Draft['mode'];
  readonly canShowForm: boolean;
  readonly onMode: (mode: Draft['mode']) => void;
  readonly args: Sendable;
  readonly validation: Validation | null;
  readonly canRun: boolean;
  /** What to do when it cannot run. */
  readonly alternative: ReactNode;
  readonly drawer: Drawer | null;
  readonly onDrawer: (drawer: Drawer | null) => void;
  readonly onRun: (() => void) | null;
  /** Whether a run waits for the validation of its arguments. */
  readonly isStarting: boolean;
  readonly onCancel: (() => void) | null;
}

/** Runs the tool. Schema errors are shown, but never prevent a run. */
export function RunBar(props: RunBarProps) {
  const {
    mode,
    canShowForm,
    onMode,
    args,
    validation,
    canRun,
    drawer,
    onDrawer,
    onRun,
    isStarting,
    onCancel,
  } = props;
  const isInvalid = validation?.state === 'invalid';
  const toggle = (name: Drawer) => ({
    'aria-expanded': drawer === name,
    onClick: () => onDrawer(drawer === name ? null : name),
    className: cx(drawer === name && 'bg-hover text-text'),
    size: 'small' as const,
  });
  return (
    <div className="@container sticky bottom-0 z-10 -mx-4 mt-2 flex flex-col gap-2 bg-bg px-4 pt-1.5 pb-2.5 before:absolute before:inset-x-0 before:bottom-full before:h-3 before:bg-linear-to-t before:from-bg before:to-transparent">
      <Advice args={args} validation={validation} canRun={canRun} />
      {!canRun && <div className="flex min-w-0 empty:hidden">{props.alternative}</div>}
      <div className="flex flex-wrap items-center gap-2 @max-[300px]:gap-1">
        <Button
          className="@max-[300px]:[&_kbd]:hidden"
          variant={isInvalid ? 'plain' : 'primary'}
          data-run
          disabled={onRun === null}
          aria-busy={isStarting}
          onClick={() => onRun?.()}
          {...(!isInvalid && { shortcut: 'Mod+Enter' })}
        >
          {isInvalid ? 'Run anyway' : 'Run'}
        </Button>
        <IconButton
          label="Cancel"
          disabled={onCancel === null}
          className={cx(onCancel === null && '@max-[300px]:hidden')}
          onClick={() => onCancel?.()}
        >
          <CircleStop aria-hidden className="size-4" />
        </IconButton>
        {canShowForm && (
          <Segmented
            label="Arguments as"
            value={mode}
            onChange={onMode}
            options={[
              { id: 'form', label: 'Form' },
              { id: 'json', label: 'JSON' },
            ]}
          />
        )}
        <span className="flex">
          <IconButton label="Parallel calls" {...toggle('parallel')}>
            <Layers aria-hidden className="size-3.5" />
          </IconButton>
          <IconButton label="Preview the request" {...toggle('preview')}>
            <Eye aria-hidden className="size-3.5" />
          </IconButton>
          <IconButton label="Options" {...toggle('options')}>
            <SlidersHorizontal aria-hidden className="size-3.5" />
          </IconButton>
        </span>
      </div>
    </div>
  );
}

/** Why the tool cannot run, or what is wrong with the arguments. */
function Advice({ args, validation, canRun }: Pick<RunBarProps, 'args' | 'validation' | 'canRun'>) {
  const reason = useNotConnectedReason('run this tool');
  if (!canRun) return <AdviceLine tone="mute">{reason}</AdviceLine>;
  if (!args.ok) return <AdviceLine tone="error">Cannot be sent as arguments: {args.error}</AdviceLine>;
  return (
    <>
      <ValidationLine of="The arguments" validation={validation} />
      {refersToRun(args.text) && (
        <p className="text-sm text-mute">
          <RunVariable /> is the number of the call in parallel calls and in a load; <em>Run</em> sends it as
          it is.
        </p>
      )}
    </>
  );
}

const RunVariable = () => <code className="mono">{`\${${RUN_VARIABLE}}`}</code>;

/** Runs the tool several times at once. */
export function ParallelOptions({
  value,
  onChange,
  onRun,
  onLoad,
}: {
  /** The number of calls, as entered. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Null if the tool cannot run. */
  readonly onRun: ((count: number) => void) | null;
  /** Shows the form that makes the call many times; null if its arguments cannot be sent. */
  readonly onLoad: (() => void) | null;
}) {
  const count = readParallel(value);
  return (
    <form
      aria-label="Parallel calls"
      className="flex flex-wrap items-end gap-3 rounded-ui border border-line bg-panel p-3"
      onSubmit={(submission) => {
        submission.preventDefault();
        if (count !== null) onRun?.(count);
      }}
    >
      <TextField
        label="Calls at once"
        hint={`2 to ${MAX_PARALLEL}`}
        inputMode="numeric"
        mono
        className="w-44"
        value={value}
        onChange={onChange}
        error={count === null ? `Not a number from 2 to ${MAX_PARALLEL}.` : undefined}
      />
      <Button type="submit" disabled={count === null || onRun === null}>
        {count === null ? 'Run in parallel' : `Run ${count} in parallel`}
      </Button>
      <Button variant="quiet" disabled={onLoad === null} onClick={() => onLoad?.()}>
        Run many times…
      </Button>
      <p className="w-full text-sm text-mute">
        In an argument, <RunVariable /> is the number of the call, from 1.
      </p>
    </form>
  );
}

/** Options for the calls of one tool. */
export function RunOptions({
  options,
  isHttp,
  mayBeTask,
  onChange,
}: {
  /** Whether its requests have headers. */
  readonly isHttp: boolean;
  readonly options: OptionsDraft;
  /** Whether the server says that the tool can be called as a task. */
  readonly mayBeTask: boolean;
  readonly onChange: (change: Partial<OptionsDraft>) => void;
}) {
  const settings = useCurrentServer()?.timeouts;
  const { timeout, maxTimeout, resetOnProgress } = readOptions(options, isHttp);
  const first = timeout ?? settings?.request;
  const most = maxTimeout ?? settings?.requestMax;
  const placeholder = (milliseconds: number | undefined) =>
    milliseconds === undefined ? 'the server’s setting' : String(milliseconds / 1000);
  return (
    <div className="flex flex-col gap-2.5 rounded-ui border border-line bg-panel p-3">
      <div className="grid grid-cols-[repeat(auto-fit,minmax(180px,1fr))] items-start gap-3">
        <TextField
          label="Timeout"
          hint="seconds"
          note={
            resetOnProgress ? 'without a response or progress' : 'without a response, regardless of progress'
          }
          placeholder={placeholder(settings?.request)}
          inputMode="decimal"
          mono
          value={options.timeout}
          onChange={(value) => onChange({ timeout: value })}
          error={timeError(options.timeout)}
        />
        <TextField
          label="At most"
          hint="seconds"
          note={
            first !== undefined && most !== undefined && most < first
              ? `applies first: it is less than the timeout of ${formatDuration(first * 1000)}`
              : 'in total, regardless of progress'
          }
          placeholder={placeholder(settings?.requestMax)}
          inputMode="decimal"
          mono
          value={options.maxTimeout}
          onChange={(value) => onChange({ maxTimeout: value })}
          error={timeError(options.maxTimeout)}
        />
      </div>
      <Checkbox
        label="Reset timeout on progress"
        checked={resetOnProgress}
        onChange={(value) => onChange({ resetOnProgress: value })}
        className="w-fit"
      />
      {mayBeTask && (
        <Checkbox
          label="Request a task"
          checked={options.asTask}
          onChange={(value) => onChange({ asTask: value })}
          className="w-fit"
        />
      )}
      <TextArea
        label="_meta"
        hint="JSON object"
        note="Sent with the request; its members override those of the session."
        mono
        rows={2}
        placeholder={'{ "example.com/trace": "1" }'}
        value={options.meta}
        onChange={(value) => onChange({ meta: value })}
        error={metaError(options.meta)}
      />
      {isHttp && (
        <>
          <TextArea
            label="Headers"
            hint="one per line"
            note="Sent with the HTTP requests of the call; they replace those of the session."
            mono
            rows={2}
            placeholder="X-Tenant: a"
            value={options.headers}
            onChange={(value) => onChange({ headers: value })}
            error={readHeaders(options).error}
          />
          <Checkbox
            label="Keep their values out of the trace"
            checked={options.hidesHeaders}
            onChange={(value) => onChange({ hidesHeaders: value })}
            className="w-fit"
          />
        </>
      )}
    </div>
  );
}

/** The request as it will be sent. */
export function RequestPreview({ tool, args }: { readonly tool: string; readonly args: Sendable }) {
  if (!args.ok) return <p className="text-sm text-faint">Nothing can be sent yet.</p>;
  const request = `{"method":"tools/call","params":{"name":${JSON.stringify(tool)},"arguments":${args.text}}}`;
  return (
    <section
      aria-label="Request preview"
      className="relative rounded-ui border border-line bg-panel px-2.5 py-2"
    >
      <CopyButton text={request} label="Copy the request" className="absolute top-1 right-1" />
      <JsonText raw={request} className="pr-6" />
      <p className="mt-1 text-xs text-faint">
        Exactly these arguments; the id and the progress token are added on sending.
      </p>
    </section>
  );
}

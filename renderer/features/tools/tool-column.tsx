import { ShieldAlert } from 'lucide-react';
import { type ReactNode, type Ref, useEffect, useState, useMemo } from 'react';
import { selectServer } from '#model/selection.ts';
import { openInForm, openNegativeInputs, useCanTest } from '#model/tests-pane.ts';
import { useServerOfRecording } from '#model/traces.ts';
import { memberText } from '#shared/json/members.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { Chip } from '#ui/chip.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { Description, DetailHeading } from '#ui/detail-heading.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { mainControlOf } from '#ui/main-control.ts';
import type { Validation } from '#shared/contract/calls.ts';
import type { Tool } from '#shared/contract/catalog.ts';
import { Tooltip } from '#ui/tooltip.tsx';
import { visibleLine } from '#ui/visible.ts';
import { ArgumentEditor } from './argument-editor.tsx';
import type { Draft, Sendable } from './drafts.ts';
import { effectiveHints } from './hints.ts';
import { ParallelOptions, RequestPreview, type Drawer, RunBar, RunOptions } from './run-bar.tsx';
import { type ToolLine, useToolsState } from './drafts.ts';

interface ToolColumnProps {
  readonly line: ToolLine;
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly args: Sendable;
  /** Null while errors are not to be shown yet. */
  readonly validation: Validation | null;
  readonly canRun: boolean;
  /** Whether its requests have headers. */
  readonly isHttp: boolean;
  /** Null if it cannot run. */
  readonly onRun: ((count: number) => void) | null;
  /** Null if its arguments cannot be sent. */
  readonly onLoad: (() => void) | null;
  /** Whether a run waits for the validation of its arguments. */
  readonly isStarting: boolean;
  /** Null if no call is running. */
  readonly onCancel: (() => void) | null;
  /** Whether the user trusts the server, and so its hints. */
  readonly isTrusted: boolean;
  /** Asks whether to run it, or says that nothing asks. */
  readonly confirmation: ReactNode;
  readonly ref: Ref<HTMLDivElement>;
}

/** A tool's description and the arguments to call it with. */
export function ToolColumn({ ref, ...props }: ToolColumnProps) {
  const { line, draft, onChange, args, validation, canRun, onRun, onCancel, confirmation } = props;
  const { entry, name } = line;
  const [drawer, setDrawer] = useState<Drawer | null>(null);
  const [formFault, setFormFault] = useState<string | null>(null);
  const schema = entry.usable ? entry.tool.inputSchema : undefined;
  const run = onRun === null ? null : () => onRun(1);
  return (
    <div
      ref={ref}
      data-main
      data-tool={line.key}
      // A press on it is a press in it: its keys work then.
      tabIndex={-1}
      className="flex h-full min-h-0 flex-col overflow-y-auto px-4 pt-3 outline-none"
    >
      <ToolHeading line={line} isTrusted={props.isTrusted} />
      {!entry.usable && <BadEntry why={entry.error} raw={entry.raw} isCallable={name !== null} />}
      {name !== null && (
        <>
          <ArgumentEditor
            schema={schema}
            draft={draft}
            onChange={onChange}
            validation={validation}
            formFault={formFault}
            onFormFault={setFormFault}
            onSubmit={run}
          >
            <FirstField of={line.key} />
          </ArgumentEditor>
          <div className="mt-3 empty:hidden">{confirmation}</div>
          <RunBar
            alternative={<EditInServer tool={name} args={args.ok ? args.text : draft.text} />}
            mode={draft.mode}
            canShowForm={schema !== undefined}
            onMode={(mode) => {
              setFormFault(null);
              onChange({ mode });
            }}
            args={args}
            validation={validation}
            canRun={canRun}
            drawer={drawer}
            onDrawer={setDrawer}
            onRun={run}
            isStarting={props.isStarting}
            onCancel={onCancel}
          />
          {drawer !== null && (
            <div key={drawer} ref={reveal} className="mt-1">
              {drawer === 'options' ? (
                <RunOptions
                  options={draft.options}
                  isHttp={props.isHttp}
                  mayBeTask={entry.usable && mayBeTask(entry.tool)}
                  onChange={(change) => onChange({ options: { ...draft.options, ...change } })}
                />
              ) : drawer === 'parallel' ? (
                <ParallelOptions
                  value={draft.parallel}
                  onChange={(parallel) => onChange({ parallel })}
                  onRun={onRun}
                  onLoad={canRun ? props.onLoad : null}
                />
              ) : (
                <RequestPreview tool={name} args={args} />
              )}
            </div>
          )}
        </>
      )}
      {entry.usable && <ToolSchemas raw={entry.raw} hasOutput={entry.tool.outputSchema !== undefined} />}
    </div>
  );
}

/** Rendered with the form: moves the focus to its first field, else to Run, if that was requested. */
function FirstField({ of }: { readonly of: string }) {
  const isRequested = useToolsState(({ focusesForm }) => focusesForm === of);
  useEffect(() => {
    if (!isRequested) return;
    useToolsState.setState({ focusesForm: null });
    const column = document.querySelector<HTMLElement>(`[data-tool="${CSS.escape(of)}"]`);
    if (column !== null) mainControlOf(column).focus();
  }, [isRequested, of]);
  return null;
}

/** Leads from a recorded call to the form of the same tool in the server that was recorded. */
function EditInServer({ tool, args }: { readonly tool: string; readonly args: string }) {
  const server = useServerOfRecording();
  if (server === null) return null;
  return (
    <Button
      size="small"
      className="max-w-full"
      onClick={() => {
        selectServer(server.id);
        openInForm(server.id, tool, args);
      }}
    >
      <span className="truncate">Edit in {visibleLine(server.name)}</span>
    </Button>
  );
}

/** Whether a tool can be called as a task (MCP 2025-11-25 tasks). */
const mayBeTask = ({ execution }: Tool): boolean =>
  execution?.taskSupport === 'optional' || execution?.taskSupport === 'required';

/** Scrolls a drawer that opens below the fold into view. */
const reveal = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

/** A tool's name, description and hints. */
function ToolHeading({ line, isTrusted }: { readonly line: ToolLine; readonly isTrusted: boolean }) {
  const { entry, title, name } = line;
  const canTest = useCanTest();
  return (
    <div className="mb-2">
      <DetailHeading
        title={title}
        name={name}
        raw={entry.raw}
        actions={
          name !== null && (
            <>
              {canTest && (
                <IconButton label="Negative inputs…" onClick={() => openNegativeInputs(name)}>
                  <ShieldAlert aria-hidden className="size-3.5" />
                </IconButton>
              )}
              <CopyButton text={name} label="Copy the name" />
            </>
          )
        }
      >
        {entry.usable && (
          <div className="one-row-when-short mt-0.5 flex min-w-0 flex-wrap gap-1">
            {!isTrusted && (
              <Tooltip text="Description and hints are the server’s claims and are not verified. A hint with a solid frame is set by the server; a dashed one is the default.">
                <button type="button" className="max-w-full shrink-0 cursor-default rounded-full">
                  <Chip className="border-transparent px-1 text-faint">untrusted</Chip>
                </button>
              </Tooltip>
            )}
            {effectiveHints(entry.tool.annotations).map(({ name: hint, label, isExplicit, meaning }) => (
              <Tooltip key={hint} text={meaning}>
                <button type="button" className="max-w-full shrink-0 cursor-default rounded-full">
                  <Chip className={isExplicit ? '' : 'border-dashed text-faint'}>{label}</Chip>
                </button>
              </Tooltip>
            ))}
          </div>
        )}
      </DetailHeading>
      {entry.usable && entry.tool.description !== undefined && <Description text={entry.tool.description} />}
    </div>
  );
}

function BadEntry({
  why,
  raw,
  isCallable,
}: {
  readonly why: string;
  readonly raw: string;
  readonly isCallable: boolean;
}) {
  return (
    <div className="mt-2 flex flex-col gap-2">
      <FaultCard
        fault={{
          code: 'bad-tool',
          what: 'This entry does not match the specification’s definition of a tool.',
          why,
          ...(isCallable && { next: 'It can still be called; without a schema, arguments are JSON.' }),
        }}
      />
      <JsonText raw={raw} className="rounded-ui border border-line bg-raise px-2.5 py-2" />
    </div>
  );
}

/** The schemas of a tool as the server sent them. */
function ToolSchemas({ raw, hasOutput }: { readonly raw: string; readonly hasOutput: boolean }) {
  return (
    <div className="mt-auto flex flex-col gap-1 pt-4 pb-3">
      <Part title="Input schema" raw={raw} member="inputSchema" />
      {hasOutput && <Part title="Output schema" raw={raw} member="outputSchema" />}
      <Part title="Whole entry" raw={raw} member={null} />
    </div>
  );
}

function Part({
  title,
  raw,
  member,
}: {
  readonly title: string;
  readonly raw: string;
  readonly member: string | null;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit text-sm text-mute hover:text-text">{title}</summary>
      {isOpen && <PartText raw={raw} member={member} />}
    </details>
  );
}

function PartText({ raw, member }: { readonly raw: string; readonly member: string | null }) {
  const text = useMemo(() => (member === null ? raw : (memberText(raw, [member]) ?? '')), [raw, member]);
  return (
    <div className="relative mt-1 rounded-ui border border-line bg-raise px-2.5 py-2">
      <CopyButton text={text} className="absolute top-1 right-1" />
      <JsonText raw={text} className="pr-6" />
    </div>
  );
}

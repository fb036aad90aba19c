import { MousePointerClick, Unplug, Wrench } from 'lucide-react';
import { Component, memo, type ReactNode, useMemo, useState } from 'react';
import { isRunning } from '#model/calls.ts';
import { catalogLines, useToolList } from '#model/catalog.ts';
import { useCommands } from '#model/commands.ts';
import { useCurrentStatus } from '#model/selection.ts';
import { isOpen } from '#model/sessions.ts';
import { useFormRequest } from '#model/testing.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { useValidation } from '#model/use-validation.ts';
import { EmptyState } from '#ui/empty-state.tsx';
import { messageOf } from '#shared/contract/fault.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import {
  loadArguments,
  useToolsState,
  sendable,
  showCall,
  shownCallKey,
  type ToolLine,
  useDraft,
  readOptions,
} from './drafts.ts';
import { ResultColumn } from './result/result-column.tsx';
import { cancelCall, startCall, useToolCalls } from './tool-calls.ts';
import { ToolColumn } from './tool-column.tsx';
import { AllowedNotice, RunConfirmation, useMustConfirm } from './run-confirmation.tsx';
import { ToolList } from './tool-list.tsx';

/** The server's tools: select one, fill in its arguments, call it, read the result. */
export function ToolsPane() {
  const session = useCurrentStatus();
  if (session === null) return <NotConnected />;
  return <ToolsOf key={session.serverId} session={session} />;
}

export default ToolsPane;

function ToolsOf({ session }: { readonly session: SessionStatus }) {
  const view = useToolList(session);
  const { list, fault } = view;
  const lines = useMemo(() => catalogLines(list?.entries ?? []), [list]);
  const selectedKey = useToolsState(({ selected }) => selected[session.serverId]);
  const selected = selectedKey === undefined ? lines[0] : lines.find(({ key }) => key === selectedKey);
  const isConnected = session.phase === 'ready';
  useFormRequest(session.serverId, (tool, args) => {
    const requested = lines.find(({ name }) => name === tool);
    if (requested !== undefined) loadArguments(session.serverId, requested, args);
    return requested !== undefined;
  });

  if (list === null) {
    if (fault !== null) return <FaultCard fault={fault} className="m-4" />;
    return <div aria-busy aria-label="Tools are loading" />;
  }
  if (list.state === 'not-declared') return <NotDeclared session={session} />;
  return (
    <Split id="tools" direction="row" className="h-full">
      <SplitPanel id="tool-list" size={250} min={160} max={520} keepsPixels>
        <ToolList
          serverId={session.serverId}
          view={view}
          list={list}
          lines={lines}
          selected={selected ?? null}
          isConnected={isConnected}
        />
      </SplitPanel>
      <SplitHandle label="Width of the tool list" />
      <SplitPanel id="tool" min={320}>
        {selected !== undefined ? (
          <ToolBoundary key={selected.key} raw={selected.entry.raw}>
            <SelectedTool
              sessionId={session.id}
              serverId={session.serverId}
              isConnected={isConnected}
              line={selected}
            />
          </ToolBoundary>
        ) : selectedKey === undefined ? null : (
          <EmptyState icon={<MousePointerClick />} title="This tool is no longer listed">
            The server removed it from its list. Your arguments are kept. Select another tool.
          </EmptyState>
        )}
      </SplitPanel>
    </Split>
  );
}

/** Explains why there are no tools: the server has none, or is not connected. */
function NotDeclared({ session }: { readonly session: SessionStatus }) {
  if (session.agreement !== null) {
    return (
      <EmptyState icon={<Wrench />} title="This server offers no tools">
        It did not declare the <code className="mono">tools</code> capability.
      </EmptyState>
    );
  }
  if (isOpen(session)) {
    return (
      <EmptyState icon={<Wrench />} title="No tools yet">
        Tools are listed when the connection is ready.
      </EmptyState>
    );
  }
  if (session.fault !== null) return <FaultCard fault={session.fault} className="m-4" />;
  return <NotConnected />;
}

function NotConnected() {
  return (
    <EmptyState icon={<Unplug />} title="Not connected">
      Connect to the server to see its tools.
    </EmptyState>
  );
}

/** One tool: its arguments at the left, the result of a call at the right. */
const SelectedTool = memo(function SelectedTool({
  sessionId,
  serverId,
  isConnected,
  line,
}: {
  readonly sessionId: string;
  readonly serverId: string;
  readonly isConnected: boolean;
  readonly line: ToolLine;
}) {
  const { name, title } = line;
  const [draft, changeDraft] = useDraft(serverId, line);
  const { calls, fault } = useToolCalls(sessionId, name);
  const callKey = shownCallKey(sessionId, name);
  const shownId = useToolsState(({ shownCall }) => shownCall[callKey]);
  const shown = calls.find(({ id }) => id === shownId) ?? calls[0];
  const running = calls.filter(isRunning);

  const args = useMemo(() => sendable(draft.text), [draft.text]);
  const options = useMemo(() => readOptions(draft.options), [draft.options]);
  const schema = line.entry.usable ? line.entry.tool.inputSchema : undefined;
  const validation = useValidation(schema, args.ok ? args.text : null, draft.isTouched);
  const run =
    !isConnected || name === null || !args.ok
      ? null
      : (text: string = args.text) => {
          showCall(callKey, null);
          void startCall({ sessionId, tool: name, arguments: text, ...options });
        };
  const mustConfirm = useMustConfirm(serverId, line.entry);
  /** The arguments that wait for the user's confirmation. */
  const [unconfirmed, setUnconfirmed] = useState<string | null>(null);
  const runConfirmed =
    run === null ? null : (text: string) => (mustConfirm ? setUnconfirmed(text) : run(text));
  /** Runs what the form holds. Errors that were not shown yet are shown first; another click runs it anyway. */
  const runDraft =
    run === null
      ? null
      : () => {
          if (validation?.state === 'invalid' && !draft.isTouched) changeDraft({ isTouched: true });
          else if (args.ok) runConfirmed?.(args.text);
        };
  const cancel = running.length === 0 ? null : () => running.forEach((one) => void cancelCall(one));

  useCommands(
    runDraft === null
      ? []
      : [
          {
            id: 'tool.run',
            title: `Run ${title}`,
            group: 'Tools',
            shortcut: 'Mod+Enter',
            run: runDraft,
          },
        ],
  );

  const column = (
    <ToolColumn
      line={line}
      draft={draft}
      onChange={changeDraft}
      args={args}
      validation={draft.isTouched ? validation : null}
      isConnected={isConnected}
      onRun={runDraft}
      onCancel={cancel}
      confirmation={
        unconfirmed !== null && run !== null && name !== null ? (
          <RunConfirmation
            serverId={serverId}
            tool={name}
            args={unconfirmed}
            onRun={() => {
              setUnconfirmed(null);
              run(unconfirmed);
            }}
            onCancel={() => setUnconfirmed(null)}
          />
        ) : (
          <AllowedNotice serverId={serverId} entry={line.entry} />
        )
      }
    />
  );
  // A tool without a name cannot be called, so it has no results.
  if (name === null) return column;
  return (
    <Split id="tool" direction="row" className="h-full">
      <SplitPanel id="tool-arguments" size="48%" min={220}>
        {column}
      </SplitPanel>
      <SplitHandle label="Width of the arguments" />
      <SplitPanel id="tool-result" min={220}>
        <ResultColumn
          calls={calls}
          shown={shown ?? null}
          fault={fault}
          onShow={(callId) => showCall(callKey, callId)}
          onRunAgain={runConfirmed}
          onCancel={(one) => void cancelCall(one)}
          onLoad={(one) => changeDraft({ text: one.arguments })}
        />
      </SplitPanel>
    </Split>
  );
});

/** Shows a fault for a tool that fails to render, so that the others stay usable. */
class ToolBoundary extends Component<
  { readonly raw: string; readonly children: ReactNode },
  { readonly why: string | null }
> {
  override state = { why: null as string | null };

  static getDerivedStateFromError(error: unknown) {
    return { why: messageOf(error) };
  }

  override render() {
    const { why } = this.state;
    if (why === null) return this.props.children;
    const fault = {
      code: 'tool-not-shown',
      what: 'This tool could not be shown.',
      why,
      next: 'The other tools are not affected. The trace has the whole entry.',
    };
    return (
      <div className="h-full overflow-auto p-4">
        <FaultCard fault={fault} />
        <PlainText text={this.props.raw.slice(0, SHOWN)} className="mono mt-2" />
      </div>
    );
  }
}

/** Characters shown of an entry that cannot be rendered. */
const SHOWN = 4_000;

import { MousePointerClick, Unplug, Wrench } from 'lucide-react';
import { Component, lazy, memo, type ReactNode, Suspense, useMemo, useRef, useState } from 'react';
import { knownCalls } from '#model/calls.ts';
import { catalogLines, useToolList } from '#model/catalog.ts';
import { useCommands } from '#model/commands.ts';
import { useOpenedCall } from '#model/message-panes.ts';
import { useShownSession } from '#model/selection.ts';
import { canSend, isOpen } from '#model/sessions.ts';
import { openLoad, useArgumentsToLoad } from '#model/tests-pane.ts';
import { useConfirmationLevel } from '#model/settings.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { isUnderWay, type Call, type MustConfirmCode } from '#shared/contract/calls.ts';
import type { TraceFileView } from '#shared/contract/traces.ts';
import { TOOLS_CALL } from '#shared/protocol/methods.ts';
import { offerUndo } from '#model/undo.ts';
import { useTextValidation } from '#model/use-validation.ts';
import { EmptyState } from '#ui/empty-state.tsx';
import { messageOf } from '#shared/contract/fault.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import {
  currentText,
  loadArguments,
  useToolsState,
  sendable,
  callKey,
  show,
  shownKey,
  showToolOfCall,
  type ToolLine,
  useDraft,
  readOptions,
} from './drafts.ts';
import type { CallPair } from './result/compare-calls.tsx';
import { ResultColumn } from './result/result-column.tsx';
import { cancelCall, startCall, startParallel, useSessionsWithCalls, useToolCalls } from './tool-calls.ts';
import { ToolColumn } from './tool-column.tsx';
import { AllowedNotice, RunConfirmation } from './run-confirmation.tsx';
import { ToolList } from './tool-list.tsx';

const CompareCalls = lazy(() =>
  import('./result/compare-calls.tsx').then((module) => ({ default: module.CompareCalls })),
);

/** The server's tools: select one, fill in its arguments, call it, read the result. */
export function ToolsPane() {
  // Live, or that of an opened trace.
  const session = useShownSession();
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
  const canRun = canSend(session);
  const { sessionIds, earlier } = useSessionsWithCalls(session);
  // Arguments from the Tests pane wait until their tool is listed.
  useArgumentsToLoad(session.serverId, (tool, args) => {
    const requested = lines.find(({ name }) => name === tool);
    if (requested !== undefined) loadArguments(session.serverId, requested, args);
    return requested !== undefined;
  });
  useOpenedCall(session.id, TOOLS_CALL, (opened) => {
    const line = lines.find(({ name }) => name === opened.tool);
    if (line !== undefined) showToolOfCall(opened, session.serverId, line, sessionIds.flatMap(knownCalls));
    return line !== undefined;
  });

  if (list === null) {
    if (fault !== null) return <FaultCard fault={fault} className="m-4" />;
    return <div role="group" aria-busy aria-label="Tools are loading" />;
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
          isConnected={canRun}
        />
      </SplitPanel>
      <SplitHandle label="Width of the tool list" />
      <SplitPanel id="tool" min={320}>
        {selected !== undefined ? (
          <ToolBoundary key={selected.key} raw={selected.entry.raw}>
            <SelectedTool
              sessionIds={sessionIds}
              earlier={earlier}
              serverId={session.serverId}
              canRun={canRun}
              isHttp={session.transport !== 'stdio'}
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

/** Arguments to call the tool with, and how many times at once. */
interface Run {
  readonly text: string;
  readonly count: number;
}

/** One tool: its arguments at the left, the result of a call at the right. */
const SelectedTool = memo(function SelectedTool({
  sessionIds,
  earlier,
  serverId,
  canRun,
  isHttp,
  line,
}: {
  /** The sessions whose calls are listed, the current one first. */
  readonly sessionIds: readonly string[];
  readonly earlier: TraceFileView | null;
  readonly serverId: string;
  readonly canRun: boolean;
  readonly isHttp: boolean;
  readonly line: ToolLine;
}) {
  const { name, title } = line;
  const [draft, changeDraft] = useDraft(serverId, line);
  const [sessionId] = sessionIds;
  const { calls, fault } = useToolCalls(sessionIds, name);
  const key = shownKey(serverId, name);
  const shown = useToolsState((state) => state.shown[key]) ?? null;
  const parallelRun = useToolsState((state) => state.parallelRuns[key]) ?? null;
  const running = calls.filter(isUnderWay);
  const [hasClosedComparison, setClosedComparison] = useState(false);

  const args = useMemo(() => sendable(draft.text), [draft.text]);
  const options = useMemo(() => readOptions(draft.options, isHttp), [draft.options, isHttp]);
  const schema = line.entry.usable ? line.entry.tool.inputSchema : undefined;
  // Untouched arguments are validated, too, but their errors are not shown yet.
  const { validation, validateNow } = useTextValidation(schema, args.ok ? args.text : null, draft.isTouched);
  /** The run that waits for the user's confirmation. */
  const [unconfirmed, setUnconfirmed] = useState<(Run & { readonly code: MustConfirmCode }) | null>(null);
  const run =
    !canRun || sessionId === undefined || name === null || !args.ok
      ? null
      : async ({ text, count }: Run, isConfirmed = false) => {
          setUnconfirmed(null);
          const request = { sessionId, tool: name, arguments: text, isConfirmed, ...options };
          const start = await (count === 1 ? startCall(request) : startParallel(key, count, request));
          if (start.type === 'must-confirm') setUnconfirmed({ text, count, code: start.code });
          // Null shows the newest call.
          else show(key, count === 1 ? null : { kind: 'parallel' });
        };
  const isTrusted = useConfirmationLevel(serverId) === 'never';
  const [isValidating, setValidating] = useState(false);
  /** Runs what the form holds. Errors that were not shown yet are shown first; another click runs it anyway. */
  const runDraft =
    run === null || !args.ok
      ? null
      : async (count: number) => {
          if (isValidating) return;
          const isKnownInvalid = draft.isTouched && validation?.state === 'invalid';
          let current = isKnownInvalid ? null : (validateNow?.() ?? null);
          if (current instanceof Promise) {
            setValidating(true);
            current = await current;
            setValidating(false);
          }
          if (current?.state === 'invalid') changeDraft({ isTouched: true });
          else await run({ text: args.text, count });
        };
  const onLoad =
    name !== null && args.ok
      ? () => openLoad({ name, readArguments: () => sendable(currentText(serverId, line)) })
      : null;
  const cancel = running.length === 0 ? null : () => running.forEach((one) => void cancelCall(one));

  const column = useRef<HTMLDivElement>(null);
  useCommands(
    runDraft === null
      ? []
      : [
          {
            id: 'tool.run',
            title: `Run ${title}`,
            group: 'Tools',
            shortcut: 'Mod+Enter',
            ...(isDestructive(line) && { isDestructive: true as const }),
            within: () => column.current,
            run: () => void runDraft(1),
          },
          ...(onLoad !== null
            ? [
                {
                  id: 'tool.load',
                  title: `Run ${title} many times…`,
                  group: 'Tools' as const,
                  keywords: ['load', 'latency', 'throughput', 'benchmark', 'repeat'],
                  run: onLoad,
                },
              ]
            : []),
        ],
  );

  const form = (
    <ToolColumn
      ref={column}
      line={line}
      draft={draft}
      onChange={changeDraft}
      args={args}
      validation={draft.isTouched || validation?.state === 'unknown' ? validation : null}
      canRun={canRun}
      isHttp={isHttp}
      onLoad={onLoad}
      onRun={runDraft && ((count) => void runDraft(count))}
      isStarting={isValidating}
      isTrusted={isTrusted}
      onCancel={cancel}
      confirmation={
        unconfirmed !== null && run !== null && name !== null ? (
          <RunConfirmation
            serverId={serverId}
            tool={name}
            args={unconfirmed.text}
            count={unconfirmed.count}
            code={unconfirmed.code}
            onRun={() => void run(unconfirmed, true)}
            onCancel={() => setUnconfirmed(null)}
          />
        ) : (
          <AllowedNotice serverId={serverId} entry={line.entry} />
        )
      }
    />
  );
  const compared = shown?.kind === 'compare' ? comparedCalls(calls, shown.calls) : null;
  if (shown?.kind === 'compare' && compared !== null) {
    return (
      <Suspense fallback={<div role="group" aria-busy aria-label="The comparison is loading" />}>
        <CompareCalls
          key={shown.calls.join()}
          calls={compared}
          onClose={() => {
            setClosedComparison(true);
            show(key, { kind: 'call', call: shown.back });
          }}
        />
      </Suspense>
    );
  }
  // A tool without a name cannot be called, so it has no results.
  if (name === null) return form;
  return (
    <Split id="tool" direction="row" className="h-full">
      <SplitPanel id="tool-arguments" size="48%" min={220}>
        {form}
      </SplitPanel>
      <SplitHandle label="Width of the arguments" />
      <SplitPanel id="tool-result" min={220}>
        <ResultColumn
          sessionId={sessionId ?? null}
          calls={calls}
          earlier={earlier}
          shown={shown}
          formText={canRun ? draft.text : null}
          parallelRun={parallelRun}
          fault={fault}
          takesFocus={hasClosedComparison}
          onShow={(what) => show(key, what)}
          onRunAgain={run && ((one) => void run(one))}
          onCancel={(one) => void cancelCall(one)}
          onLoad={(one) => {
            changeDraft({ text: one.arguments });
            if (draft.isTouched && draft.text !== one.arguments)
              offerUndo(`Replaced the arguments of “${title}”`, () => changeDraft({ text: draft.text }));
          }}
        />
      </SplitPanel>
    </Split>
  );
});

/** Whether a tool says that it may destroy something (MCP tool annotations). */
const isDestructive = ({ entry }: ToolLine): boolean =>
  entry.usable &&
  entry.tool.annotations?.readOnlyHint !== true &&
  entry.tool.annotations?.destructiveHint === true;

/** The two calls to compare; null if one of them is no longer known. */
function comparedCalls(calls: readonly Call[], keys: readonly [string, string]): CallPair | null {
  const [left, right] = keys.map((key) => calls.find((call) => callKey(call) === key));
  return left === undefined || right === undefined ? null : [left, right];
}

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

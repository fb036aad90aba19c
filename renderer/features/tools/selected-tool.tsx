import { memo, useMemo } from 'react';
import { useCommands } from '#model/commands.ts';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { sendable, showCall, shownCallKey, useDraft, useToolsState } from './drafts.ts';
import { ResultColumn } from './result/result-column.tsx';
import { readTimes } from './run-times.ts';
import { cancelCall, isRunning, startCall, useCallsOf } from './tool-calls.ts';
import { ToolColumn } from './tool-column.tsx';
import type { ToolLine } from './tool-list-model.ts';

/** One tool: its arguments at the left, what came of calling it at the right. */
export const SelectedTool = memo(function SelectedTool({
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
  const { calls, fault } = useCallsOf(sessionId, name);
  const callKey = shownCallKey(sessionId, name);
  const shownId = useToolsState(({ shownCall }) => shownCall[callKey]);
  const shown = calls.find(({ id }) => id === shownId) ?? calls[0];
  const running = calls.filter(isRunning);

  const args = useMemo(() => sendable(draft.text), [draft.text]);
  const times = useMemo(() => readTimes(draft.times), [draft.times]);
  const run =
    !isConnected || name === null || !args.ok
      ? null
      : (text: string = args.text) => {
          showCall(callKey, null);
          void startCall({ sessionId, tool: name, arguments: text, ...times });
        };
  const cancel = running.length === 0 ? null : () => running.forEach((one) => void cancelCall(one));

  useCommands(
    run === null
      ? []
      : [
          {
            id: 'tool.run',
            title: `Run ${title}`,
            group: 'Tools',
            shortcut: 'Mod+Enter',
            run: () => run(),
          },
        ],
  );

  const column = (
    <ToolColumn
      line={line}
      draft={draft}
      onChange={changeDraft}
      args={args}
      isConnected={isConnected}
      onRun={run}
      onCancel={cancel}
    />
  );
  // Without a name there is nothing to call, and so never a result.
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
          onRunAgain={run}
          onCancel={(one) => void cancelCall(one)}
          onLoad={(one) => changeDraft({ text: one.arguments })}
        />
      </SplitPanel>
    </Split>
  );
});

import { TriangleAlert } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { changeSettings, useSettings } from '#model/settings.ts';
import type { ToolEntry } from '#shared/contract/catalog.ts';
import { Button } from '#ui/button.tsx';
import { Checkbox } from '#ui/field.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';

/** Whether the server says that a tool is destructive, and the user was not yet told not to be asked. */
export function useMustConfirm(serverId: string, entry: ToolEntry): boolean {
  const tool = entry.usable ? entry.tool : null;
  const isAllowed = useSettings(({ allowedTools }) =>
    allowedTools.some((one) => one.serverId === serverId && one.tool === tool?.name),
  );
  const { destructiveHint, readOnlyHint } = tool?.annotations ?? {};
  return destructiveHint === true && readOnlyHint !== true && !isAllowed;
}

/** Says that a destructive tool runs without a question, and takes that back. */
export function AllowedNotice({ serverId, entry }: { readonly serverId: string; readonly entry: ToolEntry }) {
  const allowedTools = useSettings((settings) => settings.allowedTools);
  const name = entry.usable ? entry.tool.name : null;
  const others = allowedTools.filter((one) => one.serverId !== serverId || one.tool !== name);
  if (others.length === allowedTools.length) return null;
  return (
    <p className="mt-2 flex items-center gap-2 text-sm text-mute">
      Runs without a question, as you chose.
      <Button size="small" onClick={() => reportFault(changeSettings({ allowedTools: others }))}>
        Ask again
      </Button>
    </p>
  );
}

/** Asks before a destructive tool runs, with the arguments that it would get. */
export function RunConfirmation({
  serverId,
  tool,
  args,
  onRun,
  onCancel,
}: {
  readonly serverId: string;
  readonly tool: string;
  /** JSON text, as it would be sent. */
  readonly args: string;
  readonly onRun: () => void;
  readonly onCancel: () => void;
}) {
  const [isAlways, setAlways] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  const run = () => {
    if (isAlways) {
      const { allowedTools } = useSettings.getState();
      reportFault(changeSettings({ allowedTools: [...allowedTools, { serverId, tool }] }));
    }
    onRun();
  };
  return (
    <section
      aria-label={`Run ${tool}?`}
      className="rounded-ui border border-line border-l-2 border-l-warn bg-panel px-3 py-2"
      onKeyDown={(press) => {
        if (press.key !== 'Escape') return;
        press.preventDefault();
        onCancel();
      }}
    >
      <p className="flex items-start gap-2">
        <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-warn" />
        <span>
          The server says that <span className="mono">{visibleLine(tool)}</span> may delete or overwrite
          something. It would get these arguments:
        </span>
      </p>
      <div
        role="region"
        aria-label="Arguments to confirm"
        // A scrolling region must be reachable by keyboard.
        tabIndex={0}
        className="mt-2 max-h-32 overflow-auto rounded-ui border border-line bg-raise px-2.5 py-1.5"
      >
        <JsonText raw={args} />
      </div>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <Button ref={button} variant="primary" onClick={run}>
          Run it
        </Button>
        <Button onClick={onCancel}>Do not run</Button>
        <Checkbox label="Do not ask again for this tool" checked={isAlways} onChange={setAlways} />
      </div>
    </section>
  );
}

import { TriangleAlert } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import {
  changeSettings,
  confirmationLabels,
  DESTRUCTIVE_MEANS,
  setConfirmationLevel,
  useConfirmationLevel,
  useSettings,
} from '#model/settings.ts';
import { removeFromSettings } from '#model/removed-settings.ts';
import type { MustConfirmCode } from '#shared/contract/calls.ts';
import type { ToolEntry } from '#shared/contract/catalog.ts';
import { RUN_VARIABLE } from '#shared/contract/load.ts';
import { confirmationLevels } from '#shared/contract/settings.ts';
import { Button } from '#ui/button.tsx';
import { Checkbox, Field, SelectBox } from '#ui/field.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { refersToRun } from './tool-calls.ts';

/** Says that a tool runs without a question, and takes that back. */
export function AllowedNotice({ serverId, entry }: { readonly serverId: string; readonly entry: ToolEntry }) {
  const allowedTools = useSettings((settings) => settings.allowedTools);
  const name = entry.usable ? entry.tool.name : null;
  const allowed = allowedTools.filter((one) => one.serverId === serverId && one.tool === name);
  if (allowed.length === 0) return null;
  return (
    <p className="mt-2 flex items-center gap-2 text-sm text-mute">
      Runs without a question, as you chose.
      <Button
        size="small"
        onClick={() =>
          reportFault(
            removeFromSettings('allowedTools', allowed, `Revoked running “${name}” without a question`),
          )
        }
      >
        Ask again
      </Button>
    </p>
  );
}

/** Asks before a tool runs, with the arguments that it would get. */
export function RunConfirmation({
  serverId,
  tool,
  args,
  count,
  code,
  onRun,
  onCancel,
}: {
  readonly serverId: string;
  readonly tool: string;
  /** JSON text, as it would be sent but for `RUN_VARIABLE`, which counts parallel calls. */
  readonly args: string;
  /** How many times at once it would run. */
  readonly count: number;
  /** Why the engine wants a confirmation. */
  readonly code: MustConfirmCode;
  readonly onRun: () => void;
  readonly onCancel: () => void;
}) {
  const [isAlways, setAlways] = useState(false);
  const level = useConfirmationLevel(serverId);
  const back = useRef<HTMLButtonElement>(null);
  // Not the button that runs it: a second press of Enter must not confirm what nobody has read.
  useEffect(() => back.current?.focus(), []);
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
          {code === 'confirm-destructive' ? (
            <>
              The server says that <ToolName tool={tool} /> may delete or overwrite something.
            </>
          ) : (
            <>
              <ToolName tool={tool} /> has not run since Sightglass started.
            </>
          )}{' '}
          It would {count > 1 && `run ${count} times at once and `}get these arguments:
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
      {count > 1 && refersToRun(args) && (
        <p className="mt-1 text-mute">
          <span className="mono">{`\${${RUN_VARIABLE}}`}</span> is 1 to {count}, the number of the call.
        </p>
      )}
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <Button ref={back} onClick={onCancel}>
          Do not run
        </Button>
        <Button variant="primary" onClick={run}>
          Run it
        </Button>
        <Checkbox label="Do not ask again for this tool" checked={isAlways} onChange={setAlways} />
      </div>
      <Field label="For this server, confirm" note={DESTRUCTIVE_MEANS} className="mt-2">
        {(control) => (
          <SelectBox
            {...control}
            size="small"
            value={level}
            options={confirmationLevels.map((value) => ({ value, label: confirmationLabels[value] }))}
            onChange={(chosen) => reportFault(setConfirmationLevel(serverId, chosen))}
          />
        )}
      </Field>
    </section>
  );
}

const ToolName = ({ tool }: { readonly tool: string }) => <span className="mono">{visibleLine(tool)}</span>;

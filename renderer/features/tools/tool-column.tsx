import { useState } from 'react';
import { FaultCard } from '#ui/fault-card.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { useVerdict } from '#ui/schema-form/use-verdict.ts';
import { ArgumentEditor } from './argument-editor.tsx';
import type { Draft, Sendable } from './drafts.ts';
import { RequestPreview } from './request-preview.tsx';
import { type Drawer, RunBar } from './run-bar.tsx';
import { RunOptions } from './run-options.tsx';
import { ToolHeading } from './tool-heading.tsx';
import type { ToolLine } from './tool-list-model.ts';
import { ToolSchemas } from './tool-schemas.tsx';

export interface ToolColumnProps {
  readonly line: ToolLine;
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly args: Sendable;
  readonly isConnected: boolean;
  /** Null when it cannot run. */
  readonly onRun: (() => void) | null;
  /** Null when nothing runs. */
  readonly onCancel: (() => void) | null;
}

/** What a tool is, and the arguments to call it with. */
export function ToolColumn({ line, draft, onChange, args, isConnected, onRun, onCancel }: ToolColumnProps) {
  const { entry, name } = line;
  const [drawer, setDrawer] = useState<Drawer | null>(null);
  const [formFault, setFormFault] = useState<string | null>(null);
  const schema = entry.usable ? entry.tool.inputSchema : undefined;
  const verdict = useVerdict(schema, args.ok ? args.text : null);
  const run = onRun === null ? null : () => onRun();
  return (
    <div className="flex h-full min-h-0 flex-col overflow-y-auto px-4 pt-3">
      <ToolHeading line={line} />
      {!entry.usable && <BadEntry why={entry.why} raw={entry.raw} isCallable={name !== null} />}
      {name !== null && (
        <>
          <ArgumentEditor
            schema={schema}
            draft={draft}
            onChange={onChange}
            verdict={verdict}
            formFault={formFault}
            onFormFault={setFormFault}
            onSubmit={run}
          />
          <RunBar
            mode={draft.mode}
            canShowForm={schema !== undefined}
            onMode={(mode) => {
              setFormFault(null);
              onChange({ mode });
            }}
            args={args}
            verdict={verdict}
            isConnected={isConnected}
            drawer={drawer}
            onDrawer={setDrawer}
            onRun={run}
            onCancel={onCancel}
          />
          {drawer !== null && (
            <div key={drawer} ref={reveal} className="mt-1">
              {drawer === 'options' ? (
                <RunOptions
                  times={draft.times}
                  onChange={(change) => onChange({ times: { ...draft.times, ...change } })}
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

/** What opens below the fold is brought into view. */
const reveal = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

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
          what: 'This entry of the list is not a tool as the specification describes one.',
          why,
          ...(isCallable && { next: 'It can be called all the same; without a schema, arguments are JSON.' }),
        }}
      />
      <JsonText raw={raw} className="rounded-ui border border-line bg-raise px-2.5 py-2" />
    </div>
  );
}

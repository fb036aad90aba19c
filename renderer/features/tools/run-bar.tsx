import { Eye, SlidersHorizontal } from 'lucide-react';
import { Button, IconButton } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { AdviceLine, VerdictLine } from '#ui/schema-form/advice.tsx';
import type { Verdict } from '#ui/schema-form/validate.ts';
import { Segmented } from '#ui/segmented.tsx';
import type { Draft, Sendable } from './drafts.ts';

/** What is open under the bar. */
export type Drawer = 'options' | 'preview';

interface RunBarProps {
  readonly mode: Draft['mode'];
  readonly canShowForm: boolean;
  readonly onMode: (mode: Draft['mode']) => void;
  readonly args: Sendable;
  readonly verdict: Verdict | null;
  readonly isConnected: boolean;
  readonly drawer: Drawer | null;
  readonly onDrawer: (drawer: Drawer | null) => void;
  readonly onRun: (() => void) | null;
  readonly onCancel: (() => void) | null;
}

/** Run, and what there is to know before it. What the schema says never keeps it from running. */
export function RunBar(props: RunBarProps) {
  const { mode, canShowForm, onMode, args, verdict, isConnected, drawer, onDrawer, onRun, onCancel } = props;
  const isInvalid = verdict?.state === 'invalid';
  const toggle = (name: Drawer) => ({
    'aria-expanded': drawer === name,
    onClick: () => onDrawer(drawer === name ? null : name),
    className: cx(drawer === name && 'bg-hover text-text'),
    size: 'small' as const,
  });
  return (
    <div className="sticky bottom-0 z-10 -mx-4 mt-2 flex flex-col gap-2 bg-bg px-4 pt-1.5 pb-2.5 before:absolute before:inset-x-0 before:bottom-full before:h-3 before:bg-linear-to-t before:from-bg before:to-transparent">
      <Advice args={args} verdict={verdict} isConnected={isConnected} />
      <div className="flex flex-wrap items-center gap-2">
        <Button
          variant="primary"
          disabled={onRun === null}
          onClick={() => onRun?.()}
          {...(!isInvalid && { shortcut: 'Mod+Enter' })}
        >
          {isInvalid ? 'Run anyway' : 'Run'}
        </Button>
        <Button disabled={onCancel === null} onClick={() => onCancel?.()}>
          Cancel
        </Button>
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

/** Why it cannot run, or what the schema says of the arguments. */
function Advice({ args, verdict, isConnected }: Pick<RunBarProps, 'args' | 'verdict' | 'isConnected'>) {
  if (!isConnected) return <AdviceLine tone="mute">Not connected: connect to run it.</AdviceLine>;
  if (!args.ok)
    return <AdviceLine tone="error">Not JSON that can be sent as arguments: {args.why}</AdviceLine>;
  return <VerdictLine of="The arguments" verdict={verdict} />;
}

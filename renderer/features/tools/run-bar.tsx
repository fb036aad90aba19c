import { Eye, SlidersHorizontal, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { PlainText } from '#ui/plain-text.tsx';
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
  if (!isConnected) return <Line tone="text-mute">Not connected: connect to run it.</Line>;
  if (!args.ok) return <Line tone="text-err">Not JSON that can be sent as arguments: {args.why}</Line>;
  switch (verdict?.state) {
    case undefined:
    case 'valid':
      return null;
    case 'unusable':
      return <Line tone="text-warn">The arguments could not be judged by the schema. {verdict.why}</Line>;
    case 'invalid': {
      const [first] = verdict.problems;
      const more = verdict.problems.length - 1;
      return (
        <Line tone="text-warn">
          By the schema,{' '}
          {first?.at === '' ? 'it' : <PlainText inline text={first?.at.slice(1) ?? ''} className="mono" />}{' '}
          <PlainText inline text={first?.text ?? ''} />
          {more > 0 && ` · ${more} more`}
        </Line>
      );
    }
  }
}

function Line({ tone, children }: { readonly tone: string; readonly children: ReactNode }) {
  return (
    <p role="status" className={cx('flex items-start gap-1.5 text-sm', tone)}>
      <TriangleAlert aria-hidden className="mt-[3px] size-3 shrink-0" />
      <span className="line-clamp-2 min-w-0">{children}</span>
    </p>
  );
}

import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Badge, type Tone } from './chip.tsx';
import { cx } from './cx.ts';
import { formatCount } from '#shared/format.ts';

interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: ReactNode;
  /** A subdued number. */
  readonly count?: number | null;
  /** A prominent number; hidden at 0. */
  readonly badge?: number;
  readonly badgeTone?: Tone;
}

/** A row of tabs above their panels. The children must contain a `TabPanel` for each tab. */
export function Tabs<Id extends string>({
  label,
  tabs,
  value,
  onChange,
  size = 'pane',
  trailing,
  className,
  children,
}: {
  /** Accessible name of the row. */
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly value: Id;
  readonly onChange: (id: Id) => void;
  /** `pane` is 36 px high, `detail` 34 px and narrower. */
  readonly size?: 'pane' | 'detail';
  /** Content at the right end of the row. */
  readonly trailing?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <Radix.Root
      value={value}
      onValueChange={(chosen) => {
        const tab = tabs.find(({ id }) => id === chosen);
        if (tab) onChange(tab.id);
      }}
      className={cx('flex min-h-0 min-w-0 flex-col', className)}
    >
      <div
        className={cx(
          'flex shrink-0 items-stretch border-b border-line bg-panel',
          size === 'pane' ? 'h-9 px-2.5' : 'h-[34px] px-1',
        )}
      >
        <Radix.List
          aria-label={label}
          className="flex min-w-0 gap-0.5 overflow-x-auto [scrollbar-width:none]"
        >
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.id}
              value={tab.id}
              className={cx(
                'flex items-center gap-[5px] border-y-2 border-transparent font-medium whitespace-nowrap text-mute hover:text-text data-[state=active]:border-b-accent data-[state=active]:text-text',
                size === 'pane' ? 'px-[11px]' : 'px-1.5',
              )}
            >
              {tab.label}
              {tab.count !== undefined && tab.count !== null && (
                <span className="text-xs text-faint">{formatCount(tab.count)}</span>
              )}
              {tab.badge !== undefined && tab.badge > 0 && (
                <Badge tone={tab.badgeTone ?? 'accent'}>{formatCount(tab.badge)}</Badge>
              )}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {trailing && (
          <div className={cx('ml-auto flex shrink-0 items-center', size === 'pane' ? 'gap-1' : 'gap-0.5')}>
            {trailing}
          </div>
        )}
      </div>
      {children}
    </Radix.Root>
  );
}

/** The panel of one tab, mounted only while the tab is selected. */
export function TabPanel({
  id,
  className,
  children,
}: {
  readonly id: string;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <Radix.Content value={id} className={cx('min-h-0 min-w-0 flex-1', className)}>
      {children}
    </Radix.Content>
  );
}

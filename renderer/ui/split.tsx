import { Children, isValidElement, type ReactNode } from 'react';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import { cx } from './cx.ts';

/**
 * Panels beside or below each other with handles between them. Alternate `SplitPanel` and `SplitHandle` as direct
 * children. Sizes are stored by id and by the set of panels.
 */
export function Split({
  id,
  direction,
  className,
  children,
}: {
  readonly id: string;
  /** `row`: side by side; `column`: one below the other. */
  readonly direction: 'row' | 'column';
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const panelIds = Children.toArray(children).flatMap((child) =>
    isValidElement<{ id?: unknown }>(child) && typeof child.props.id === 'string' ? [child.props.id] : [],
  );
  const { defaultLayout, onLayoutChanged } = useDefaultLayout({
    id: `split-${id}`,
    panelIds,
    storage: localStorage,
    onlySaveAfterUserInteractions: true,
  });
  return (
    <Group
      id={id}
      orientation={direction === 'row' ? 'horizontal' : 'vertical'}
      defaultLayout={defaultLayout}
      onLayoutChanged={onLayoutChanged}
      className={cx('min-h-0 min-w-0', className)}
    >
      {children}
    </Group>
  );
}

/** Sizes: a number is pixels, `'46%'` a share of the whole. */
export function SplitPanel({
  id,
  size,
  min,
  max,
  keepsPixels,
  className,
  children,
}: {
  readonly id: string;
  readonly size?: number | string;
  readonly min?: number | string;
  readonly max?: number | string;
  /** Keeps its size in pixels when the window is resized; at least one panel of a split must not. */
  readonly keepsPixels?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <Panel
      id={id}
      defaultSize={size}
      minSize={min}
      maxSize={max}
      groupResizeBehavior={keepsPixels ? 'preserve-pixel-size' : 'preserve-relative-size'}
      style={{ overflow: 'hidden' }}
      className={cx('flex h-full min-h-0 min-w-0 flex-col', className)}
    >
      {children}
    </Panel>
  );
}

/** The line between two panels: drag it, or focus it and use the arrow keys. */
export function SplitHandle({ label }: { readonly label: string }) {
  return (
    <Separator
      aria-label={label}
      className="relative shrink-0 bg-line transition-colors duration-100 hover:bg-accent focus-visible:bg-accent focus-visible:outline-none aria-[orientation=horizontal]:h-px aria-[orientation=vertical]:w-px data-[separator=active]:bg-accent"
    />
  );
}

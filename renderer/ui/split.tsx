import { Children, isValidElement, type ReactNode, useEffect, useRef } from 'react';
import {
  Group,
  type GroupImperativeHandle,
  type Layout,
  Panel,
  Separator,
  useDefaultLayout,
} from 'react-resizable-panels';
import { cx } from './cx.ts';

/** Where the sizes of panels are kept. */
let keptSizes: Pick<Storage, 'getItem' | 'setItem'> = { getItem: () => null, setItem: () => undefined };

/** Keeps the sizes of panels from now on; before, they are as at first. */
export const keepSizesIn = (storage: typeof keptSizes): void => {
  keptSizes = storage;
};

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
    storage: keptSizes,
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
  /** Whether the panel keeps its size in pixels when the window is resized; at least one panel of a split must not. */
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

/** Which of two stacked panels takes all the room; null for neither. */
export type Maximized = 'top' | 'bottom' | null;

/** Height in pixels of a panel that has given its room to the other: that of its bar. */
const COLLAPSED = 36;
const MIN_HEIGHT = 96;

/**
 * Two panels, one below the other, either of which can take all the room but the bar of the other. The share of the
 * top is stored for each `sizeId`. What has the class `hides-when-collapsed` cannot be reached in a collapsed panel.
 */
export function StackedSplit({
  id,
  sizeId,
  share,
  label,
  maximized,
  onMaximize,
  top: topPanel,
  bottom,
}: {
  readonly id: string;
  readonly sizeId: string;
  /** The share of the top in percent until the user changes it; half if left out, in a low window more. */
  readonly share?: number | undefined;
  /** Accessible name of the line between them. */
  readonly label: string;
  readonly maximized: Maximized;
  readonly onMaximize: (maximized: Maximized) => void;
  readonly top: ReactNode;
  readonly bottom: ReactNode;
}) {
  const group = useRef<GroupImperativeHandle>(null);
  const [topId, bottomId] = [`${id}-top`, `${id}-bottom`];
  const storageKey = `stacked-${id}-${sizeId}`;
  useEffect(() => {
    const top = maximized === 'top' ? 100 : maximized === 'bottom' ? 0 : storedShare(storageKey, share);
    group.current?.setLayout({ [topId]: top, [bottomId]: 100 - top });
  }, [maximized, storageKey, share, topId, bottomId]);

  const onLayoutChanged = (
    layout: Layout,
    { isUserInteraction }: { readonly isUserInteraction: boolean },
  ) => {
    if (!isUserInteraction) return;
    const height = document.getElementById(id)?.clientHeight ?? 0;
    const dragged = layout[topId] ?? 50;
    const topHeight = (dragged / 100) * height;
    if (topHeight < MIN_HEIGHT - 1) onMaximize('bottom');
    else if (height - topHeight < MIN_HEIGHT - 1) onMaximize('top');
    else {
      keptSizes.setItem(storageKey, String(dragged));
      onMaximize(null);
    }
  };
  const panel = 'flex h-full min-h-0 min-w-0 flex-col [container:stacked/size]';
  const collapses = { collapsible: true, collapsedSize: COLLAPSED, minSize: MIN_HEIGHT } as const;
  return (
    <Group
      id={id}
      groupRef={group}
      orientation="vertical"
      onLayoutChanged={onLayoutChanged}
      className="min-h-0 min-w-0"
    >
      <Panel
        {...collapses}
        id={topId}
        defaultSize={`${storedShare(storageKey, share)}%`}
        style={{ overflow: 'hidden' }}
        className={panel}
      >
        {topPanel}
      </Panel>
      <SplitHandle label={label} onDoubleClick={() => onMaximize(maximized === null ? 'top' : null)} />
      <Panel {...collapses} id={bottomId} style={{ overflow: 'hidden' }} className={panel}>
        {bottom}
      </Panel>
    </Group>
  );
}

/** A window lower than this has more for the top, where forms are. */
const LOW_WINDOW = 950;
const LOW_WINDOW_SHARE = 60;

/** The stored share of the top in percent, else the initial one. */
function storedShare(
  key: string,
  initial: number = window.innerHeight < LOW_WINDOW ? LOW_WINDOW_SHARE : 50,
): number {
  const share = Number(keptSizes.getItem(key) ?? Number.NaN);
  return share > 0 && share < 100 ? share : initial;
}

/** The line between two panels: drag it, or focus it and use the arrow keys. */
export function SplitHandle({
  label,
  onDoubleClick,
}: {
  readonly label: string;
  /** Instead of setting the sizes back. */
  readonly onDoubleClick?: () => void;
}) {
  return (
    <Separator
      aria-label={label}
      disableDoubleClick={onDoubleClick !== undefined}
      onDoubleClick={onDoubleClick}
      className="relative shrink-0 bg-line transition-colors duration-100 hover:bg-accent focus-visible:bg-accent focus-visible:outline-none aria-[orientation=horizontal]:h-px aria-[orientation=vertical]:w-px data-[separator=active]:bg-accent"
    />
  );
}

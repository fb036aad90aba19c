import { ChevronDown, ChevronUp, Columns3, Minus, Plus } from 'lucide-react';
import type { KeyboardEvent, ReactNode } from 'react';
import { changeSettings, useSettings } from '#model/settings.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { Checkbox } from '#ui/field.tsx';
import { Popover } from '#ui/popover.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { shortcutLabel } from '#ui/shortcut.ts';
import { reportFault } from '#ui/toaster.tsx';
import {
  changed,
  type ColumnName,
  type ColumnPlan,
  layOut,
  moved,
  type TableFrame,
  widthIn,
  savePlans,
  useColumnPlans,
} from './column-plan.ts';
import { columns } from './columns.tsx';

/** Change of width by one press; pixels. */
const STEP = 8;

/** Which columns the table shows, their widths and order, and how it shows times. */
export function ColumnMenu({
  frame,
  isOpen,
  onOpenChange,
}: {
  /** The table at the time the menu is rendered. */
  readonly frame: () => TableFrame;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}) {
  return (
    <Popover
      label="Columns"
      open={isOpen}
      onOpenChange={onOpenChange}
      align="end"
      className="w-[328px]"
      trigger={
        <IconButton label="Columns" size="small" className="trace-columns-button">
          <Columns3 aria-hidden className="size-3.5" />
        </IconButton>
      }
    >
      <ColumnList frame={frame()} />
    </Popover>
  );
}

function ColumnList({ frame }: { readonly frame: TableFrame }) {
  const plans = useColumnPlans();
  const times = useSettings(({ traceTimes }) => traceTimes);
  const isCustomized = useSettings(({ traceColumns }) => traceColumns.length > 0);
  const { dropped, sizing } = layOut(plans, frame);
  return (
    <div className="-m-3">
      <div className="sticky -top-3 z-10 flex items-center justify-between gap-3 border-b border-line bg-panel px-3 py-1.5">
        <span className="font-medium">Times</span>
        <Segmented
          label="Times"
          value={times}
          onChange={(traceTimes) => reportFault(changeSettings({ traceTimes }))}
          options={[
            { id: 'wall', label: 'Of day' },
            { id: 'relative', label: 'Since the first row' },
          ]}
        />
      </div>
      <ul aria-label="Columns" className="px-1 py-1">
        {plans.map((plan, order) => (
          <ColumnLine
            key={plan.name}
            plan={plan}
            width={widthIn(plan, sizing)}
            note={dropped.has(plan.name) ? 'does not fit' : null}
            onChange={(change) => savePlans(changed(plans, plan.name, change))}
            onMove={placesToMove(plans, order, plan.name)}
          />
        ))}
      </ul>
      <div className="sticky -bottom-3 flex items-center justify-between gap-3 border-t border-line bg-panel px-3 py-1.5">
        <p className="text-xs text-faint">
          {shortcutLabel('Alt+ArrowUp')} {shortcutLabel('ArrowDown')} moves a column,{' '}
          {shortcutLabel('Alt+ArrowLeft')} {shortcutLabel('ArrowRight')} sets its width
        </p>
        <Button size="small" disabled={!isCustomized} onClick={() => savePlans([])}>
          Reset columns
        </Button>
      </div>
    </div>
  );
}

interface Moves {
  readonly up: (() => void) | null;
  readonly down: (() => void) | null;
}

function placesToMove(plans: readonly ColumnPlan[], order: number, name: ColumnName): Moves {
  const before = plans[order - 1]?.name;
  const to = (next: ColumnName | null) => () => savePlans(moved(plans, name, next));
  return {
    up: before === undefined ? null : to(before),
    down: order === plans.length - 1 ? null : to(plans[order + 2]?.name ?? null),
  };
}

function ColumnLine({
  plan: { name, isShown, width: own },
  width,
  note,
  onChange,
  onMove,
}: {
  readonly plan: ColumnPlan;
  /** Pixels. */
  readonly width: number;
  readonly note: string | null;
  readonly onChange: (change: Partial<Omit<ColumnPlan, 'name'>>) => void;
  readonly onMove: Moves;
}) {
  const { title } = columns[name];
  const narrower = () => onChange({ width: width - STEP });
  const wider = () => onChange({ width: width + STEP });
  const keys: Readonly<Record<string, (() => void) | null>> = {
    ArrowUp: onMove.up,
    ArrowDown: onMove.down,
    ArrowLeft: narrower,
    ArrowRight: wider,
  };
  const onKeyDown = (press: KeyboardEvent) => {
    if (!press.altKey || !Object.hasOwn(keys, press.key)) return;
    press.preventDefault();
    press.stopPropagation();
    keys[press.key]?.();
  };
  return (
    <li
      onKeyDown={onKeyDown}
      className="group flex h-6 items-center gap-1 rounded-sm px-2 focus-within:bg-hover hover:bg-hover"
    >
      <Checkbox
        label={
          <span className="flex items-baseline gap-2">
            <span className="whitespace-nowrap">{title}</span>
            {note !== null && <span className="truncate text-xs text-faint">{note}</span>}
          </span>
        }
        checked={isShown}
        onChange={(shown) => onChange({ isShown: shown })}
        className="min-w-0 flex-1"
      />
      <span className="mono shrink-0 text-xs text-faint">
        <span className="sr-only">width: </span>
        {own === null ? 'auto' : `${own} px`}
      </span>
      <span className="flex shrink-0 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
        <LineButton label={`Make ${title} narrower`} onClick={narrower} icon={<Minus />} />
        <LineButton label={`Make ${title} wider`} onClick={wider} icon={<Plus />} />
        <LineButton label={`Move ${title} up`} onClick={onMove.up} icon={<ChevronUp />} />
        <LineButton label={`Move ${title} down`} onClick={onMove.down} icon={<ChevronDown />} />
      </span>
    </li>
  );
}

/** Not a tab stop: the keys of the line do the same. */
function LineButton({
  label,
  icon,
  onClick,
}: {
  readonly label: string;
  readonly icon: ReactNode;
  readonly onClick: (() => void) | null;
}) {
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={label}
      disabled={onClick === null}
      onClick={() => onClick?.()}
      className="grid size-5 place-items-center rounded-sm text-mute enabled:hover:bg-panel enabled:hover:text-text disabled:opacity-40 [&>svg]:size-3.5"
    >
      {icon}
    </button>
  );
}

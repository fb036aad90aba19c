import { Check, ChevronRight, Ellipsis } from 'lucide-react';
import { ContextMenu as RadixContext, DropdownMenu as RadixDropdown } from 'radix-ui';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { cx } from './cx.ts';
import { useFloatingPlace } from './floating.ts';
import { type Shortcut, shortcutLabel } from './shortcut.ts';
import { visibleLine } from './visible.ts';

export interface MenuEntry {
  readonly label: string;
  /** Shown subdued at the right end, such as the value that an entry stands for. May be text of a server. */
  readonly detail?: string;
  readonly onSelect: () => void;
  readonly icon?: ReactNode;
  readonly shortcut?: Shortcut | undefined;
  readonly tone?: 'plain' | 'danger';
  readonly disabled?: boolean;
  /** Whether the entry is the current choice; undefined for an entry that is not one of several choices. */
  readonly isChecked?: boolean;
}

/** Entries of a menu; `null` is a separator. */
export type MenuEntries = readonly (MenuEntry | null)[];

/** An entry that opens further ones. */
interface SubMenu {
  readonly label: string;
  readonly entries: readonly MenuEntry[];
}

const surface = 'z-50 min-w-44 rounded-ui border border-line bg-raise p-1 shadow-float';
const line =
  'flex h-[26px] items-center gap-2 rounded-sm px-2 outline-none data-disabled:opacity-50 data-highlighted:bg-sel';

/** The button at the end of a list row that opens its menu; shown while the row is hovered or focused. */
export function RowMenu({
  label,
  entries,
  isTabStop,
}: {
  readonly label: string;
  readonly entries: MenuEntries;
  readonly isTabStop: boolean;
}) {
  return (
    <div className="absolute top-0.5 right-1.5 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-data-[state=open]:opacity-100">
      <Menu
        entries={entries}
        align="start"
        trigger={
          <IconButton size="small" label={label} tabIndex={isTabStop ? 0 : -1}>
            <Ellipsis aria-hidden className="size-3.5" />
          </IconButton>
        }
      />
    </div>
  );
}

/** A menu that opens from a button. */
export function Menu({
  trigger,
  entries,
  align = 'end',
}: {
  readonly trigger: ReactNode;
  readonly entries: MenuEntries;
  readonly align?: 'start' | 'end';
}) {
  const floatingPlace = useFloatingPlace();
  return (
    <RadixDropdown.Root modal={false}>
      <RadixDropdown.Trigger asChild>{trigger}</RadixDropdown.Trigger>
      <RadixDropdown.Portal container={floatingPlace}>
        <RadixDropdown.Content align={align} sideOffset={4} collisionPadding={8} className={surface}>
          {entries.map((entry, index) =>
            entry === null ? (
              <RadixDropdown.Separator key={`line-${index}`} className="my-1 h-px bg-line" />
            ) : entry.isChecked !== undefined ? (
              <RadixDropdown.CheckboxItem
                key={entry.label}
                checked={entry.isChecked}
                disabled={entry.disabled ?? false}
                onSelect={entry.onSelect}
                className={line}
              >
                <MenuLine entry={entry.isChecked ? { ...entry, icon: <Check /> } : entry} />
              </RadixDropdown.CheckboxItem>
            ) : (
              <RadixDropdown.Item
                key={entry.label}
                disabled={entry.disabled ?? false}
                onSelect={entry.onSelect}
                className={cx(line, entry.tone === 'danger' && 'text-err')}
              >
                <MenuLine entry={entry} />
              </RadixDropdown.Item>
            ),
          )}
        </RadixDropdown.Content>
      </RadixDropdown.Portal>
    </RadixDropdown.Root>
  );
}

/** A menu on right click or the menu key of its child, which must be one element. */
export function ContextMenu({
  entries,
  children,
}: {
  readonly entries: readonly (MenuEntry | SubMenu | null)[];
  readonly children: ReactNode;
}) {
  const floatingPlace = useFloatingPlace();
  return (
    <RadixContext.Root modal={false}>
      <RadixContext.Trigger asChild>{children}</RadixContext.Trigger>
      <RadixContext.Portal container={floatingPlace}>
        <RadixContext.Content collisionPadding={8} className={surface}>
          {entries.map((entry, index) =>
            entry === null ? (
              <RadixContext.Separator key={`line-${index}`} className="my-1 h-px bg-line" />
            ) : 'entries' in entry ? (
              <RadixContext.Sub key={entry.label}>
                <RadixContext.SubTrigger disabled={entry.entries.length === 0} className={line}>
                  <MenuLine entry={entry} />
                  <ChevronRight aria-hidden className="ml-auto size-3.5 text-mute" />
                </RadixContext.SubTrigger>
                <RadixContext.Portal container={floatingPlace}>
                  <RadixContext.SubContent collisionPadding={8} className={surface}>
                    {entry.entries.map((one) => (
                      <ContextEntry key={one.label} entry={one} />
                    ))}
                  </RadixContext.SubContent>
                </RadixContext.Portal>
              </RadixContext.Sub>
            ) : (
              <ContextEntry key={entry.label} entry={entry} />
            ),
          )}
        </RadixContext.Content>
      </RadixContext.Portal>
    </RadixContext.Root>
  );
}

function ContextEntry({ entry }: { readonly entry: MenuEntry }) {
  return (
    <RadixContext.Item
      disabled={entry.disabled ?? false}
      onSelect={entry.onSelect}
      className={cx(line, entry.tone === 'danger' && 'text-err')}
    >
      <MenuLine entry={entry} />
    </RadixContext.Item>
  );
}

function MenuLine({ entry }: { readonly entry: Omit<MenuEntry, 'onSelect'> }) {
  return (
    <>
      <span aria-hidden className="grid size-3.5 place-items-center [&>svg]:size-3.5">
        {entry.icon}
      </span>
      {visibleLine(entry.label)}
      {entry.detail !== undefined && (
        <span className="ml-auto max-w-60 truncate pl-6 font-mono text-xs text-mute">
          {visibleLine(entry.detail)}
        </span>
      )}
      {entry.shortcut && (
        <span className="ml-auto pl-6 font-mono text-xs text-mute">{shortcutLabel(entry.shortcut)}</span>
      )}
    </>
  );
}

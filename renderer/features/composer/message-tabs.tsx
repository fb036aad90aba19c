import { Plus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { addMessage, changeComposition, closeMessage, type Composition } from '#model/composer.ts';
import { leafValue, nodeAt, treeOf } from '#shared/json/tree.ts';
import { truncate } from '#shared/format.ts';
import { IconButton } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { visibleLine } from '#ui/visible.ts';

/** The messages of the composer, one of which is edited. */
export function MessageTabs({
  serverId,
  composition: { messages, selected },
  children,
}: {
  readonly serverId: string;
  readonly composition: Composition;
  /** Shown at the right end. */
  readonly children: ReactNode;
}) {
  const move = (step: number) => {
    const at = messages.findIndex(({ id }) => id === selected);
    const next = messages[(at + step + messages.length) % messages.length];
    if (next === undefined) return;
    changeComposition(serverId, { selected: next.id });
    document.getElementById(`composed-${next.id}`)?.focus();
  };
  return (
    <div className="flex h-9 shrink-0 items-stretch border-b border-line bg-panel">
      <div
        role="tablist"
        aria-label="Messages"
        className="flex min-w-0 overflow-x-auto [scrollbar-width:none]"
      >
        {messages.map((message, index) => {
          const isSelected = message.id === selected;
          return (
            <button
              key={message.id}
              id={`composed-${message.id}`}
              type="button"
              role="tab"
              aria-selected={isSelected}
              aria-controls="composed-message"
              tabIndex={isSelected ? 0 : -1}
              onClick={() => changeComposition(serverId, { selected: message.id })}
              onKeyDown={({ key }) => {
                if (key === 'ArrowRight') move(1);
                else if (key === 'ArrowLeft') move(-1);
                else if (key === 'Delete') closeMessage(serverId, message.id);
              }}
              className={cx(
                'flex max-w-48 shrink-0 items-center gap-1.5 border-t-2 border-r border-r-line px-3 whitespace-nowrap',
                isSelected
                  ? 'border-t-accent bg-bg text-text'
                  : 'border-t-transparent text-mute hover:text-text',
              )}
            >
              <span className="text-xs text-faint">{index + 1}</span>
              <span className="truncate">{nameOf(message.text, message.isRaw)}</span>
            </button>
          );
        })}
      </div>
      <div className="flex shrink-0 items-center gap-0.5 px-1">
        {messages.length > 1 && (
          <IconButton
            size="small"
            label="Close this message"
            onClick={() => closeMessage(serverId, selected)}
          >
            <X aria-hidden className="size-3.5" />
          </IconButton>
        )}
        <IconButton size="small" label="Add a message" onClick={() => addMessage(serverId, '')}>
          <Plus aria-hidden className="size-3.5" />
        </IconButton>
      </div>
      <div className="ml-auto flex shrink-0 items-center gap-1.5 px-3">{children}</div>
    </div>
  );
}

/** What a message is called on its tab: its method, or its kind. */
export function nameOf(text: string, isRaw: boolean): string {
  if (text.trim() === '') return 'new message';
  if (isRaw) return 'raw bytes';
  const tree = treeOf(text);
  if (tree?.kind === 'array') return `batch of ${tree.items.length}`;
  const method = leafValue(text, nodeAt(tree, ['method']));
  if (typeof method === 'string') return truncate(visibleLine(method), 40);
  const isResponse = nodeAt(tree, ['result']) !== undefined || nodeAt(tree, ['error']) !== undefined;
  return isResponse ? 'response' : 'message';
}

import { ChevronRight } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { cx } from './cx.ts';

interface Node {
  /** Unique in the tree. */
  readonly path: string;
  /** 0 at the top. */
  readonly level: number;
}

/** A tree, given as its visible nodes. Arrows move and open, Enter chooses (ARIA tree view pattern). */
export function Tree<N extends Node>({
  label,
  nodes,
  openState,
  nameOf,
  selected,
  onSelect,
  onToggle,
  onChoose,
  children,
}: {
  readonly label: string;
  readonly nodes: readonly N[];
  /** Whether a node with children is open; null for a node without children. */
  readonly openState: (node: N) => boolean | null;
  /** The accessible name. */
  readonly nameOf: (node: N) => string;
  /** Path of the selected node; null for none. */
  readonly selected: string | null;
  readonly onSelect: (node: N) => void;
  readonly onToggle: (node: N, isOpen: boolean) => void;
  /** A click on a node without children, or Enter. */
  readonly onChoose: (node: N) => void;
  /** Renders a node beside its arrow. */
  readonly children: (node: N) => ReactNode;
}) {
  const treeId = useId();
  const tree = useRef<HTMLDivElement>(null);
  const at = nodes.findIndex(({ path }) => path === selected);
  useEffect(() => {
    tree.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);

  const onKeyDown = (press: KeyboardEvent) => {
    if (press.altKey || press.ctrlKey || press.metaKey || press.shiftKey) return;
    const node = nodes[at];
    const isOpen = node === undefined ? null : openState(node);
    const moveTo = (index: number) => {
      const target = nodes[Math.min(Math.max(index, 0), nodes.length - 1)];
      if (target !== undefined) onSelect(target);
    };
    switch (press.key) {
      case 'ArrowDown':
        moveTo(at + 1);
        break;
      case 'ArrowUp':
        moveTo(at - 1);
        break;
      case 'Home':
        moveTo(0);
        break;
      case 'End':
        moveTo(nodes.length - 1);
        break;
      case 'ArrowRight':
        if (node === undefined || isOpen === null) return;
        if (isOpen) moveTo(at + 1);
        else onToggle(node, true);
        break;
      case 'ArrowLeft':
        if (node === undefined) return;
        if (isOpen === true) onToggle(node, false);
        else moveTo(parentIndex(nodes, at));
        break;
      case 'Enter':
        if (node === undefined) return;
        if (isOpen === null) onChoose(node);
        else onToggle(node, !isOpen);
        break;
      default:
        return;
    }
    press.preventDefault();
  };

  return (
    <div
      ref={tree}
      role="tree"
      aria-label={label}
      aria-activedescendant={at < 0 ? undefined : `${treeId}-${at}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="shrink-0 outline-offset-[-2px]"
    >
      {nodes.map((node, index) => {
        const isOpen = openState(node);
        const isSelected = index === at;
        return (
          // The tree has the focus and handles the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={node.path}
            id={`${treeId}-${index}`}
            role="treeitem"
            aria-level={node.level + 1}
            aria-selected={isSelected}
            aria-label={nameOf(node)}
            tabIndex={-1}
            {...(isOpen !== null && { 'aria-expanded': isOpen })}
            onClick={() => {
              onSelect(node);
              if (isOpen === null) onChoose(node);
              else onToggle(node, !isOpen);
            }}
            className={cx(
              'flex h-row cursor-default items-center gap-1 pr-2 [contain-intrinsic-size:auto_24px] [content-visibility:auto]',
              isSelected ? 'bg-hover shadow-[inset_2px_0_var(--accent)]' : 'hover:bg-hover/60',
            )}
            style={{ paddingLeft: 8 + node.level * 14 }}
          >
            {isOpen === null ? (
              <span aria-hidden className="w-3 shrink-0" />
            ) : (
              <ChevronRight aria-hidden className={cx('size-3 shrink-0 text-faint', isOpen && 'rotate-90')} />
            )}
            {children(node)}
          </div>
        );
      })}
    </div>
  );
}

/** Index of the nearest node above with a lower level; the node itself if there is none. */
function parentIndex(nodes: readonly Node[], at: number): number {
  const level = nodes[at]?.level ?? 0;
  for (let index = at - 1; index >= 0; index--) {
    if ((nodes[index]?.level ?? 0) < level) return index;
  }
  return at;
}

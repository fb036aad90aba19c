import {
  Fragment,
  type KeyboardEvent,
  memo,
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useRef,
} from 'react';
import { cx } from './cx.ts';

/** New index for each key; -1 means no selection. */
const moves: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Moves the selection on navigation keys. Also for a search field above the list. */
export function moveSelection<T>(
  press: KeyboardEvent,
  options: readonly T[],
  selected: T | null,
  onSelect: (option: T) => void,
): void {
  if (press.altKey || press.ctrlKey || press.metaKey || press.shiftKey) return;
  const at = selected === null ? -1 : options.indexOf(selected);
  const to = moves[press.key]?.(at, options.length);
  const option = to === undefined ? undefined : options[Math.min(Math.max(to, 0), options.length - 1)];
  if (option === undefined) return;
  press.preventDefault();
  onSelect(option);
}

/**
 * A list of options of which one is selected. Up, Down, Home and End move the selection. Options have two lines; in a
 * list that folds only the selected one shows its second, which needs the class `unfolds`.
 */
export function OptionList<T>({
  label,
  options,
  matches = options,
  idOf,
  nameOf,
  selected,
  onSelect,
  onEnter,
  folds = false,
  borderOf,
  ref,
  children,
}: {
  readonly label: string;
  readonly options: readonly T[];
  /**
   * The options that a search leaves; all by default. The others stay in the document, hidden, so that a wider search shows a
   * thousand of them at once.
   */
  readonly matches?: readonly T[];
  /** Stable id without spaces; it becomes part of an element's id. */
  readonly idOf: (option: T) => string;
  /** The accessible name, if it differs from the text. */
  readonly nameOf?: (option: T) => string;
  /** May be missing from the options. */
  readonly selected: T | null;
  /** Must be stable, so that only two lines render when the selection moves. */
  readonly onSelect: (option: T) => void;
  readonly onEnter?: () => void;
  readonly folds?: boolean;
  /** A text on the border above an option; null for none. */
  readonly borderOf?: ((option: T) => string | null) | undefined;
  readonly ref?: Ref<HTMLDivElement>;
  /** Renders an option. Must be stable, like `nameOf`. */
  readonly children: (option: T) => ReactNode;
}) {
  const listId = useId();
  const elementId = (option: T) => `${listId}-${idOf(option)}`;
  const matching = matches === options ? null : new Set(matches);
  return (
    <div
      ref={ref}
      role="listbox"
      aria-label={label}
      aria-activedescendant={
        selected !== null && matches.includes(selected) ? elementId(selected) : undefined
      }
      tabIndex={0}
      onKeyDown={(press) => {
        if (press.key === 'Enter' && onEnter !== undefined) {
          press.preventDefault();
          onEnter();
        } else moveSelection(press, matches, selected, onSelect);
      }}
      className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
    >
      {options.map((option) => {
        const line = (
          <Line
            key={idOf(option)}
            id={elementId(option)}
            nameOf={nameOf}
            option={option}
            isSelected={option === selected}
            isHidden={matching !== null && !matching.has(option)}
            folds={folds}
            onSelect={onSelect}
            draw={children}
          />
        );
        const border = borderOf?.(option) ?? null;
        if (border === null) return line;
        return (
          <Fragment key={idOf(option)}>
            <Border text={border} />
            {line}
          </Fragment>
        );
      })}
    </div>
  );
}

/** Where a part of the list begins. */
export function Border({ text }: { readonly text: string }) {
  return (
    <div role="presentation" className="flex items-center gap-2 px-3 pt-1 text-xs text-faint">
      {text}
      <span aria-hidden className="h-px flex-1 bg-line" />
    </div>
  );
}

interface LineProps<T> {
  readonly id: string;
  readonly nameOf: ((option: T) => string) | undefined;
  readonly option: T;
  readonly isSelected: boolean;
  readonly isHidden: boolean;
  readonly folds: boolean;
  readonly onSelect: (option: T) => void;
  readonly draw: (option: T) => ReactNode;
}

function AnyLine<T>({ id, nameOf, option, isSelected, isHidden, folds, onSelect, draw }: LineProps<T>) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isSelected && !isHidden) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected, isHidden]);
  return (
    // The keys of an option are those of its list.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      ref={element}
      id={id}
      role="option"
      hidden={isHidden}
      aria-selected={isSelected}
      aria-label={nameOf?.(option)}
      tabIndex={-1}
      onClick={() => onSelect(option)}
      className={cx(
        'border-l-2 pr-2.5 pl-3 [content-visibility:auto]',
        folds
          ? 'min-h-row py-[2px] [contain-intrinsic-size:auto_24px]'
          : 'py-[5px] [contain-intrinsic-size:auto_47px]',
        isSelected ? 'border-accent bg-hover' : 'border-transparent hover:bg-hover/60',
      )}
    >
      <Content option={option} draw={draw} />
    </div>
  );
}

const AnyContent = <T,>({ option, draw }: Pick<LineProps<T>, 'option' | 'draw'>) => <>{draw(option)}</>;

/** Is not drawn again when its line is selected or hidden. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `memo` forgets that the component is generic
const Content = memo(AnyContent) as typeof AnyContent;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `memo` forgets that the component is generic
const Line = memo(AnyLine) as typeof AnyLine;

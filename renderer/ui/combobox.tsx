import { ChevronDown } from 'lucide-react';
import { Popover as Radix } from 'radix-ui';
import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useId,
  useRef,
  useState,
} from 'react';
import { cx } from './cx.ts';
import { Input } from './field.tsx';
import { useFloatingPlace } from './floating.ts';

export interface Suggestion {
  readonly value: string;
  /** Shown instead of the value. */
  readonly label?: string;
  /** A hint at the right. */
  readonly note?: string;
}

type ComboboxProps = Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'list' | 'role' | 'ref'> & {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly suggestions: readonly Suggestion[];
  /** While typing, `narrow` shows only suggestions with a word that starts with the typed text; `show` shows all. */
  readonly whileTyping?: 'hide' | 'narrow' | 'show';
  /** Shown below the suggestions. */
  readonly footer?: ReactNode;
  readonly ref?: Ref<HTMLInputElement>;
};

/** A text input with suggestions that accepts any text. Give it an `aria-label` or put it in a `Field`. */
export function Combobox({
  value,
  onChange,
  suggestions,
  whileTyping = 'hide',
  footer,
  className,
  onKeyDown,
  onBlur,
  ...rest
}: ComboboxProps) {
  const listId = useId();
  const frame = useRef<HTMLDivElement>(null);
  const floatingPlace = useFloatingPlace();
  const [isWanted, setWanted] = useState(false);
  const [active, setActive] = useState(-1);
  const [isTyping, setTyping] = useState(false);
  const offered =
    whileTyping === 'narrow' && isTyping
      ? suggestions.filter((one) => one.value !== value && hasWord(one.value, value))
      : suggestions;
  const isOpen = isWanted && offered.length > 0 && rest.readOnly !== true && rest.disabled !== true;

  const open = () => {
    setTyping(false);
    setActive(suggestions.findIndex((one) => one.value === value));
    setWanted(true);
  };
  const choose = (chosen: string) => {
    onChange(chosen);
    setWanted(false);
  };
  const press = (key: KeyboardEvent<HTMLInputElement>) => {
    if (key.ctrlKey || key.metaKey) return;
    const at = offered[active];
    if (key.key === 'ArrowDown' || key.key === 'ArrowUp') {
      if (!isOpen) open();
      else if (key.key === 'ArrowDown') setActive((active + 1) % offered.length);
      else setActive(active <= 0 ? offered.length - 1 : active - 1);
    } else if (key.key === 'Enter' && isOpen && at !== undefined) choose(at.value);
    else if (key.key === 'Escape' && isOpen) setWanted(false);
    else return;
    key.preventDefault();
  };

  return (
    <Radix.Root open={isOpen} onOpenChange={setWanted}>
      <Radix.Anchor asChild>
        <div ref={frame} className="relative">
          <Input
            {...rest}
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={isOpen ? listId : undefined}
            aria-activedescendant={isOpen && active >= 0 ? `${listId}-${active}` : undefined}
            aria-autocomplete="list"
            value={value}
            className={cx('pr-7', className)}
            onClick={open}
            onChange={({ target }) => {
              onChange(target.value);
              setTyping(true);
              setActive(-1);
              setWanted(whileTyping === 'show' || (whileTyping === 'narrow' && target.value !== ''));
            }}
            onBlur={(blur) => {
              setWanted(false);
              onBlur?.(blur);
            }}
            onKeyDown={(key) => {
              press(key);
              onKeyDown?.(key);
            }}
          />
          <ChevronDown
            aria-hidden
            className="pointer-events-none absolute top-2 right-2 size-3.5 text-faint"
          />
        </div>
      </Radix.Anchor>
      <Radix.Portal container={floatingPlace}>
        <Radix.Content
          role="presentation"
          align="start"
          sideOffset={4}
          collisionPadding={8}
          onOpenAutoFocus={(focus) => focus.preventDefault()}
          onCloseAutoFocus={(focus) => focus.preventDefault()}
          onInteractOutside={(elsewhere) => {
            if (elsewhere.target instanceof Node && frame.current?.contains(elsewhere.target))
              elsewhere.preventDefault();
          }}
          // Keep the focus in the input on click.
          onMouseDown={(down) => down.preventDefault()}
          className="z-50 max-h-(--radix-popover-content-available-height) min-w-(--radix-popover-trigger-width) overflow-auto rounded-ui border border-line bg-raise p-1 shadow-float outline-none"
        >
          <div id={listId} role="listbox" aria-label="Suggestions">
            {offered.map((one, index) => (
              <button
                type="button"
                // Suggestions of a server may repeat.
                // oxlint-disable-next-line react/no-array-index-key
                key={index}
                id={`${listId}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={one.value === value}
                onMouseMove={() => setActive(index)}
                onClick={() => choose(one.value)}
                className={cx(
                  'flex h-[26px] w-full items-center gap-4 rounded-sm px-2',
                  index === active && 'bg-sel',
                  one.value === value && 'font-medium',
                )}
              >
                <span className="mono max-w-[60ch] truncate">{one.label ?? one.value}</span>
                {one.note !== undefined && <span className="ml-auto text-xs text-mute">{one.note}</span>}
              </button>
            ))}
          </div>
          {footer !== undefined && (
            <div className="mt-1 flex h-6 items-center gap-3 border-t border-line px-2 text-xs text-faint">
              {footer}
            </div>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Whether a word of a text such as `X-API-Key` starts with the typed text, ignoring case. */
const hasWord = (text: string, typed: string): boolean =>
  `-${text.toLowerCase()}`.includes(`-${typed.toLowerCase()}`);

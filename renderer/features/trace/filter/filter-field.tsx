import { Search, X } from 'lucide-react';
import {
  type KeyboardEvent,
  type RefObject,
  useId,
  useLayoutEffect,
  useRef,
  type ReactNode,
  useEffect,
  useState,
} from 'react';
import { call } from '#bridge';
import type { Vocabulary } from '#shared/contract/trace.ts';
import { type Completion, completeFilter } from '#shared/trace/filter/index.ts';
import { AnchoredPanel } from '#ui/anchored-panel.tsx';
import { cx } from '#ui/cx.ts';
import { useIsWide } from '#ui/use-is-wide.ts';
import { FilterText, type FilterError } from './filter-text.tsx';

const WIDE_PLACEHOLDER = 'Filter: a text, or method:tools/call -kind:stderr dur:>200ms …';
/** Pixels that the wide placeholder takes. */
const WIDE = 540;

/** The input of the filter: coloured, with completion and with its syntax error marked in place. */
export function FilterField({
  sessionId,
  text,
  error,
  onChange,
  onLeave,
  ref,
}: {
  readonly sessionId: string;
  readonly text: string;
  readonly error: FilterError | null;
  readonly onChange: (text: string) => void;
  /** The user moves on from the filter to the rows. */
  readonly onLeave: () => void;
  readonly ref: RefObject<HTMLInputElement | null>;
}) {
  const baseId = useId();
  const [frame, isWide] = useIsWide(WIDE);
  const [isHeld, hold] = useHeldWhilePressed();
  const colours = useRef<HTMLDivElement>(null);
  const completing = useCompletion(sessionId);
  const { completion, active } = completing;
  const caretWanted = useRef<number | null>(null);

  const follow = () => {
    if (colours.current && ref.current) colours.current.scrollLeft = ref.current.scrollLeft;
  };
  useLayoutEffect(() => {
    const caret = caretWanted.current;
    caretWanted.current = null;
    if (caret !== null) ref.current?.setSelectionRange(caret, caret);
  });
  // Reading `scrollLeft` forces a layout, which is expensive while rows pour in: only when the text has changed.
  useLayoutEffect(follow, [text, ref]);

  const take = (place: number) => {
    const option = completion?.options[place];
    if (completion === null || option === undefined) return;
    const next = `${text.slice(0, completion.from)}${option.insert}${text.slice(completion.to)}`;
    const caret = completion.from + option.insert.length;
    caretWanted.current = caret;
    onChange(next);
    // After a field, suggest its values.
    if (option.insert.endsWith(':')) completing.suggest(next, caret);
    else completing.stop();
  };

  const move = (step: 1 | -1) => {
    const count = completion?.options.length ?? 0;
    const first = step === 1 ? 0 : count - 1;
    completing.setActive(active === -1 ? first : (active + step + count) % count);
  };

  const onKeyDown = (press: KeyboardEvent<HTMLInputElement>) => {
    const { key, shiftKey, currentTarget } = press;
    // The key of a command, such as Export.
    if (key === 'Enter' && (press.ctrlKey || press.metaKey)) return;
    if (key === ' ' && press.ctrlKey) {
      completing.suggest(text, currentTarget.selectionStart ?? text.length);
    } else if (completion !== null && (key === 'ArrowDown' || key === 'ArrowUp')) {
      move(key === 'ArrowDown' ? 1 : -1);
    } else if (completion !== null && (key === 'Enter' || (key === 'Tab' && !shiftKey)) && active !== -1) {
      take(active);
    } else if (completion !== null && key === 'Tab' && !shiftKey && isBegun(text, completion)) {
      take(0);
    } else if (completion !== null && key === 'Escape') {
      completing.stop();
    } else if (key === 'Escape' && text !== '') {
      onChange('');
    } else if (key === 'ArrowDown' || key === 'Enter' || key === 'Escape') {
      completing.stop();
      onLeave();
    } else {
      return;
    }
    press.preventDefault();
    press.stopPropagation();
  };

  const listId = `${baseId}-list`;
  const errorId = `${baseId}-error`;
  const font = 'text-base leading-[24px] mono';
  return (
    <Suggestions
      id={listId}
      completion={completion}
      active={active}
      onActive={completing.setActive}
      onTake={take}
      error={error}
      errorId={errorId}
    >
      <div
        ref={frame}
        onBlur={hold}
        className={cx(
          'group relative flex-1 focus-within:min-w-[240px]',
          isHeld ? 'min-w-[240px]' : 'min-w-[120px]',
        )}
      >
        <Search
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-2 z-10 size-3.5 -translate-y-1/2 text-faint"
        />
        <div
          ref={colours}
          aria-hidden
          className={cx(
            font,
            // Insets, not padding, in which a long text would be drawn under the icons.
            'pointer-events-none absolute inset-y-px right-[25px] left-[29px] overflow-hidden whitespace-pre [scrollbar-width:none]',
          )}
        >
          <FilterText text={text} error={error} />
        </div>
        <input
          ref={ref}
          type="text"
          role="combobox"
          aria-label="Filter the trace"
          aria-autocomplete="list"
          aria-expanded={completion !== null}
          aria-controls={completion === null ? undefined : listId}
          aria-activedescendant={completion !== null && active !== -1 ? `${listId}-${active}` : undefined}
          aria-invalid={error !== null || undefined}
          aria-describedby={error === null ? undefined : errorId}
          placeholder={isWide ? WIDE_PLACEHOLDER : 'Filter: text or dur:>200ms'}
          value={text}
          spellCheck={false}
          autoComplete="off"
          onFocus={completing.prepare}
          onBlur={completing.stop}
          onScroll={follow}
          onChange={({ target }) => {
            onChange(target.value);
            completing.suggest(target.value, target.selectionStart ?? target.value.length);
          }}
          onKeyDown={onKeyDown}
          className={cx(
            font,
            'h-[26px] w-full pr-6 pl-7 placeholder-shown:text-ellipsis rounded-ui border bg-raise text-transparent caret-text field-focus',
            error === null ? 'border-line hover:border-line-strong' : 'border-err',
          )}
        />
        {text !== '' && (
          <button
            type="button"
            aria-label="Clear"
            onClick={() => onChange('')}
            className="absolute top-1/2 right-1 z-10 grid size-5 -translate-y-1/2 place-items-center text-faint hover:text-text"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        )}
      </div>
    </Suggestions>
  );
}

/**
 * Whether the field stays as wide as with the focus, because the press that takes the focus from it is not over. If it shrank
 * then, what is pressed would move away before the click. The second value is called when the field loses the focus.
 */
function useHeldWhilePressed(): readonly [isHeld: boolean, onBlur: () => void] {
  const isPressed = useRef(false);
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    let frame = 0;
    const press = () => {
      isPressed.current = true;
    };
    const release = () => {
      isPressed.current = false;
      // After the click, which follows at once.
      frame = requestAnimationFrame(() => setHeld(false));
    };
    addEventListener('pointerdown', press, true);
    addEventListener('pointerup', release, true);
    addEventListener('pointercancel', release, true);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('pointerdown', press, true);
      removeEventListener('pointerup', release, true);
      removeEventListener('pointercancel', release, true);
    };
  }, []);
  return [isHeld, () => setHeld(isPressed.current)];
}

/**
 * Whether there is something to complete: a part of a word, or a field without a value. Otherwise Tab leaves the input,
 * as usual.
 */
const isBegun = (text: string, { from, to }: Completion): boolean =>
  to > from || text.charAt(from - 1) === ':';

/** Below the input: suggestions for the caret position, else the syntax error. */
function Suggestions({
  id,
  completion,
  active,
  onActive,
  onTake,
  error,
  errorId,
  children,
}: {
  readonly id: string;
  readonly completion: Completion | null;
  /** The option that Enter takes; -1 for none. */
  readonly active: number;
  readonly onActive: (place: number) => void;
  readonly onTake: (place: number) => void;
  readonly error: FilterError | null;
  readonly errorId: string;
  readonly children: ReactNode;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[data-place="${active}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const panel =
    completion === null ? (
      <p id={errorId} role="status" className="px-2.5 py-1.5 text-err">
        {error?.message}
      </p>
    ) : (
      <div id={id} role="listbox" aria-label="Suggestions" className="p-1">
        {completion.options.map(({ label, hint }, place) => (
          <button
            type="button"
            key={label}
            id={`${id}-${place}`}
            data-place={place}
            role="option"
            tabIndex={-1}
            aria-selected={place === active}
            onMouseMove={() => onActive(place)}
            onClick={() => onTake(place)}
            className={cx(
              'flex h-row w-full items-center gap-4 rounded-sm px-2 text-left',
              place === active && 'bg-sel',
            )}
          >
            <span className="mono max-w-[260px] shrink-0 truncate">{label}</span>
            <span className="ml-auto truncate text-xs text-mute">{hint}</span>
          </button>
        ))}
      </div>
    );
  return (
    <AnchoredPanel
      isOpen={completion !== null || error !== null}
      panel={panel}
      panelRef={list}
      className="max-h-[320px] max-w-[560px]"
    >
      {children}
    </AnchoredPanel>
  );
}

const nothing: Vocabulary = { methods: [], tools: [], names: [], loggers: [], rules: [] };
/** Milliseconds for which a vocabulary is reused. */
const FRESH_FOR = 5000;

interface Completing {
  /** Suggestions for the caret position; null when there are none. */
  readonly completion: Completion | null;
  /** The option that Enter takes; -1 for none. */
  readonly active: number;
  readonly setActive: (place: number) => void;
  /** Shows suggestions for the caret position. */
  readonly suggest: (text: string, caret: number) => void;
  readonly stop: () => void;
  /** Fetches the vocabulary of the trace. */
  readonly prepare: () => void;
}

/** Completion while typing, with the methods, tools and names of the trace. */
function useCompletion(sessionId: string): Completing {
  const [vocabulary, setVocabulary] = useState({ words: nothing, readAt: Number.NEGATIVE_INFINITY });
  const [at, setAt] = useState<{ readonly text: string; readonly caret: number } | null>(null);
  const [active, setActive] = useState(-1);
  const completion = at === null ? null : completeFilter(at.text, at.caret, vocabulary.words);
  return {
    completion: completion !== null && completion.options.length > 0 ? completion : null,
    active,
    setActive,
    suggest: (text, caret) => {
      setActive(-1);
      setAt({ text, caret });
    },
    stop: () => setAt(null),
    prepare: () => {
      const now = performance.now();
      if (now - vocabulary.readAt < FRESH_FOR) return;
      setVocabulary({ ...vocabulary, readAt: now });
      call('trace/vocabulary', { sessionId }).then(
        (words) => setVocabulary({ words, readAt: now }),
        // Fields are completed without it.
        () => undefined,
      );
    },
  };
}

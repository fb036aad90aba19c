import { Search, X } from 'lucide-react';
import type { KeyboardEvent, Ref } from 'react';
import { cx } from './cx.ts';

/** A search or filter field. Escape clears it. */
export function SearchField({
  label,
  value,
  onChange,
  onKeyDown,
  placeholder,
  ref,
  mono,
  className,
}: {
  /** Accessible name, and the default placeholder. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onKeyDown?: (press: KeyboardEvent<HTMLInputElement>) => void;
  readonly placeholder?: string;
  readonly ref?: Ref<HTMLInputElement>;
  readonly mono?: boolean;
  readonly className?: string;
}) {
  return (
    <div className={cx('relative', className)}>
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2 size-3.5 -translate-y-1/2 text-faint"
      />
      <input
        ref={ref}
        type="text"
        role="searchbox"
        aria-label={label}
        placeholder={placeholder ?? label}
        value={value}
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={(press) => {
          if (press.key === 'Escape' && value !== '') {
            press.stopPropagation();
            onChange('');
          }
          onKeyDown?.(press);
        }}
        className={cx(
          'h-[26px] w-full rounded-ui border border-line bg-raise pr-6 pl-7 text-text field-focus hover:border-line-strong',
          mono && 'mono',
        )}
      />
      {value !== '' && (
        <button
          type="button"
          aria-label="Clear"
          onClick={() => onChange('')}
          className="absolute top-1/2 right-1 grid size-5 -translate-y-1/2 place-items-center text-faint hover:text-text"
        >
          <X aria-hidden className="size-3.5" />
        </button>
      )}
    </div>
  );
}

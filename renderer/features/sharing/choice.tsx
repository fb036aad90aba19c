import { useId } from 'react';
import { cx } from '#ui/cx.ts';

/** One of several, with a line about it. */
export function Choice({
  name,
  label,
  note,
  checked,
  disabled = false,
  onChoose,
}: {
  /** What the choices of a group have in common. */
  readonly name: string;
  readonly label: string;
  readonly note?: string | undefined;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChoose: () => void;
}) {
  const id = useId();
  return (
    <div className="flex items-start gap-2 py-0.5">
      <input
        type="radio"
        id={id}
        name={name}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        checked={checked}
        disabled={disabled}
        onChange={onChoose}
        className="mt-[3px] size-3.5 shrink-0 accent-accent outline-offset-1"
      />
      <div className="min-w-0">
        <label htmlFor={id} className={cx(disabled && 'text-faint')}>
          {label}
        </label>
        {note !== undefined && (
          <p id={`${id}-note`} className="text-xs text-faint">
            {note}
          </p>
        )}
      </div>
    </div>
  );
}

import { ChevronDown } from 'lucide-react';
import { cx } from '../cx.ts';
import { controlLook } from '../field.tsx';
import { visibleLine } from '../visible.ts';
import type { NamedControl } from './labelled.tsx';

/** A choice by its place in a list, for values that are no strings. */
export function SelectControl({
  labels,
  chosen,
  none,
  other = null,
  onChange,
  disabled = false,
  ...control
}: NamedControl & {
  readonly labels: readonly string[];
  /** -1 when nothing is chosen. */
  readonly chosen: number;
  /** What "nothing" is called; null when something must be chosen. */
  readonly none: string | null;
  /** A value that is there but is none of the list. */
  readonly other?: string | null;
  readonly onChange: (index: number | null) => void;
  readonly disabled?: boolean;
}) {
  const value = chosen >= 0 ? String(chosen) : other === null ? 'none' : 'other';
  return (
    <div className="relative">
      <select
        {...control}
        disabled={disabled}
        value={value}
        onChange={({ target }) => onChange(target.value === 'none' ? null : Number(target.value))}
        className={cx(controlLook, 'mono h-control appearance-none pr-7')}
      >
        {none !== null && <option value="none">{none}</option>}
        {other !== null && (
          <option value="other" disabled>
            {visibleLine(other)}
          </option>
        )}
        {labels.map((label, index) => (
          <option key={`${index}-${label}`} value={index}>
            {visibleLine(label)}
          </option>
        ))}
      </select>
      <ChevronDown aria-hidden className="pointer-events-none absolute top-2 right-2 size-3.5 text-faint" />
    </div>
  );
}

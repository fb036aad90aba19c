import type { ReactNode } from 'react';
import { formatCount } from '#shared/format.ts';
import { Combobox } from './combobox.tsx';
import { Field } from './field.tsx';
import { PlainText } from './plain-text.tsx';
import { visibleLine } from './visible.ts';

interface Suggestions {
  readonly values: readonly string[];
  /** How many there are in all; null if unknown. */
  readonly total: number | null;
  readonly hasMore: boolean;
  /** Why there are none. */
  readonly error: string | null;
}

/** A text field with the suggestions of a server, in its order. Any other text can be entered. */
export function SuggestedField({
  label,
  note,
  hint,
  required,
  value,
  onChange,
  suggestions,
  details,
  onFocusChange,
}: {
  readonly label: string;
  readonly note?: ReactNode;
  readonly hint?: ReactNode;
  readonly required?: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Null while there are none. */
  readonly suggestions: Suggestions | null;
  /** Shown below the suggestions at the right. */
  readonly details?: ReactNode;
  readonly onFocusChange: (hasFocus: boolean) => void;
}) {
  return (
    <Field
      label={<PlainText inline isName text={visibleLine(label)} className="mono" />}
      hint={suggestions?.error == null ? hint : <span title={suggestions.error}>no suggestions</span>}
      note={note}
      {...(required !== undefined && { required })}
    >
      {(control) => (
        <Combobox
          {...control}
          className="mono"
          value={value}
          onChange={onChange}
          whileTyping="show"
          autoComplete="off"
          spellCheck={false}
          suggestions={suggestions?.values.map((one) => ({ value: one, label: visibleLine(one) })) ?? []}
          footer={
            suggestions && (
              <>
                <span>{countOf(suggestions)}</span>
                <span className="ml-auto flex items-center gap-2">{details}</span>
              </>
            )
          }
          onFocus={() => onFocusChange(true)}
          onBlur={() => onFocusChange(false)}
        />
      )}
    </Field>
  );
}

/** `3 of 50`, `3, and more`. */
function countOf({ values, total, hasMore }: Suggestions): string {
  const count = formatCount(values.length);
  if (total !== null) return `${count} of ${formatCount(total)}`;
  return hasMore ? `${count}, and more` : count;
}

import type { ReactNode } from 'react';
import type { Variable } from '#shared/contract/servers.ts';
import { Field, SelectBox, TextField } from '#ui/field.tsx';
import { visibleLine } from '#ui/visible.ts';

/** The value of one variable of a server: a choice, if the configuration names the values that it may have. */
export function VariableInput({
  variable: { secret, description, choices, placeholder, isOptional },
  label,
  value,
  hint,
  note,
  onChange,
}: {
  readonly variable: Variable;
  readonly label: ReactNode;
  readonly value: string;
  /** Shown in the empty field, unless the configuration has an example. */
  readonly hint?: string;
  /** Shown if the configuration has no description. */
  readonly note?: string;
  readonly onChange: (value: string) => void;
}) {
  const shared = {
    label,
    hint: isOptional === true ? 'optional' : undefined,
    note: description === null ? note : visibleLine(description),
  };
  if (choices === undefined || choices.length === 0 || secret) {
    return (
      <TextField
        {...shared}
        mono
        type={secret ? 'password' : 'text'}
        autoComplete="off"
        placeholder={placeholder === undefined ? hint : visibleLine(placeholder)}
        value={value}
        onChange={onChange}
      />
    );
  }
  // A value that is not one of the choices stays until the user picks one.
  const values = ['', ...(choices.includes(value) || value === '' ? [] : [value]), ...new Set(choices)];
  const options = values.map((one) => ({ value: one, label: one === '' ? 'choose…' : one }));
  return (
    <Field {...shared}>
      {(props) => <SelectBox {...props} value={value} options={options} onChange={onChange} />}
    </Field>
  );
}

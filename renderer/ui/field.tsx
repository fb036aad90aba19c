import { ChevronDown, CircleAlert } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { cx } from './cx.ts';
import { visibleLine, visibleText } from './visible.ts';

/** Props that connect a control inside a `Field` to its label, hint and error. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
  readonly 'aria-required': boolean | undefined;
}

interface FieldProps {
  readonly label: ReactNode;
  /** A short text at the right, such as `number · 1 to 50`. */
  readonly hint?: ReactNode;
  /** A sentence under the control. */
  readonly note?: ReactNode;
  readonly required?: boolean;
  /** The error of the value, in one sentence. */
  readonly error?: string | undefined;
  readonly className?: string;
}

/** A text with nothing hidden in it: names and descriptions may come from a server or an imported file. */
const shown = (text: ReactNode): ReactNode => (typeof text === 'string' ? visibleText(text) : text);

/** A labelled control with hint, note and error. */
export function Field({
  label,
  hint,
  note,
  required,
  error,
  className,
  children,
}: FieldProps & { readonly children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const parts = [hint && `${id}-hint`, note && `${id}-note`, error && `${id}-error`].filter(Boolean);
  return (
    <div
      className={cx(
        'grid grid-cols-[minmax(0,max-content)_minmax(0,1fr)_minmax(0,max-content)] items-baseline gap-x-3',
        className,
      )}
    >
      <label htmlFor={id} className="mb-1 min-w-0 font-medium break-words">
        {shown(label)}
        {required && (
          <span aria-hidden className="text-err">
            {' *'}
          </span>
        )}
      </label>
      {hint && (
        <span id={`${id}-hint`} className="col-start-3 row-start-1 min-w-0 text-right text-xs text-faint">
          {shown(hint)}
        </span>
      )}
      <div className="col-span-3 row-start-2 min-w-0">
        {children({
          id,
          'aria-describedby': parts.length > 0 ? parts.join(' ') : undefined,
          'aria-invalid': error === undefined ? undefined : true,
          'aria-required': required,
        })}
      </div>
      {note && (
        <p
          id={`${id}-note`}
          className="beside-label-when-short col-span-3 row-start-3 mt-1 min-w-0 text-xs text-faint"
        >
          {shown(note)}
        </p>
      )}
      {error !== undefined && (
        <div className="col-span-3 row-start-4 min-w-0">
          <FieldError id={`${id}-error`}>{error}</FieldError>
        </div>
      )}
    </div>
  );
}

/** An error message below a control. */
export function FieldError({ id, children }: { readonly id?: string; readonly children: ReactNode }) {
  return (
    <p id={id} className="mt-1 flex items-start gap-1 text-xs text-err">
      <CircleAlert aria-hidden className="mt-0.5 size-3 shrink-0" />
      <span className="min-w-0 break-words">{shown(children)}</span>
    </p>
  );
}

/** Classes of a control with a border, for use outside a `Field`. */
export const controlLook =
  'w-full rounded-ui border border-line bg-raise px-2.5 text-text field-focus hover:border-line-strong disabled:opacity-50 aria-invalid:border-err';

/** A styled text input. Give it an `aria-label` or put it in a `Field`. */
export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return (
    <input
      spellCheck={false}
      autoComplete="off"
      {...rest}
      className={cx(controlLook, 'h-control', className)}
    />
  );
}

type TextFieldProps = FieldProps & { readonly mono?: boolean } & Omit<
    ComponentProps<'input'>,
    keyof FieldProps | 'onChange' | 'value'
  > & { readonly value: string; readonly onChange: (value: string) => void };

export function TextField({
  label,
  hint,
  note,
  required,
  error,
  className,
  mono,
  onChange,
  ...rest
}: TextFieldProps) {
  return (
    <Field {...asField({ label, hint, note, required, error, className })}>
      {(props) => (
        <Input
          {...rest}
          {...props}
          className={cx(mono && 'mono')}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

type TextAreaProps = FieldProps & { readonly mono?: boolean } & Omit<
    ComponentProps<'textarea'>,
    keyof FieldProps | 'onChange' | 'value'
  > & { readonly value: string; readonly onChange: (value: string) => void };

export function TextArea({
  label,
  hint,
  note,
  required,
  error,
  className,
  mono,
  onChange,
  ...rest
}: TextAreaProps) {
  return (
    <Field {...asField({ label, hint, note, required, error, className })}>
      {(props) => (
        <textarea
          rows={3}
          spellCheck={false}
          {...rest}
          {...props}
          className={cx(controlLook, 'block resize-y py-1', mono && 'mono')}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

interface Option<V extends string> {
  readonly value: V;
  readonly label: string;
}

type SelectBoxProps<V extends string> = Partial<ControlProps> & {
  readonly 'aria-label'?: string;
  readonly value: V;
  readonly options: readonly Option<V>[];
  readonly onChange: (value: V) => void;
  readonly disabled?: boolean | undefined;
  /** `small` is as high as a row. */
  readonly size?: 'normal' | 'small';
  readonly className?: string;
};

/** A styled select. Give it an `aria-label` or put it in a `Field`. */
export function SelectBox<V extends string>({
  options,
  onChange,
  size = 'normal',
  className,
  ...control
}: SelectBoxProps<V>) {
  const isSmall = size === 'small';
  return (
    <div className={cx('relative', className)}>
      <select
        {...control}
        className={cx(controlLook, 'appearance-none', isSmall ? 'h-6 pr-6 pl-2 text-sm' : 'h-control pr-7')}
        onChange={({ target }) => {
          const chosen = options.find((option) => option.value === target.value);
          if (chosen) onChange(chosen.value);
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {visibleLine(option.label)}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden
        className={cx(
          'pointer-events-none absolute size-3.5 text-faint',
          isSmall ? 'top-1.5 right-1.5' : 'top-2 right-2',
        )}
      />
    </div>
  );
}

type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'checked' | 'onChange'> & {
  readonly label: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
};

export function Checkbox({ label, checked, onChange, className, ...rest }: CheckboxProps) {
  return (
    <label className={cx('inline-flex items-start gap-2', className)}>
      <input
        type="checkbox"
        {...rest}
        checked={checked}
        className="mt-[3px] size-3.5 shrink-0 accent-accent outline-offset-1"
        onChange={({ target }) => onChange(target.checked)}
      />
      <span className="min-w-0">{shown(label)}</span>
    </label>
  );
}

/** Drops undefined members, which exact optional properties do not allow. */
function asField(field: { readonly [K in keyof FieldProps]: FieldProps[K] | undefined }): FieldProps {
  const { label, error, hint, note, required, className } = field;
  return {
    label,
    error,
    ...(hint !== undefined && { hint }),
    ...(note !== undefined && { note }),
    ...(required !== undefined && { required }),
    ...(className !== undefined && { className }),
  };
}

import type { FieldPathList } from '@rjsf/utils';
import { ChevronDown } from 'lucide-react';
import { type ReactNode, createContext, useContext } from 'react';
import { cx } from '../cx.ts';
import { type ControlProps, Field, FieldError, controlLook } from '../field.tsx';
import { PlainText } from '../plain-text.tsx';
import { visibleLine } from '../visible.ts';
import { kindLabel } from './form-schema.ts';
import type { Schema } from '#shared/json-schema/schema.ts';

interface LabelledProps {
  readonly schema: Schema;
  readonly required: boolean | undefined;
  readonly errors: readonly string[] | undefined;
  /** Whether to draw only the control, named for screen readers, as for alternatives and entries of lists. */
  readonly isBare?: boolean | undefined;
}

/** What a control needs to be named, whether by a label on screen or not. */
type NamedControl = Partial<ControlProps> & { readonly 'aria-label'?: string };

/** A control with the name, type, description and errors of its schema. */
export function Labelled({
  schema,
  required,
  errors,
  isBare,
  children,
}: LabelledProps & { readonly children: (control: NamedControl) => ReactNode }) {
  const { text, isEntry } = useFieldName();
  const error = errors === undefined || errors.length === 0 ? undefined : errors.join('; ');
  if (isBare || isEntry) {
    return (
      <div>
        {children({ 'aria-label': text, 'aria-invalid': error === undefined ? undefined : true })}
        {error !== undefined && <FieldError>{error}</FieldError>}
      </div>
    );
  }
  return (
    <Field
      label={<FieldTitle schema={schema} name={text} />}
      hint={kindLabel(schema)}
      note={descriptionOf(schema)}
      required={required ?? false}
      error={error}
    >
      {children}
    </Field>
  );
}

/** A property's own title when it has one, and always the name that is sent. */
export function FieldTitle({ schema, name }: { readonly schema: Schema; readonly name: string }) {
  const { title } = schema;
  if (typeof title !== 'string' || title === '' || sameWords(title, name)) {
    return <PlainText inline isName text={name} />;
  }
  return (
    <>
      <PlainText inline text={title} />{' '}
      <PlainText inline isName text={name} className="mono font-normal text-faint" />
    </>
  );
}

/** A description as text; nothing when there is none. */
export function descriptionOf(schema: Schema): ReactNode {
  const { description } = schema;
  return typeof description === 'string' && description !== '' ? (
    <PlainText inline text={description} />
  ) : undefined;
}

/** Generators write `maxSteps` as "Max Steps": the name alone says as much. */
const sameWords = (title: string, name: string): boolean => letters(title) === letters(name);
const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The path of the field being rendered. The form library does not pass it to widgets. */
const FieldPath = createContext<FieldPathList>([]);

export const FieldPathProvider = FieldPath.Provider;

interface FieldName {
  readonly text: string;
  /** Whether the field is an entry of a list, which has no visible label. */
  readonly isEntry: boolean;
}

export function useFieldName(): FieldName {
  const path = useContext(FieldPath);
  return { text: nameAt(path), isEntry: typeof path.at(-1) === 'number' };
}

/** Such as `steps`, `tags entry 2`, or `grid entry 1 entry 2` in a list of lists. */
function nameAt(path: FieldPathList): string {
  const last = path.at(-1);
  if (typeof last !== 'number') return last ?? 'value';
  return `${path.length > 1 ? nameAt(path.slice(0, -1)) : 'list'} entry ${last + 1}`;
}

/** A select by index, for values that are not strings. */
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
  /** Label of the empty option; null if a value is required. */
  readonly none: string | null;
  /** The current value, if it is not in the list. */
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

import type { ReactNode } from 'react';
import { type ControlProps, Field, FieldError } from '../field.tsx';
import { PlainText } from '../plain-text.tsx';
import { useFieldName } from './field-place.tsx';
import { kindLabel } from './kind-label.ts';
import type { Schema } from './schema.ts';

export interface LabelledProps {
  readonly schema: Schema;
  readonly required: boolean | undefined;
  readonly errors: readonly string[] | undefined;
  /** Draws the control alone, named for screen readers; for alternatives and entries of lists. */
  readonly isBare?: boolean | undefined;
}

/** What a control needs to be named, whether by a label on screen or not. */
export type NamedControl = Partial<ControlProps> & { readonly 'aria-label'?: string };

/** A control with the name, kind, description and problems of its part of the schema. */
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
    return <PlainText inline text={name} />;
  }
  return (
    <>
      <PlainText inline text={title} />{' '}
      <PlainText inline text={name} className="mono font-normal text-faint" />
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

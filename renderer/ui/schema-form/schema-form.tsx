import Form from '@rjsf/core/lib/components/Form.js';
import type { ErrorSchema, Experimental_DefaultFormStateBehavior } from '@rjsf/utils';
import { ErrorSchemaBuilder } from '@rjsf/utils';
import { useId, useMemo } from 'react';
import { pointerPath } from './exact-json.ts';
import { formFields } from './fields.tsx';
import { toFormSchema } from './form-schema.ts';
import { formValidator } from './form-validator.ts';
import type { Schema } from './schema.ts';
import { formTemplates } from './templates.tsx';
import type { Problem } from './validate.ts';
import { formWidgets } from './widgets.tsx';

export interface SchemaFormProps {
  /** What the server declared. */
  readonly schema: Schema;
  /** From `readJson`, so that its numbers are exact. */
  readonly value: unknown;
  /** Called with what `writeJson` writes, when the user changed something and only then. */
  readonly onChange: (value: unknown) => void;
  /** What the schema says of the value, shown beside the fields. */
  readonly problems: readonly Problem[];
}

/** The form invents nothing: every value in it was typed, or was a default put there at the start. */
const inventNothing: Experimental_DefaultFormStateBehavior = {
  emptyObjectFields: 'skipDefaults',
  constAsDefaults: 'never',
  requiredBooleanDefault: 'skip',
  arrayMinItems: { populate: 'never' },
};

/** A form for an object, made from its JSON Schema. Throws while drawing when the schema makes no form. */
export default function SchemaForm({ schema, value, onChange, problems }: SchemaFormProps) {
  const formSchema = useMemo(() => toFormSchema(schema), [schema]);
  const extraErrors = useMemo(() => toErrorSchema(problems), [problems]);
  return (
    <Form
      tagName="div"
      className="min-w-0"
      idPrefix={useId()}
      schema={formSchema}
      validator={formValidator}
      formData={value}
      extraErrors={extraErrors}
      fields={formFields}
      widgets={formWidgets}
      templates={formTemplates}
      experimental_defaultFormStateBehavior={inventNothing}
      noHtml5Validate
      showErrorList={false}
      onChange={(event, fieldId) => {
        // Without a field it is the library's own doing.
        if (fieldId !== undefined) onChange(withoutEmptied(event.formData) ?? {});
      }}
    >
      {/* In place of a button to submit. */}
      <span />
    </Form>
  );
}

/** An empty required field shows by its star; every other problem stands at its field. */
function toErrorSchema(problems: readonly Problem[]): ErrorSchema {
  const builder = new ErrorSchemaBuilder();
  for (const { at, keyword, text } of problems) {
    if (keyword !== 'required') builder.addErrors(text, pointerPath(at));
  }
  return builder.ErrorSchema;
}

/** Without objects of which every field was emptied: nothing of them is sent. */
function withoutEmptied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => withoutEmptied(entry) ?? (entry ? {} : null));
  if (typeof value !== 'object' || value === null) return value;
  const before = Object.entries(value);
  const entries = before
    .map(([key, inner]) => [key, withoutEmptied(inner)] as const)
    .filter(([, inner]) => inner !== undefined);
  return before.length > 0 && entries.length === 0 ? undefined : Object.fromEntries(entries);
}

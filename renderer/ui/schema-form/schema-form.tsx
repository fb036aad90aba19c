import { type Schema as ValidatorSchema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import Form from '@rjsf/core/lib/components/Form.js';
import {
  type ErrorSchema,
  type Experimental_DefaultFormStateBehavior,
  ErrorSchemaBuilder,
  ROOT_SCHEMA_PREFIX,
  type RJSFSchema,
  type ValidatorType,
  withIdRefPrefix,
} from '@rjsf/utils';
import { useId, useMemo } from 'react';
import type { ValidationError } from '#shared/contract/calls.ts';
import { pointerPath } from '#shared/json/pointer.ts';
import { withPlainNumbers } from './exact-json.ts';
import { formFields } from './fields.tsx';
import { toFormSchema } from './form-schema.ts';
import { inSchemaOrder } from './key-order.ts';
import { type Schema, isSchema } from '#shared/json-schema/schema.ts';
import { formTemplates } from './templates.tsx';
import { formWidgets } from './widgets.tsx';

export interface SchemaFormProps {
  /** What the server declared. */
  readonly schema: Schema;
  /** The value as `readJson` returned it, so that its numbers are exact. */
  readonly value: unknown;
  /** Called when the user changes a value, with a value for `writeJson`. */
  readonly onChange: (value: unknown) => void;
  /** Errors of the value, shown beside the fields. */
  readonly errors: readonly ValidationError[];
}

/** The form adds no values by itself: each was typed or is an initial default. */
const inventNothing: Experimental_DefaultFormStateBehavior = {
  emptyObjectFields: 'skipDefaults',
  constAsDefaults: 'never',
  requiredBooleanDefault: 'skip',
  arrayMinItems: { populate: 'never' },
};

/** A form for an object, made from its JSON Schema. Throws while rendering if the schema is not supported. */
export default function SchemaForm({ schema, value, onChange, errors }: SchemaFormProps) {
  const formSchema = useMemo(() => toFormSchema(schema), [schema]);
  const extraErrors = useMemo(() => toErrorSchema(errors), [errors]);
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
        // Changes without a field id come from the library itself.
        if (fieldId === undefined) return;
        onChange(inSchemaOrder(withoutEmptied(event.formData) ?? {}, value, schema));
      }}
    >
      {/* In place of a button to submit. */}
      <span />
    </Form>
  );
}

/** Errors by field. An empty required field is only marked by its asterisk. */
function toErrorSchema(errors: readonly ValidationError[]): ErrorSchema {
  const builder = new ErrorSchemaBuilder();
  for (const { pointer, keyword, message } of errors) {
    if (keyword !== 'required') builder.addErrors(message, pointerPath(pointer));
  }
  return builder.ErrorSchema;
}

/** Removes objects whose fields were all cleared. */
function withoutEmptied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => withoutEmptied(entry) ?? (entry ? {} : null));
  if (typeof value !== 'object' || value === null) return value;
  const before = Object.entries(value);
  const entries = before
    .map(([key, inner]) => [key, withoutEmptied(inner)] as const)
    .filter(([, inner]) => inner !== undefined);
  return before.length > 0 && entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/**
 * What the form library asks while it draws: which alternative fits the arguments at hand. The schemas it gives
 * are form schemas, which hold no regular expressions, so this may run on the page. The engine validates
 * against the server's own schema, and the errors it finds come from outside.
 */
export const formValidator: ValidatorType = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({ errors: [] }),
  isValid(schema, value, rootSchema) {
    try {
      const validator = new Validator(copyOf(schema), draftOf(rootSchema));
      validator.addSchema(copyOf(rootSchema), ROOT_SCHEMA_PREFIX);
      return validator.validate(value === undefined ? null : withPlainNumbers(value)).valid;
    } catch {
      // An unusable schema matches nothing; the error is shown beside the form.
      return false;
    }
  },
};

/** Copies a schema, because the validator writes into it, with references into the root schema. */
function copyOf(schema: RJSFSchema): ValidatorSchema {
  const copy: unknown = withIdRefPrefix(structuredClone(schema));
  return isSchema(copy) ? copy : {};
}

/** The draft of a form schema; 2020-12 if it names none. */
function draftOf({ $schema }: RJSFSchema): SchemaDraft {
  // What a server wrote may be of any type.
  const name: unknown = $schema;
  if (typeof name !== 'string') return '2020-12';
  return drafts.find(([part]) => name.includes(part))?.[1] ?? '2020-12';
}

const drafts: readonly (readonly [part: string, draft: SchemaDraft])[] = [
  ['draft-04', '4'],
  ['draft-06', '7'],
  ['draft-07', '7'],
  ['2019-09', '2019-09'],
];

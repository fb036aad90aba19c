import getDefaultRegistry from '@rjsf/core/lib/getDefaultRegistry.js';
import type { FieldProps, RegistryFieldsType, RJSFSchema } from '@rjsf/utils';
import { useState } from 'react';
import { Plus } from 'lucide-react';
import { Button } from '../button.tsx';
import { cx } from '../cx.ts';
import { controlLook } from '../field.tsx';
import { readJson, writeJson } from './exact-json.ts';
import { useFieldName, Labelled, SelectControl } from './field-parts.tsx';
import { initialValue } from './initial-value.ts';
import { kindLabel } from './form-schema.ts';
import { isSchema, type Schema, schemasOf } from '#shared/json-schema/schema.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** Renders numbers with the text widget, which keeps their digits. */
function NumberField(props: FieldProps) {
  const { StringField } = props.registry.fields;
  return StringField === undefined ? null : <StringField {...props} />;
}

/** Edits a value without described fields as JSON. Invalid JSON is sent as a string. */
function JsonField({
  schema,
  formData,
  onChange,
  fieldPathId,
  required,
  rawErrors,
  disabled,
  uiSchema,
}: FieldProps) {
  const [typed, setTyped] = useState(formData === undefined ? '' : writeJson(formData));
  const read = readJson(typed);
  const change = (text: string) => {
    setTyped(text);
    const next = readJson(text);
    onChange(text.trim() === '' ? undefined : next.ok ? next.value : text, fieldPathId.path);
  };
  return (
    <Labelled
      schema={schema}
      required={required}
      errors={rawErrors}
      isBare={uiSchema?.['ui:label'] === false}
    >
      {(control) => (
        <>
          <textarea
            {...control}
            rows={1}
            spellCheck={false}
            disabled={disabled}
            placeholder="JSON"
            value={typed}
            onChange={({ target }) => change(target.value)}
            className={cx(
              controlLook,
              'mono block min-h-control max-h-60 resize-y py-[4.5px] [field-sizing:content]',
            )}
          />
          {typed.trim() !== '' && !read.ok && (
            <p className="mt-1 text-xs text-faint">Not JSON: sent as the text it is.</p>
          )}
        </>
      )}
    </Labelled>
  );
}

const { ArrayField: LibraryListField } = getDefaultRegistry().fields;

/** A list. The library has no way to add the entries that a tuple describes. */
function ListField(props: FieldProps) {
  const { schema, formData, onChange, fieldPathId, registry, disabled } = props;
  const { text } = useFieldName();
  const described = Array.isArray(schema.items) ? schemasOf(schema.items) : [];
  const entries: readonly unknown[] = Array.isArray(formData) ? formData : [];
  const missing = described.slice(entries.length);
  return (
    <div className="flex flex-col gap-2">
      {LibraryListField && <LibraryListField {...props} />}
      {missing.length > 0 && (
        <Button
          size="small"
          variant="quiet"
          className="ml-3 self-start"
          disabled={disabled}
          aria-label={`Add the entries of ${text}`}
          icon={<Plus aria-hidden className="size-3.5" />}
          onClick={() =>
            onChange(
              [...entries, ...missing.map((entry) => entryOf(entry, registry.rootSchema))],
              fieldPathId.path,
            )
          }
        >
          Add the {missing.length === 1 ? 'entry' : 'entries'}
        </Button>
      )}
    </div>
  );
}

/** What an entry starts with: a list has no entries that are not sent. */
const entryOf = (schema: Schema, root: Schema): unknown =>
  initialValue(schema, root) ?? { string: '', object: {}, array: [] }[String(schema.type)] ?? null;

/** A select between several schemas, and the fields of the selected one. */
function AlternativesField(props: FieldProps) {
  const { schema, formData, onChange, fieldPathId, registry, required, rawErrors, disabled, uiSchema } =
    props;
  const { text } = useFieldName();
  const options: readonly RJSFSchema[] = (Array.isArray(props.options) ? props.options : []).filter(isSchema);
  const [picked, setPicked] = useState<number | null>(null);
  const fitting =
    formData === undefined
      ? required
        ? 0
        : -1
      : registry.schemaUtils.getClosestMatchingOption(formData, [...options], 0);
  const chosen = picked ?? fitting;
  const option = options[chosen];
  const { SchemaField } = registry.fields;
  return (
    <div className="flex flex-col gap-2">
      <Labelled
        schema={schema}
        required={required}
        errors={rawErrors}
        isBare={uiSchema?.['ui:label'] === false}
      >
        {(control) => (
          <SelectControl
            {...control}
            aria-label={`${text} alternative`}
            disabled={disabled ?? false}
            labels={options.map((one, index) => alternativeLabel(one, index))}
            chosen={chosen}
            none={required ? null : 'not sent'}
            onChange={(index) => {
              setPicked(index ?? -1);
              const next = index === null ? undefined : options[index];
              onChange(next && startOf(next, formData, registry.rootSchema), fieldPathId.path);
            }}
          />
        )}
      </Labelled>
      {option !== undefined && option.type !== 'null' && SchemaField !== undefined && (
        <div className="border-l border-line pl-3">
          <SchemaField
            {...props}
            key={chosen}
            schema={withoutHeading(option, schema)}
            uiSchema={{ 'ui:label': false }}
            rawErrors={[]}
          />
        </div>
      )}
    </div>
  );
}

/** The initial value of an alternative: its defaults and constants, and entered values of shared properties. */
function startOf(option: Schema, before: unknown, root: Schema): unknown {
  const start = option.type === 'null' ? null : initialValue({ ...option, required: namesOf(option) }, root);
  if (!isObject(option.properties) || !isObject(before)) return start;
  const own = isObject(start) ? start : {};
  const shared = Object.entries(before).filter(
    ([name]) => isObject(option.properties) && name in option.properties && !(name in own),
  );
  return { ...own, ...Object.fromEntries(shared) };
}

/** Constants distinguish alternatives, so all of them are filled in, even optional ones. */
const namesOf = (option: Schema): string[] =>
  isObject(option.properties) ? Object.keys(option.properties) : [];

function alternativeLabel(option: Schema, index: number): string {
  if (typeof option.title === 'string' && option.title !== '') return option.title;
  const constants = Object.values(isObject(option.properties) ? option.properties : {}).flatMap((property) =>
    isSchema(property) && property.const !== undefined ? [JSON.stringify(property.const)] : [],
  );
  return constants.length > 0 ? constants.join(' ') : kindLabel(option) || `alternative ${index + 1}`;
}

/** The alternative without a heading, with the type and required names of its parent. */
const withoutHeading = (option: Schema, parent: Schema): Schema => ({
  ...(parent.type !== undefined && { type: parent.type }),
  ...(parent.required !== undefined && { required: parent.required }),
  ...option,
  title: undefined,
  description: undefined,
});

export const formFields: RegistryFieldsType = {
  NumberField,
  ArrayField: ListField,
  FallbackField: JsonField,
  AnyOfField: AlternativesField,
  OneOfField: AlternativesField,
};

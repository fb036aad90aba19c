import {
  ADDITIONAL_PROPERTY_FLAG,
  type ArrayFieldItemTemplateProps,
  type ArrayFieldTemplateProps,
  canExpand,
  type CyclicSchemaExpandProps,
  type FieldTemplateProps,
  type ObjectFieldTemplateProps,
  type TemplatesType,
  type UnsupportedFieldProps,
} from '@rjsf/utils';
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from '../button.tsx';
import { Input } from '../field.tsx';
import { PlainText } from '../plain-text.tsx';
import { FieldPathProvider, useFieldName, descriptionOf, FieldTitle } from './field-parts.tsx';
import { kindLabel } from './form-schema.ts';
import type { Schema } from '#shared/json-schema/schema.ts';

/** A template that only provides the path, because widgets render their own labels. */
function FieldTemplate(props: FieldTemplateProps) {
  const { fieldPathId, hidden, schema, children } = props;
  if (hidden) return null;
  const isExtra = ADDITIONAL_PROPERTY_FLAG in schema;
  return (
    <FieldPathProvider value={fieldPathId.path}>
      {isExtra ? <ExtraProperty {...props} /> : children}
    </FieldPathProvider>
  );
}

/** A property whose name the user chooses. */
function ExtraProperty({ label, children, onKeyRenameBlur, onRemoveProperty, disabled }: FieldTemplateProps) {
  return (
    <div className="grid grid-cols-[minmax(80px,2fr)_minmax(0,3fr)_auto] items-end gap-2">
      <Input
        aria-label="Name"
        className="mono"
        defaultValue={label}
        disabled={disabled}
        onBlur={onKeyRenameBlur}
      />
      <div className="min-w-0">{children}</div>
      <IconButton label={`Remove ${label}`} disabled={disabled} onClick={onRemoveProperty}>
        <Trash2 aria-hidden className="size-3.5" />
      </IconButton>
    </div>
  );
}

function ObjectFieldTemplate(props: ObjectFieldTemplateProps) {
  const { schema, properties, fieldPathId, uiSchema, formData, onAddProperty, disabled, required, title } =
    props;
  const isRoot = fieldPathId.path.length === 0;
  const isOnlyAlternatives = properties.length === 0 && (schema.oneOf ?? schema.anyOf) !== undefined;
  if (isOnlyAlternatives) return null;
  const body = (
    <div className="closer-when-short flex flex-col gap-3">
      {properties.map(({ content }) => content)}
      {canExpand(schema, uiSchema, formData) && (
        <AddButton label="Add a property" onClick={onAddProperty} disabled={disabled} />
      )}
    </div>
  );
  return isRoot || title === '' ? (
    body
  ) : (
    <Group schema={schema} required={required}>
      {body}
    </Group>
  );
}

/** Fields under a common heading. */
function Group({
  schema,
  required,
  children,
}: {
  readonly schema: Schema;
  readonly required: boolean | undefined;
  readonly children: ReactNode;
}) {
  const { text, isEntry } = useFieldName();
  const description = descriptionOf(schema);
  return (
    <fieldset className="min-w-0" aria-label={text}>
      {!isEntry && (
        <div className="mb-1 flex items-baseline justify-between gap-3">
          <span className="min-w-0 font-medium break-words">
            <FieldTitle schema={schema} name={text} />
            {required && (
              <span aria-hidden className="text-err">
                {' *'}
              </span>
            )}
          </span>
          <span className="shrink-0 text-xs text-faint">{kindLabel(schema)}</span>
        </div>
      )}
      {description && <p className="mb-1.5 text-xs text-faint">{description}</p>}
      <div className="border-l border-line pl-3">{children}</div>
    </fieldset>
  );
}

function ArrayFieldTemplate({
  items,
  canAdd,
  onAddClick,
  schema,
  required,
  disabled,
}: ArrayFieldTemplateProps) {
  return (
    <Group schema={schema} required={required}>
      <div className="flex flex-col gap-2">
        {items}
        {canAdd && <AddButton label="Add an entry" onClick={onAddClick} disabled={disabled} />}
      </div>
    </Group>
  );
}

function ArrayFieldItemTemplate({ children, buttonsProps, hasToolbar, index }: ArrayFieldItemTemplateProps) {
  const { hasMoveUp, hasMoveDown, hasRemove, onMoveUpItem, onMoveDownItem, onRemoveItem, disabled } =
    buttonsProps;
  const nth = index + 1;
  return (
    <div className="flex items-start gap-1">
      <span aria-hidden className="mono w-5 shrink-0 pt-1 text-xs text-faint">
        {index}
      </span>
      <div className="min-w-0 flex-1">{children}</div>
      {hasToolbar && (
        <div className="flex shrink-0">
          <IconButton label={`Move entry ${nth} up`} disabled={disabled || !hasMoveUp} onClick={onMoveUpItem}>
            <ArrowUp aria-hidden className="size-3.5" />
          </IconButton>
          <IconButton
            label={`Move entry ${nth} down`}
            disabled={disabled || !hasMoveDown}
            onClick={onMoveDownItem}
          >
            <ArrowDown aria-hidden className="size-3.5" />
          </IconButton>
          <IconButton label={`Remove entry ${nth}`} disabled={disabled || !hasRemove} onClick={onRemoveItem}>
            <Trash2 aria-hidden className="size-3.5" />
          </IconButton>
        </div>
      )}
    </div>
  );
}

function AddButton({
  label,
  onClick,
  disabled,
}: {
  readonly label: string;
  readonly onClick: (event?: unknown) => void;
  readonly disabled: boolean | undefined;
}) {
  const { text } = useFieldName();
  return (
    <Button
      size="small"
      variant="quiet"
      className="self-start"
      disabled={disabled}
      aria-label={`${label} to ${text}`}
      icon={<Plus aria-hidden className="size-3.5" />}
      onClick={onClick}
    >
      {label}
    </Button>
  );
}

/** Expands a recursive schema on demand. */
function CyclicSchemaExpandTemplate({ name, fieldPathId, onExpand }: CyclicSchemaExpandProps) {
  return (
    <Button size="small" variant="quiet" className="self-start" onClick={() => onExpand(fieldPathId.$id)}>
      Fill in {name}…
    </Button>
  );
}

function UnsupportedFieldTemplate({ reason }: UnsupportedFieldProps) {
  return <PlainText className="text-xs text-warn" text={`Only JSON can write this part: ${reason}`} />;
}

const Nothing = () => null;

export const formTemplates: Partial<Omit<TemplatesType, 'ButtonTemplates'>> = {
  FieldTemplate,
  ObjectFieldTemplate,
  ArrayFieldTemplate,
  ArrayFieldItemTemplate,
  CyclicSchemaExpandTemplate,
  UnsupportedFieldTemplate,
  // Widgets and groups render these themselves.
  DescriptionFieldTemplate: Nothing,
  TitleFieldTemplate: Nothing,
  FieldErrorTemplate: Nothing,
  FieldHelpTemplate: Nothing,
  ErrorListTemplate: Nothing,
};

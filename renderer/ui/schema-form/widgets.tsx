import type { RegistryWidgetsType, WidgetProps } from '@rjsf/utils';
import { Checkbox, controlLook } from '../field.tsx';
import { cx } from '../cx.ts';
import { Segmented } from '../segmented.tsx';
import { digitsOf, isNumberText, numberOf, writeJson } from './exact-json.ts';
import { useFieldName, Labelled, SelectControl } from './field-parts.tsx';
import { typesOf } from '#shared/json-schema/schema.ts';

/** A value as the text of a field; objects and lists as JSON. */
function fieldText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? (digitsOf(value) ?? value) : writeJson(value, 0);
}

/**
 * Text and numbers. An invalid number is sent as a string, to test the server. A one-line text area, because an input
 * drops pasted line breaks.
 */
function TextWidget(props: WidgetProps) {
  const { schema, value, onChange, required, rawErrors, hideLabel, disabled } = props;
  if (schema.const !== undefined) {
    const only = { value: schema.const, label: fieldText(schema.const) };
    return <ChoiceWidget {...props} options={{ enumOptions: [only] }} />;
  }
  const isNumber = typesOf(schema).some((type) => type === 'number' || type === 'integer');
  const parse = (text: string) => {
    if (text === '') return required && !isNumber ? '' : undefined;
    return isNumber && isNumberText(text) ? numberOf(text) : text;
  };
  const [example] = Array.isArray(schema.examples) ? schema.examples : [];
  const placeholder =
    value === null ? 'null' : example === undefined ? undefined : `e.g. ${fieldText(example)}`;
  return (
    <Labelled schema={schema} required={required} errors={rawErrors} isBare={hideLabel}>
      {(control) => (
        <textarea
          {...control}
          rows={1}
          spellCheck={false}
          disabled={disabled}
          placeholder={placeholder}
          inputMode={isNumber ? 'decimal' : undefined}
          value={fieldText(value)}
          onChange={({ target }) => onChange(parse(target.value))}
          className={cx(
            controlLook,
            'mono block min-h-control max-h-60 resize-none py-[4.5px] [field-sizing:content]',
          )}
        />
      )}
    </Labelled>
  );
}

const unset = { id: 'unset', label: 'not sent' } as const;
const yes = { id: 'true', label: 'true' } as const;
const no = { id: 'false', label: 'false' } as const;

/** True, false, or omitted, which a server may treat differently from false. */
function BooleanWidget({ schema, value, onChange, required, rawErrors, hideLabel, disabled }: WidgetProps) {
  const { text } = useFieldName();
  const known = value === true ? yes : value === false ? no : unset;
  const isOther = value !== undefined && known === unset;
  return (
    <Labelled schema={schema} required={required} errors={rawErrors} isBare={hideLabel}>
      {({ id, 'aria-describedby': describedBy }) => (
        <div id={id} aria-describedby={describedBy}>
          <Segmented
            label={text}
            value={isOther ? 'other' : known.id}
            onChange={(picked) => onChange(picked === 'true' ? true : picked === 'false' ? false : undefined)}
            options={[
              ...(isOther ? [{ id: 'other', label: writeJson(value, 0), disabled: true }] : []),
              ...[unset, yes, no].map((option) => ({ ...option, disabled: disabled ?? false })),
            ]}
          />
        </div>
      )}
    </Labelled>
  );
}

/** One of a list of values, or several of them. */
function ChoiceWidget(props: WidgetProps) {
  const { schema, value, onChange, required, rawErrors, hideLabel, disabled, multiple, options } = props;
  const choices = options.enumOptions ?? [];
  const isChosen = (choice: unknown) => JSON.stringify(choice) === JSON.stringify(value);
  const chosen = choices.findIndex((choice) => isChosen(choice.value));
  if (multiple) return <ChoicesWidget {...props} />;
  return (
    <Labelled schema={schema} required={required} errors={rawErrors} isBare={hideLabel}>
      {(control) => (
        <SelectControl
          {...control}
          disabled={disabled ?? false}
          labels={choices.map(({ label }) => label)}
          chosen={chosen}
          other={value === undefined || chosen >= 0 ? null : `${writeJson(value, 0)} (not in the list)`}
          none={required ? 'choose…' : 'not sent'}
          onChange={(index) => onChange(index === null ? undefined : choices[index]?.value)}
        />
      )}
    </Labelled>
  );
}

function ChoicesWidget({ schema, value, onChange, required, rawErrors, disabled, options }: WidgetProps) {
  const choices = options.enumOptions ?? [];
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <Labelled schema={schema} required={required} errors={rawErrors}>
      {({ id }) => (
        <fieldset id={id} className="flex flex-wrap gap-x-4 gap-y-1">
          {choices.map(({ label, value: choice }) => (
            <Checkbox
              key={label}
              label={label}
              disabled={disabled}
              checked={chosen.includes(choice)}
              onChange={(isOn) => {
                const others = chosen.filter((other) => other !== choice);
                onChange(isOn ? [...others, choice] : others);
              }}
            />
          ))}
        </fieldset>
      )}
    </Labelled>
  );
}

export const formWidgets: RegistryWidgetsType = {
  TextWidget,
  TextareaWidget: TextWidget,
  SelectWidget: ChoiceWidget,
  CheckboxWidget: BooleanWidget,
  CheckboxesWidget: ChoicesWidget,
};

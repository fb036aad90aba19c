import type { Timeouts } from '#shared/contract/servers.ts';
import { TextArea, TextField } from '#ui/field.tsx';
import type { Draft } from './draft/draft.ts';
import type { FieldProps } from './field-props.ts';

export function NameField({
  draft,
  errors,
  change,
  judge,
  suggestion,
}: FieldProps<Draft> & { readonly suggestion: string }) {
  return (
    <TextField
      label="Name"
      hint="how it is listed"
      placeholder={suggestion}
      value={draft.name}
      error={errors.name}
      onChange={(name) => change({ name })}
      onBlur={() => judge('name')}
    />
  );
}

export function NotesField({ draft, errors, change, judge }: FieldProps<Draft>) {
  return (
    <TextArea
      label="Notes"
      hint="for you alone"
      rows={2}
      value={draft.notes}
      error={errors.notes}
      onChange={(notes) => change({ notes })}
      onBlur={() => judge('notes')}
    />
  );
}

const timeoutFields: readonly { readonly name: keyof Timeouts; readonly label: string }[] = [
  { name: 'initialize', label: 'Handshake' },
  { name: 'request', label: 'Without progress' },
  { name: 'requestMax', label: 'At most' },
];

export function TimeoutFields({ draft, errors, change, judge }: FieldProps<Draft>) {
  return (
    <fieldset>
      <legend className="mb-1 flex w-full items-baseline justify-between font-medium">
        Timeouts <span className="text-xs font-normal text-faint">seconds</span>
      </legend>
      <div className="grid grid-cols-3 items-start gap-3">
        {timeoutFields.map(({ name, label }) => (
          <TextField
            key={name}
            label={<span className="font-normal text-mute">{label}</span>}
            mono
            inputMode="decimal"
            value={draft.timeouts[name]}
            error={errors[`timeouts.${name}`]}
            onChange={(seconds) => change({ timeouts: { ...draft.timeouts, [name]: seconds } })}
            onBlur={() => judge(`timeouts.${name}`)}
          />
        ))}
      </div>
    </fieldset>
  );
}

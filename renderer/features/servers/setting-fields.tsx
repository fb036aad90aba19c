import type { Timeouts } from '#shared/contract/servers.ts';
import { revisions } from '#shared/protocol/revisions.ts';
import { Select, TextArea, TextField } from '#ui/field.tsx';
import { type Draft, type DraftErrors, nameFrom } from './draft.ts';
import { splitCommandLine } from '#model/command-line.ts';

/** What every part of the form takes. */
export interface FieldsProps {
  readonly draft: Draft;
  readonly errors: DraftErrors;
  readonly change: (part: Partial<Draft>) => void;
  /** Looks at a field when it is left. */
  readonly judge: (place: string) => void;
}

export function NameField({ draft, errors, change, judge }: FieldsProps) {
  const [command = '', ...args] = splitCommandLine(draft.commandLine).words;
  return (
    <TextField
      label="Name"
      hint="how it is listed"
      placeholder={nameFrom(command, args)}
      value={draft.name}
      error={errors.name}
      onChange={(name) => change({ name })}
      onBlur={() => judge('name')}
    />
  );
}

export function WorkingFolderField({ draft, errors, change, judge }: FieldsProps) {
  return (
    <TextField
      mono
      label="Working folder"
      placeholder="your home folder"
      value={draft.cwd}
      error={errors.cwd}
      onChange={(cwd) => change({ cwd })}
      onBlur={() => judge('cwd')}
    />
  );
}

export function NotesField({ draft, errors, change, judge }: FieldsProps) {
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

const revisionOptions = [
  { value: 'newest', label: 'newest' },
  ...revisions
    .filter(({ era }) => era === 'legacy')
    .map(({ id }) => ({ value: id as string, label: id as string }))
    .reverse(),
  { value: 'other', label: 'other…' },
];

export function RevisionField({ draft, errors, change, judge }: FieldsProps) {
  return (
    <div className="grid grid-cols-2 items-start gap-3">
      <Select
        label="Protocol revision"
        hint="asked for first"
        value={draft.revisionChoice}
        options={revisionOptions}
        onChange={(revisionChoice) => change({ revisionChoice })}
      />
      {draft.revisionChoice === 'other' && (
        <TextField
          mono
          label="Other revision"
          hint="any text"
          required
          value={draft.otherRevision}
          error={errors.otherRevision}
          onChange={(otherRevision) => change({ otherRevision })}
          onBlur={() => judge('otherRevision')}
        />
      )}
    </div>
  );
}

const timeoutFields: readonly { readonly name: keyof Timeouts; readonly label: string }[] = [
  { name: 'initialize', label: 'Handshake' },
  { name: 'request', label: 'Without progress' },
  { name: 'requestMax', label: 'At most' },
];

export function TimeoutFields({ draft, errors, change, judge }: FieldsProps) {
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

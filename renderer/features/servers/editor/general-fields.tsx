import type { Timeouts, EraChoice, KeepAlive } from '#shared/contract/servers.ts';
import { eraOf, newestLegacyRevision, newestModernRevision, revisions } from '#shared/protocol/revisions.ts';
import { Combobox, type Suggestion } from '#ui/combobox.tsx';
import { Checkbox, TextArea, TextField, Field } from '#ui/field.tsx';
import type { Draft } from '../draft/draft.ts';
import { type FieldProps, Choice, type Option } from './form-parts.tsx';

export function NameField({
  draft,
  errors,
  change,
  validate,
  suggestion,
}: FieldProps<Draft> & { readonly suggestion: string }) {
  return (
    <div data-takes-configuration>
      <TextField
        label="Name"
        hint="as shown in the list"
        placeholder={suggestion}
        value={draft.name}
        error={errors.name}
        onChange={(name) => change({ name })}
        onBlur={() => validate('name')}
      />
    </div>
  );
}

export function StartField({ draft, change }: Pick<FieldProps<Draft>, 'draft' | 'change'>) {
  return (
    <Checkbox
      label={
        <>
          Connect at start{' '}
          <span className="block text-xs text-faint">
            Whenever Sightglass starts, once you have approved its command or variables.
          </span>
        </>
      }
      checked={draft.connectsAtStart}
      onChange={(connectsAtStart) => change({ connectsAtStart })}
    />
  );
}

export function NotesField({ draft, errors, change, validate }: FieldProps<Draft>) {
  return (
    <TextArea
      label="Notes"
      hint="only for you"
      rows={2}
      value={draft.notes}
      error={errors.notes}
      onChange={(notes) => change({ notes })}
      onBlur={() => validate('notes')}
    />
  );
}

const timeoutFields: readonly { readonly name: keyof Timeouts; readonly label: string }[] = [
  { name: 'initialize', label: 'Handshake' },
  { name: 'request', label: 'No progress' },
  { name: 'requestMax', label: 'At most' },
];

export function TimeoutFields({ draft, errors, change, validate }: FieldProps<Draft>) {
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
            onBlur={() => validate(`timeouts.${name}`)}
          />
        ))}
      </div>
    </fieldset>
  );
}

const eras: readonly Option<EraChoice>[] = [
  {
    id: 'auto',
    label: 'auto',
    does: 'Tries server/discover first, then initialize.',
  },
  {
    id: 'legacy',
    label: 'legacy',
    does: `Starts with initialize: revisions up to ${newestLegacyRevision}.`,
  },
  {
    id: 'modern',
    label: 'modern',
    does: `No handshake and no probe; every request names its revision, ${newestModernRevision}.`,
  },
];

export function EraField({ draft, change }: Pick<FieldProps<Draft>, 'draft' | 'change'>) {
  const isSse = draft.kind === 'http' && draft.http.transport === 'http-sse';
  return (
    <Choice
      label="Era"
      value={draft.era}
      options={eras}
      note={isSse && draft.era !== 'legacy' ? 'HTTP+SSE has only the legacy era.' : undefined}
      onChange={(era) => change({ era })}
    />
  );
}

const newestOf: Readonly<Record<EraChoice, string>> = {
  auto: `${newestModernRevision}, or ${newestLegacyRevision}`,
  legacy: newestLegacyRevision,
  modern: newestModernRevision,
};

/** The revision to request. Accepts any text, to see how the server responds. */
export function RevisionField({ draft, errors, change, validate }: FieldProps<Draft>) {
  const known: readonly Suggestion[] = [...revisions]
    .reverse()
    .filter(({ era }) => draft.era === 'auto' || era === draft.era)
    .map(({ id, era }) => ({ value: id, note: era }));
  return (
    <Field
      label="Revision"
      hint="requested"
      note={revisionNote(draft)}
      {...(errors.revision !== undefined && { error: errors.revision })}
    >
      {(control) => (
        <Combobox
          {...control}
          className="mono"
          placeholder="newest"
          value={draft.revision}
          suggestions={[{ value: '', label: 'newest', note: newestOf[draft.era] }, ...known]}
          onChange={(revision) => change({ revision })}
          onBlur={() => validate('revision')}
        />
      )}
    </Field>
  );
}

/** Explains the entered revision, or the default. */
function revisionNote({ revision, era }: Draft): string {
  const text = revision.trim();
  if (text === '') return `The newest: ${newestOf[era]}.`;
  const itsEra = eraOf(text);
  if (itsEra === null) return 'Not a revision this app knows; it is sent as you wrote it.';
  if (era === 'modern' && itsEra === 'legacy') return 'A revision of the legacy era; it is sent anyway.';
  if (era === 'legacy' && itsEra === 'modern') return 'This revision has no initialize; it is sent anyway.';
  if (era === 'auto' && itsEra === 'legacy') return 'It has initialize, so no probe is sent.';
  return `A revision of the ${itsEra} era.`;
}

const reactions: readonly Option<KeepAlive['onSilence']>[] = [
  { id: 'warn', label: 'warn', does: 'A warning in the status bar; the session goes on.' },
  { id: 'reconnect', label: 'reconnect', does: 'Ends the session and starts a new one.' },
];

/** Whether `ping` is sent automatically, and what happens when it is not answered. */
export function KeepAliveFields({ draft, errors, change, validate }: FieldProps<Draft>) {
  const { keepAlive } = draft;
  const isOff = keepAlive.every.trim() === '';
  const set = (part: Partial<Draft['keepAlive']>) => change({ keepAlive: { ...keepAlive, ...part } });
  return (
    <fieldset>
      <legend className="mb-1 flex w-full items-baseline justify-between gap-3 font-medium">
        Keep-alive{' '}
        <span className="text-xs font-normal text-faint">legacy era only: the modern era has no ping</span>
      </legend>
      <div className="grid grid-cols-2 items-start gap-3">
        <TextField
          label={<span className="font-normal text-mute">Ping every</span>}
          hint="seconds"
          mono
          inputMode="decimal"
          placeholder="never"
          value={keepAlive.every}
          error={errors['keepAlive.every']}
          onChange={(every) => set({ every })}
          onBlur={() => validate('keepAlive.every')}
        />
        <Choice
          label="After 3 unanswered"
          isPart
          value={keepAlive.onSilence}
          options={reactions.map((reaction) => ({ ...reaction, disabled: isOff }))}
          note={isOff ? 'No pings are sent automatically.' : undefined}
          onChange={(onSilence) => set({ onSilence })}
        />
      </div>
    </fieldset>
  );
}

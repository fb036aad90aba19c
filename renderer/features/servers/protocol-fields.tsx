import type { EraChoice } from '#shared/contract/servers.ts';
import { eraOf, newestLegacyRevision, newestModernRevision, revisions } from '#shared/protocol/revisions.ts';
import { Combobox, type Suggestion } from '#ui/combobox.tsx';
import { Field } from '#ui/field.tsx';
import { Choice, type Option } from './choice.tsx';
import type { Draft } from './draft/draft.ts';
import type { FieldProps } from './field-props.ts';

const eras: readonly Option<EraChoice>[] = [
  {
    id: 'auto',
    label: 'auto',
    does: 'Asks server/discover first; initialize follows when that finds nothing.',
  },
  {
    id: 'legacy',
    label: 'legacy',
    does: `Begins with initialize: revisions up to ${newestLegacyRevision}.`,
  },
  {
    id: 'modern',
    label: 'modern',
    does: `No handshake and no probe; every request says its revision, ${newestModernRevision}.`,
  },
];

/** How the session begins. */
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

/** Which revision we ask the server for. Any text will do, to see how the server answers to it. */
export function RevisionField({ draft, errors, change, judge }: FieldProps<Draft>) {
  const known: readonly Suggestion[] = [...revisions]
    .reverse()
    .filter(({ era }) => draft.era === 'auto' || era === draft.era)
    .map(({ id, era }) => ({ value: id, note: era }));
  return (
    <Field
      label="Revision"
      hint="what we ask the server for"
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
          onBlur={() => judge('revision')}
        />
      )}
    </Field>
  );
}

/** What one should know of the revision that was written; what is usual when none was. */
function revisionNote({ revision, era }: Draft): string {
  const text = revision.trim();
  if (text === '') return `The newest: ${newestOf[era]}.`;
  const itsEra = eraOf(text);
  if (itsEra === null) return 'Not a revision this app knows; it is sent as you wrote it.';
  if (era === 'modern' && itsEra === 'legacy')
    return 'A revision of the legacy era; it is sent all the same.';
  if (era === 'legacy' && itsEra === 'modern')
    return 'This revision has no initialize; it is sent all the same.';
  if (era === 'auto' && itsEra === 'legacy') return 'It has initialize, so no probe is sent.';
  return `Of the ${itsEra} era.`;
}

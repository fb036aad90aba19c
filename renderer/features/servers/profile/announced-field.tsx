import { useState } from 'react';
import type { EraChoice } from '#shared/contract/servers.ts';
import { defaultClientCapabilities } from '#shared/protocol/client-capabilities.ts';
import { newestLegacyRevision, newestModernRevision } from '#shared/protocol/revisions.ts';
import { TextArea } from '#ui/field.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { Choice, type Option } from '../choice.tsx';
import type { FieldProps } from '../field-props.ts';
import type { ClientDraft } from './client-draft.ts';

const choices: readonly Option<ClientDraft['announces']>[] = [
  {
    id: 'all',
    label: 'All',
    does: 'Announcing lets the server ask. Nothing is answered without you or a rule.',
  },
  {
    id: 'these',
    label: 'Custom',
    does: 'Sent as written, in either era. A server may only ask for what is in it.',
  },
];

/** The revisions that may come to be spoken. */
function revisionsOf(era: EraChoice, revision: string): readonly string[] {
  if (revision !== '') return [revision];
  if (era === 'auto') return [newestModernRevision, newestLegacyRevision];
  return [era === 'modern' ? newestModernRevision : newestLegacyRevision];
}

/** Which capabilities of ours are announced. */
export function AnnouncedField({
  draft,
  errors,
  change,
  judge,
  era,
  revision,
}: FieldProps<ClientDraft> & { readonly era: EraChoice; readonly revision: string }) {
  const revisions = revisionsOf(era, revision);
  const [wanted, setWanted] = useState('');
  const shown = revisions.find((one) => one === wanted) ?? revisions[0] ?? newestModernRevision;
  const all = JSON.stringify(defaultClientCapabilities(shown), null, 2);
  return (
    <div>
      <Choice
        label="Capabilities we announce"
        value={draft.announces}
        options={choices}
        onChange={(announces) =>
          change({
            announces,
            // A beginning to take away from.
            ...(announces === 'these' && draft.capabilities.trim() === '' && { capabilities: all }),
          })
        }
      />
      {draft.announces === 'these' ? (
        <TextArea
          label={<span className="font-normal text-mute">As JSON</span>}
          mono
          rows={Math.min(12, Math.max(4, draft.capabilities.split('\n').length))}
          value={draft.capabilities}
          error={errors['client.capabilities']}
          onChange={(capabilities) => change({ capabilities })}
          onBlur={() => judge('client.capabilities')}
          className="mt-2"
        />
      ) : (
        <div className="mt-2 rounded-ui border border-line bg-raise px-2.5 py-1.5">
          <div className="mb-1 flex items-center gap-2 text-xs text-faint">
            in
            {revisions.length > 1 ? (
              <Segmented
                label="Revision whose capabilities are shown"
                value={shown}
                onChange={setWanted}
                options={revisions.map((id) => ({ id, label: <span className="mono text-xs">{id}</span> }))}
              />
            ) : (
              <span className="mono text-xs">{shown}</span>
            )}
          </div>
          <JsonText raw={all} />
        </div>
      )}
    </div>
  );
}

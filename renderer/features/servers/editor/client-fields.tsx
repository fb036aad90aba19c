import { useEffect, useRef, useState } from 'react';
import type { EraChoice } from '#shared/contract/servers.ts';
import { formatQuantity } from '#shared/format.ts';
import { defaultClientCapabilities } from '#shared/protocol/client-capabilities.ts';
import { newestLegacyRevision, newestModernRevision } from '#shared/protocol/revisions.ts';
import { Checkbox, TextArea, TextField } from '#ui/field.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { RuleList } from '#ui/rules/rule-list.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { visibleLine } from '#ui/visible.ts';
import type { ClientDraft } from '../draft/client-draft.ts';
import type { Draft } from '../draft/draft.ts';
import { ClientInfoFields } from './client-info-fields.tsx';
import { RootFields } from './root-fields.tsx';
import { Choice, Collapsible, FieldGroup, type FieldProps, type Option } from './form-parts.tsx';

/** What we declare to a server and how its requests are answered. Collapsed, because the defaults suit most servers. */
export function ClientFields({
  draft,
  errors,
  change,
  validate,
  isWanted,
}: FieldProps<Draft> & {
  /** Whether the user followed a link to this section. */
  readonly isWanted: boolean;
}) {
  const heading = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isWanted) return;
    heading.current?.scrollIntoView({ block: 'start' });
    heading.current?.focus();
  }, [isWanted]);
  const { client } = draft;
  const part = {
    draft: client,
    errors,
    validate,
    change: (changed: Partial<ClientDraft>) => change({ client: { ...client, ...changed } }),
  };
  return (
    <Collapsible
      title="Client profile"
      summary={summaryOf(client)}
      startsOpen={isWanted}
      hasErrors={Object.keys(errors).some((field) => field.startsWith('client.'))}
      headingRef={heading}
      className="grid gap-x-8 gap-y-3.5 lg:grid-cols-2"
    >
      <div className="flex min-w-0 flex-col gap-3.5">
        <ClientInfoFields {...part} changeServer={change} />
        <CapabilitiesField {...part} era={draft.era} revision={draft.revision.trim()} />
      </div>
      <div className="flex min-w-0 flex-col gap-3.5">
        <RootFields {...part} />
        <FieldGroup label="Rules" hint="answer without asking you; the first match wins">
          <RuleList
            rules={client.rules}
            errors={errors}
            validate={validate}
            onChange={(rules) => part.change({ rules })}
          />
        </FieldGroup>
        <LimitFields {...part} />
      </div>
    </Collapsible>
  );
}

/** What happens to requests of the server before a rule or the user answers them. */
function LimitFields({ draft, errors, change, validate }: FieldProps<ClientDraft>) {
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label="Requests a minute"
        hint="empty for no limit"
        note="The server gets an error for each further one; it is listed in the Inbox."
        inputMode="numeric"
        mono
        className="max-w-80"
        value={draft.requestsPerMinute}
        error={errors['client.requestsPerMinute']}
        onChange={(requestsPerMinute) => change({ requestsPerMinute })}
        onBlur={() => validate('client.requestsPerMinute')}
      />
      <Checkbox
        label="Hold unknown requests in the Inbox, in place of the error -32601"
        checked={draft.holdsUnknown}
        onChange={(holdsUnknown) => change({ holdsUnknown })}
      />
    </div>
  );
}

const summaryOf = ({ info, declares, roots, rules }: ClientDraft): string =>
  [
    ...(info.name === '' ? [] : [`as ${visibleLine(info.name)}`]),
    declares === 'all' ? 'all capabilities' : 'custom capabilities',
    roots.length === 0 ? 'no roots' : formatQuantity(roots.length, 'root'),
    rules.length === 0 ? 'no rules' : formatQuantity(rules.length, 'rule'),
  ].join(' · ');

const choices: readonly Option<ClientDraft['declares']>[] = [
  {
    id: 'all',
    label: 'All',
    does: 'Lets the server send requests. You or a rule answers its questions.',
  },
  {
    id: 'custom',
    label: 'Custom',
    does: 'Sent as written, in either era. A server may only request what is declared.',
  },
];

/** The revisions that a session may use. */
function revisionsOf(era: EraChoice, revision: string): readonly string[] {
  if (revision !== '') return [revision];
  if (era === 'auto') return [newestModernRevision, newestLegacyRevision];
  return [era === 'modern' ? newestModernRevision : newestLegacyRevision];
}

/** Which client capabilities are declared. */
function CapabilitiesField({
  draft,
  errors,
  change,
  validate,
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
        label="Client capabilities to declare"
        value={draft.declares}
        options={choices}
        onChange={(declares) =>
          change({
            declares,
            // Start from all of them.
            ...(declares === 'custom' && draft.capabilities.trim() === '' && { capabilities: all }),
          })
        }
      />
      {draft.declares === 'custom' ? (
        <TextArea
          label={<span className="font-normal text-mute">As JSON</span>}
          mono
          rows={Math.min(12, Math.max(4, draft.capabilities.split('\n').length))}
          value={draft.capabilities}
          error={errors['client.capabilities']}
          onChange={(capabilities) => change({ capabilities })}
          onBlur={() => validate('client.capabilities')}
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

import { Plus, X } from 'lucide-react';
import { useEffect, useRef, useState, useId } from 'react';
import type { EraChoice } from '#shared/contract/servers.ts';
import { formatQuantity } from '#shared/format.ts';
import { defaultClientCapabilities } from '#shared/protocol/client-capabilities.ts';
import { newestLegacyRevision, newestModernRevision } from '#shared/protocol/revisions.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { TextArea, FieldError, Input } from '#ui/field.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { type ClientDraft, type RootRow, rootRow } from '../draft/client-draft.ts';
import type { Draft } from '../draft/draft.ts';
import { RuleFields } from './rule-fields.tsx';
import { type FieldProps, Collapsible, Choice, type Option, FieldGroup } from './form-parts.tsx';

/** What we declare to a server and how its requests are answered. Collapsed, because the defaults suit most servers. */
export function ClientFields({
  draft,
  errors,
  change,
  validate,
  isWanted,
}: FieldProps<Draft> & {
  /** The user followed a link to this section. */
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
      <CapabilitiesField {...part} era={draft.era} revision={draft.revision.trim()} />
      <div className="flex min-w-0 flex-col gap-3.5">
        <RootFields {...part} />
        <RuleFields {...part} />
      </div>
    </Collapsible>
  );
}

const summaryOf = ({ declares, roots, rules }: ClientDraft): string =>
  [
    declares === 'all' ? 'all capabilities' : 'custom capabilities',
    roots.length === 0 ? 'no roots' : formatQuantity(roots.length, 'root'),
    rules.length === 0 ? 'no rules' : formatQuantity(rules.length, 'rule'),
  ].join(' · ');

const choices: readonly Option<ClientDraft['declares']>[] = [
  {
    id: 'all',
    label: 'All',
    does: 'Lets the server send requests. Nothing is answered without you or a rule.',
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

/** The folders sent as the result of `roots/list`. */
function RootFields({ draft: { roots }, errors, change, validate }: FieldProps<ClientDraft>) {
  const addButton = useRef<HTMLButtonElement>(null);
  return (
    <FieldGroup label="Roots" hint="folders we declare">
      <ul className="flex flex-col gap-1.5">
        {roots.map((row, index) => (
          <li key={row.key}>
            <Root
              row={row}
              index={index}
              error={errors[`client.roots.${index}`]}
              onChange={(part) => change({ roots: roots.with(index, { ...row, ...part }) })}
              onRemove={() => {
                change({ roots: roots.toSpliced(index, 1) });
                // The focused button was removed.
                addButton.current?.focus();
              }}
              onLeave={() => validate(`client.roots.${index}`)}
            />
          </li>
        ))}
      </ul>
      <Button
        ref={addButton}
        size="small"
        className="mt-1.5"
        icon={<Plus aria-hidden className="size-3" />}
        onClick={() => change({ roots: [...roots, rootRow()] })}
      >
        Add a root
      </Button>
    </FieldGroup>
  );
}

function Root({
  row,
  index,
  error,
  onChange,
  onRemove,
  onLeave,
}: {
  readonly row: RootRow;
  readonly index: number;
  readonly error: string | undefined;
  readonly onChange: (part: Partial<RootRow>) => void;
  readonly onRemove: () => void;
  readonly onLeave: () => void;
}) {
  const id = useId();
  const uri = row.uri.trim();
  const note = noteFor(uri);
  const described = [note !== null && `${id}-note`, error !== undefined && `${id}-error`].filter(Boolean);
  return (
    <>
      <div className="grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)_auto] items-center gap-1.5">
        <Input
          aria-label={`URI of root ${index + 1}`}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={described.length > 0 ? described.join(' ') : undefined}
          className="mono"
          placeholder="file:///…"
          value={row.uri}
          onChange={(typed) => onChange({ uri: typed.target.value })}
          onBlur={onLeave}
        />
        <Input
          aria-label={`Name of root ${index + 1}`}
          placeholder="name, or empty"
          value={row.name}
          onChange={(typed) => onChange({ name: typed.target.value })}
          onBlur={onLeave}
        />
        <IconButton size="small" label={`Remove root ${index + 1}`} onClick={onRemove}>
          <X aria-hidden className="size-3.5" />
        </IconButton>
      </div>
      {note !== null && (
        <p id={`${id}-note`} className="mt-1 text-xs text-warn">
          {note}
        </p>
      )}
      {error !== undefined && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </>
  );
}

/** Roots are `file://` URIs (MCP 2025-06-18 roots). Anything else is sent too, to test the server. */
function noteFor(uri: string): string | null {
  if (uri === '' || /^file:\/\//i.test(uri)) return null;
  if (uri.startsWith('/')) return `A path is not a URI; use file://${uri}. It is sent as written.`;
  return 'The specification requires file:// for roots. It is sent as written.';
}

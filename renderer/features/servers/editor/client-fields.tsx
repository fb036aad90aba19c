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
import { type FieldProps, Folded, Choice, type Option, FieldGroup } from './form-parts.tsx';

/** What we announce to a server and how its questions are answered; folded away, for the defaults suit most. */
export function ClientFields({
  draft,
  errors,
  change,
  validate,
  isWanted,
}: FieldProps<Draft> & {
  /** The user was led here. */
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
    <Folded
      title="What we tell this server"
      summary={summaryOf(client)}
      startsOpen={isWanted}
      hasErrors={Object.keys(errors).some((place) => place.startsWith('client.'))}
      headingRef={heading}
      className="grid gap-x-8 gap-y-3.5 lg:grid-cols-2"
    >
      <AnnouncedField {...part} era={draft.era} revision={draft.revision.trim()} />
      <div className="flex min-w-0 flex-col gap-3.5">
        <RootFields {...part} />
        <RuleFields {...part} />
      </div>
    </Folded>
  );
}

const summaryOf = ({ announces, roots, rules }: ClientDraft): string =>
  [
    announces === 'all' ? 'all capabilities' : 'capabilities of your own',
    roots.length === 0 ? 'no roots' : formatQuantity(roots.length, 'root'),
    rules.length === 0 ? 'no rules' : formatQuantity(rules.length, 'rule'),
  ].join(' · ');

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
function AnnouncedField({
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

/** Where a server is told it may work: what `roots/list` is answered with. */
function RootFields({ draft: { roots }, errors, change, validate }: FieldProps<ClientDraft>) {
  const addButton = useRef<HTMLButtonElement>(null);
  return (
    <FieldGroup label="Roots" hint="folders we declare">
      <ul className="flex flex-col gap-1.5">
        {roots.map((row, place) => (
          <li key={row.key}>
            <Root
              row={row}
              place={place}
              error={errors[`client.roots.${place}`]}
              onChange={(part) => change({ roots: roots.with(place, { ...row, ...part }) })}
              onRemove={() => {
                change({ roots: roots.toSpliced(place, 1) });
                // The button that had the focus is gone.
                addButton.current?.focus();
              }}
              onLeave={() => validate(`client.roots.${place}`)}
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
  place,
  error,
  onChange,
  onRemove,
  onLeave,
}: {
  readonly row: RootRow;
  readonly place: number;
  readonly error: string | undefined;
  readonly onChange: (part: Partial<RootRow>) => void;
  readonly onRemove: () => void;
  readonly onLeave: () => void;
}) {
  const id = useId();
  const uri = row.uri.trim();
  const note = noteOn(uri);
  const described = [note !== null && `${id}-note`, error !== undefined && `${id}-error`].filter(Boolean);
  return (
    <>
      <div className="grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)_auto] items-center gap-1.5">
        <Input
          aria-label={`URI of root ${place + 1}`}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={described.length > 0 ? described.join(' ') : undefined}
          className="mono"
          placeholder="file:///…"
          value={row.uri}
          onChange={(typed) => onChange({ uri: typed.target.value })}
          onBlur={onLeave}
        />
        <Input
          aria-label={`Name of root ${place + 1}`}
          placeholder="name, or empty"
          value={row.name}
          onChange={(typed) => onChange({ name: typed.target.value })}
          onBlur={onLeave}
        />
        <IconButton size="small" label={`Remove root ${place + 1}`} onClick={onRemove}>
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

/** A root is a `file://` URI (MCP 2025-06-18 roots); anything else is sent all the same, for the trying. */
function noteOn(uri: string): string | null {
  if (uri === '' || /^file:\/\//i.test(uri)) return null;
  if (uri.startsWith('/')) return `A path is no URI: write file://${uri}. It is sent as written.`;
  return 'By the specification a root begins with file://. It is sent as written.';
}

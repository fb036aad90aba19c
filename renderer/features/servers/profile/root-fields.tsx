import { Plus, X } from 'lucide-react';
import { useId, useRef } from 'react';
import { Button, IconButton } from '#ui/button.tsx';
import { FieldError, Input } from '#ui/field.tsx';
import { FieldGroup } from '../field-group.tsx';
import type { FieldProps } from '../field-props.ts';
import { type ClientDraft, type RootRow, rootRow } from './client-draft.ts';

/** Where a server is told it may work: what `roots/list` is answered with. */
export function RootFields({ draft: { roots }, errors, change, judge }: FieldProps<ClientDraft>) {
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
              onLeave={() => judge(`client.roots.${place}`)}
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

import { FolderOpen, Plus, X } from 'lucide-react';
import { useId, useRef } from 'react';
import { chooseFolders, isOnDesktop } from '#model/desktop.ts';
import { useRootState } from '#model/roots.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { FieldError, Input } from '#ui/field.tsx';
import { RootStateText } from '#ui/root-state.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { type ClientDraft, type RootRow, rootRow } from '../draft/client-draft.ts';
import { FieldGroup, type FieldProps } from './form-parts.tsx';

/** The folders sent as the result of `roots/list`, each with what is there. */
export function RootFields({ draft: { roots }, errors, change, validate }: FieldProps<ClientDraft>) {
  const addButton = useRef<HTMLButtonElement>(null);
  const addFolders = async () => {
    const uris = await chooseFolders();
    if (uris.length > 0) change({ roots: [...roots, ...uris.map((uri) => rootRow(uri, nameOf(uri)))] });
  };
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
      <div className="mt-1.5 flex flex-wrap gap-1.5">
        <Button
          ref={addButton}
          size="small"
          icon={<Plus aria-hidden className="size-3" />}
          onClick={() => change({ roots: [...roots, rootRow()] })}
        >
          Add a root
        </Button>
        {isOnDesktop() && (
          <Button
            size="small"
            icon={<FolderOpen aria-hidden className="size-3" />}
            onClick={() => reportFault(addFolders())}
          >
            Choose folders…
          </Button>
        )}
      </div>
    </FieldGroup>
  );
}

/** The last segment of the path. */
const nameOf = (fileUri: string): string =>
  decodeURIComponent(fileUri.replace(/\/$/, '').split('/').slice(3).at(-1) ?? '');

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
  const state = useRootState(note === null ? uri : '');
  const described = [
    (note !== null || state !== null) && `${id}-note`,
    error !== undefined && `${id}-error`,
  ].filter(Boolean);
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
      {note === null && state !== null && (
        <div className="mt-1">
          <RootStateText id={`${id}-note`} state={state} />
        </div>
      )}
      {error !== undefined && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </>
  );
}

/** Roots are `file://` URIs (MCP 2025-06-18 roots). Anything else is sent too, to test the server. */
function noteFor(uri: string): string | null {
  if (uri === '' || /^file:\/\//i.test(uri)) return null;
  if (uri.startsWith('/')) return `A path is not a URI; use ${fileUriOf(uri)}. It is sent as written.`;
  return 'The specification requires file:// for roots. It is sent as written.';
}

const fileUriOf = (path: string): string => `file://${path.split('/').map(encodeURIComponent).join('/')}`;

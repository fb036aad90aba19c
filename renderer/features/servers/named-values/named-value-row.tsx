import { Eye, EyeOff, X } from 'lucide-react';
import { type ClipboardEvent, useEffect, useId, useRef, useState } from 'react';
import { call } from '#bridge';
import { faultOf } from '#model/connection.ts';
import { IconButton } from '#ui/button.tsx';
import { Combobox } from '#ui/combobox.tsx';
import { Checkbox, FieldError, Input } from '#ui/field.tsx';
import { toastFault } from '#ui/toaster.tsx';
import type { NamedValue } from './named-value.ts';
import type { ValueKind } from './value-kinds.ts';

const HELD = '••••••••';

/** One variable or header: its name, its value, and whether the value is a secret. */
export function NamedValueRow({
  kind,
  row,
  error,
  valueError,
  serverId,
  isNew,
  onChange,
  onRemove,
  onLeave,
  onPaste,
}: {
  readonly kind: ValueKind;
  readonly row: NamedValue;
  /** What is wrong with the row, or with its value alone. */
  readonly error: string | undefined;
  readonly valueError: string | undefined;
  readonly serverId: string | null;
  /** It was just added: what is missing is there to be written. */
  readonly isNew: boolean;
  readonly onChange: (row: NamedValue) => void;
  readonly onRemove: () => void;
  readonly onLeave: () => void;
  /** Takes pasted lines; true when it did. */
  readonly onPaste: (text: string) => boolean;
}) {
  const [isShown, setShown] = useState(false);
  const id = useId();
  const name = row.name === '' ? `new ${kind.one}` : row.name;
  const note = kind.noteOn(row);

  const nameField = useRef<HTMLInputElement>(null);
  const valueField = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!isNew) return;
    const field = nameField.current?.value === '' ? nameField.current : valueField.current;
    field?.focus();
    field?.setSelectionRange(field.value.length, field.value.length);
  }, [isNew]);

  const reveal = async (): Promise<string | null> => {
    if (serverId === null) return null;
    try {
      const { value } = await call('servers/reveal', { id: serverId, name: row.name });
      return value;
    } catch (failure) {
      toastFault(faultOf(failure));
      return null;
    }
  };
  const toggleShown = async () => {
    if (row.value === null) {
      const value = await reveal();
      if (value === null) return;
      onChange({ ...row, value });
    }
    setShown(!isShown);
  };
  const setSecret = async (secret: boolean) => {
    // A secret that stops being one must come to the screen, else there would be nothing to save.
    const value = !secret && row.value === null ? await reveal() : row.value;
    if (secret || value !== null) onChange({ ...row, secret, value });
  };

  const problem = error ?? valueError;
  const described = [note !== null && `${id}-note`, problem !== undefined && `${id}-error`].filter(Boolean);
  const both = {
    'aria-describedby': described.length > 0 ? described.join(' ') : undefined,
    onBlur: onLeave,
  } as const;
  const nameProps = {
    ...both,
    ref: nameField,
    'aria-invalid': error === undefined ? undefined : true,
    'aria-label': `Name of ${name}`,
    placeholder: kind.namePlaceholder,
    value: row.name,
    readOnly: row.value === null,
    title: row.value === null ? 'Show the value first, then the name can be changed.' : undefined,
    onPaste: (paste: ClipboardEvent) => {
      if (row.value !== null && onPaste(paste.clipboardData.getData('text'))) paste.preventDefault();
    },
  };
  const rename = (next: string) =>
    onChange({ ...row, name: next, secret: row.secret || kind.tellsOfSecret(next) });

  return (
    <>
      <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto_auto] items-center gap-1.5">
        {kind.suggestions.length > 0 ? (
          <Combobox
            {...nameProps}
            narrows
            className="mono"
            suggestions={kind.suggestions}
            onChange={rename}
          />
        ) : (
          <Input {...nameProps} className="mono" onChange={({ target }) => rename(target.value)} />
        )}
        <div className="relative">
          <Input
            {...both}
            ref={valueField}
            aria-invalid={valueError === undefined ? undefined : true}
            aria-label={`Value of ${name}`}
            type={row.secret && !isShown ? 'password' : 'text'}
            autoComplete="new-password"
            placeholder={row.value === null ? HELD : 'value'}
            className={`mono ${row.secret ? 'pr-8' : ''}`}
            value={row.value ?? ''}
            onPaste={(paste) => {
              const value = kind.pasteValue(row, paste.clipboardData.getData('text'));
              if (value === null) return;
              onChange({ ...row, value });
              paste.preventDefault();
            }}
            onChange={({ target }) => onChange({ ...row, value: target.value })}
          />
          {row.secret && (
            <IconButton
              size="small"
              label={`${isShown ? 'Hide' : 'Show'} the value of ${name}`}
              className="absolute top-0.5 right-0.5"
              onClick={() => void toggleShown()}
            >
              {isShown ? (
                <EyeOff aria-hidden className="size-3.5" />
              ) : (
                <Eye aria-hidden className="size-3.5" />
              )}
            </IconButton>
          )}
        </div>
        <Checkbox
          label="secret"
          checked={row.secret}
          onChange={(secret) => void setSecret(secret)}
          className="text-xs text-mute"
        />
        <IconButton size="small" label={`Remove ${name}`} onClick={onRemove}>
          <X aria-hidden className="size-3.5" />
        </IconButton>
      </div>
      {note !== null && (
        <p id={`${id}-note`} className="mt-1 text-xs text-faint">
          {note}
        </p>
      )}
      {problem !== undefined && <FieldError id={`${id}-error`}>{problem}</FieldError>}
    </>
  );
}

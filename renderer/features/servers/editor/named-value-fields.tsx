import { Plus, Eye, EyeOff, X } from 'lucide-react';
import { type ReactNode, useRef, useState, type ClipboardEvent, useEffect, useId } from 'react';
import { call } from '#bridge';
import { useAppInfo } from '#model/app-info.ts';
import { faultOf } from '#model/faults.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { Combobox } from '#ui/combobox.tsx';
import { Checkbox, FieldError, Input } from '#ui/field.tsx';
import { toastFault } from '#ui/toaster.tsx';
import type { DraftErrors } from '../draft/draft-part.ts';
import { type NamedValue, emptyRow, rowsOf, type ValueKind } from '../draft/named-values.ts';

/** Edits rows of name, value and secret: environment variables or HTTP headers. */
export function NamedValues({
  kind,
  rows,
  errors,
  serverId,
  onChange,
  validate,
  shortcuts = [],
}: {
  readonly kind: ValueKind;
  readonly rows: readonly NamedValue[];
  readonly errors: DraftErrors;
  readonly serverId: string | null;
  readonly onChange: (rows: readonly NamedValue[]) => void;
  readonly validate: (field: string) => void;
  /** Buttons that add a common row with its name filled in. */
  readonly shortcuts?: readonly { readonly label: ReactNode; readonly row: () => NamedValue }[];
}) {
  const keepsSecrets = useAppInfo(({ info }) => info?.keepsSecrets ?? true);
  const [added, setAdded] = useState<number | null>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const add = (row: NamedValue) => {
    setAdded(row.key);
    onChange([...rows, row]);
  };
  const replace = (index: number, ...others: readonly NamedValue[]) =>
    onChange(rows.toSpliced(index, 1, ...others));

  return (
    <>
      <ul className="flex flex-col gap-1.5">
        {rows.map((row, index) => (
          <li key={row.key}>
            <NamedValueRow
              kind={kind}
              row={row}
              error={errors[`${kind.field}.${index}`]}
              valueError={errors[`${kind.field}.${index}.value`]}
              serverId={serverId}
              isNew={row.key === added}
              onChange={(next) => replace(index, next)}
              onRemove={() => {
                replace(index);
                // The focused button was removed.
                addButton.current?.focus();
              }}
              onLeave={() => {
                validate(`${kind.field}.${index}`);
                validate(`${kind.field}.${index}.value`);
              }}
              onPaste={(text) => {
                const lines = kind.parse(text);
                if (lines === null) return false;
                replace(index, ...rowsOf(kind, lines));
                return true;
              }}
            />
          </li>
        ))}
      </ul>
      <div className="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1.5">
        <Button
          ref={addButton}
          size="small"
          icon={<Plus aria-hidden className="size-3" />}
          onClick={() => add(emptyRow(kind))}
        >
          Add a {kind.one}
        </Button>
        {shortcuts.map(({ label, row }, index) => (
          <Button
            key={index}
            size="small"
            icon={<Plus aria-hidden className="size-3" />}
            onClick={() => add(row())}
          >
            {label}
          </Button>
        ))}
        <span className="text-xs text-faint">
          {rows.some(({ secret }) => secret) && !keepsSecrets
            ? 'No key store here: secrets are forgotten when Sightglass quits.'
            : kind.pasteHint}
        </span>
      </div>
    </>
  );
}

const HELD = '••••••••';

/** One variable or header: its name, its value, and whether the value is a secret. */
function NamedValueRow({
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
  /** Errors of the row, and of its value alone. */
  readonly error: string | undefined;
  readonly valueError: string | undefined;
  readonly serverId: string | null;
  /** Whether the entry was just added, so that its first empty field gets the focus. */
  readonly isNew: boolean;
  readonly onChange: (row: NamedValue) => void;
  readonly onRemove: () => void;
  readonly onLeave: () => void;
  /** Handles pasted lines; returns false for other text. */
  readonly onPaste: (text: string) => boolean;
}) {
  const [isShown, setShown] = useState(false);
  const id = useId();
  const name = row.name === '' ? `new ${kind.one}` : row.name;
  const note = kind.noteFor(row);

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
    // Reveal a secret that becomes a plain value: otherwise there is no value to save.
    const value = !secret && row.value === null ? await reveal() : row.value;
    if (secret || value !== null) onChange({ ...row, secret, value });
  };

  const message = error ?? valueError;
  const described = [note !== null && `${id}-note`, message !== undefined && `${id}-error`].filter(Boolean);
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
    title: row.value === null ? 'Show the value before you change the name.' : undefined,
    onPaste: (paste: ClipboardEvent) => {
      if (row.value !== null && onPaste(paste.clipboardData.getData('text'))) paste.preventDefault();
    },
  };
  const rename = (next: string) =>
    onChange({ ...row, name: next, secret: row.secret || kind.suggestsSecret(next) });

  return (
    <>
      <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto_auto] items-center gap-1.5">
        {kind.suggestions.length > 0 ? (
          <Combobox
            {...nameProps}
            whileTyping="narrow"
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
      {message !== undefined && <FieldError id={`${id}-error`}>{message}</FieldError>}
    </>
  );
}

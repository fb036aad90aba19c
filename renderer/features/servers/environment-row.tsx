import { Eye, EyeOff, X } from 'lucide-react';
import { useState } from 'react';
import { call } from '#bridge';
import { faultOf } from '#model/connection.ts';
import { IconButton } from '#ui/button.tsx';
import { Checkbox, Input } from '#ui/field.tsx';
import { toastFault } from '#ui/toaster.tsx';
import { type EnvDraft, looksSecret } from './draft.ts';

const HELD = '••••••••';

/** One variable: its name, its value, and whether the value is a secret. */
export function EnvironmentRow({
  row,
  serverId,
  onChange,
  onRemove,
  onLeave,
  onPaste,
}: {
  readonly row: EnvDraft;
  readonly serverId: string | null;
  readonly onChange: (row: EnvDraft) => void;
  readonly onRemove: () => void;
  readonly onLeave: () => void;
  /** Takes pasted lines of variables; true when it did. */
  readonly onPaste: (text: string) => boolean;
}) {
  const [isShown, setShown] = useState(false);
  const name = row.name === '' ? 'new variable' : row.name;

  const reveal = async (): Promise<string | null> => {
    if (serverId === null) return null;
    try {
      const { value } = await call('servers/reveal', { id: serverId, name: row.name });
      return value;
    } catch (error) {
      toastFault(faultOf(error));
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

  return (
    <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto_auto] items-center gap-1.5">
      <Input
        aria-label={`Name of ${name}`}
        placeholder="NAME"
        className="mono"
        value={row.name}
        readOnly={row.value === null}
        title={row.value === null ? 'Show the value first, then the name can be changed.' : undefined}
        onBlur={onLeave}
        onPaste={(paste) => {
          if (onPaste(paste.clipboardData.getData('text'))) paste.preventDefault();
        }}
        onChange={({ target }) =>
          onChange({ ...row, name: target.value, secret: row.secret || looksSecret(target.value) })
        }
      />
      <div className="relative">
        <Input
          aria-label={`Value of ${name}`}
          type={row.secret && !isShown ? 'password' : 'text'}
          autoComplete="new-password"
          placeholder={row.value === null ? HELD : 'value'}
          className={`mono ${row.secret ? 'pr-8' : ''}`}
          value={row.value ?? ''}
          onBlur={onLeave}
          onChange={({ target }) => onChange({ ...row, value: target.value })}
        />
        {row.secret && (
          <IconButton
            size="small"
            label={`${isShown ? 'Hide' : 'Show'} the value of ${name}`}
            className="absolute top-0.5 right-0.5"
            onClick={() => void toggleShown()}
          >
            {isShown ? <EyeOff aria-hidden className="size-3.5" /> : <Eye aria-hidden className="size-3.5" />}
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
  );
}

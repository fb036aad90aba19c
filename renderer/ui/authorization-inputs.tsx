import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import { Input, TextField } from './field.tsx';

type Secret = AuthorizationSettings['clientSecret'];

/** What is kept of a typed secret. */
export const secretOf = (value: string): Secret => ({
  isSet: value !== '',
  value: value === '' ? null : value,
});

/** A secret, typed hidden. One that is stored is not shown. */
export function SecretField({
  label,
  secret: { isSet, value },
  onChange,
  note,
  className,
}: {
  readonly label: string;
  readonly secret: Secret;
  readonly onChange: (secret: Secret) => void;
  readonly note?: string;
  readonly className?: string;
}) {
  return (
    <TextField
      label={label}
      mono
      type="password"
      autoComplete="off"
      placeholder={isSet && value === null ? 'stored' : ''}
      value={value ?? ''}
      onChange={(typed) => onChange(secretOf(typed))}
      {...(note !== undefined && { note })}
      {...(className !== undefined && { className })}
    />
  );
}

/** A port to listen at; a text that is no port is not taken. */
export function PortInput({
  label,
  port,
  onChange,
}: {
  readonly label: string;
  /** Null for a free one. */
  readonly port: number | null;
  readonly onChange: (port: number | null) => void;
}) {
  return (
    <Input
      aria-label={label}
      placeholder="free port"
      inputMode="numeric"
      value={port === null ? '' : String(port)}
      onChange={({ target: { value } }) => {
        const typed = portOf(value);
        if (typed !== undefined) onChange(typed);
      }}
      className="mono"
    />
  );
}

/** Null for an empty text, undefined for one that is no port. */
function portOf(text: string): number | null | undefined {
  if (text === '') return null;
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}

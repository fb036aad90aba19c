import { Plus, Trash2 } from 'lucide-react';
import { useId } from 'react';
import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import { PortInput } from './authorization-inputs.tsx';
import { Button, IconButton } from './button.tsx';
import { FieldError, Input, SelectBox } from './field.tsx';

type Change = (change: Partial<AuthorizationSettings>) => void;

const hosts = ['127.0.0.1', 'localhost', '[::1]'] as const;

/** Where the browser is redirected to. */
export function RedirectFields({
  redirect,
  onChange,
}: {
  readonly redirect: AuthorizationSettings['redirect'];
  readonly onChange: Change;
}) {
  const { host, port, path } = redirect;
  const change = (part: Partial<AuthorizationSettings['redirect']>) =>
    onChange({ redirect: { ...redirect, ...part } });
  return (
    <fieldset className="col-span-2">
      <legend className="mb-1 font-medium">Redirect</legend>
      <div className="grid grid-cols-[120px_88px_minmax(0,1fr)] gap-2">
        <SelectBox
          aria-label="Host of the redirect"
          value={host}
          options={hosts.map((value) => ({ value, label: value }))}
          onChange={(value) => change({ host: value })}
        />
        <PortInput label="Port of the redirect" port={port} onChange={(chosen) => change({ port: chosen })} />
        <Input
          aria-label="Path of the redirect"
          value={path}
          onChange={({ target: { value } }) => change({ path: value.startsWith('/') ? value : `/${value}` })}
          className="mono"
        />
      </div>
    </fieldset>
  );
}

type ExtraList = 'extra' | 'tokenExtra';

const extraTexts: Readonly<Record<ExtraList, { legend: string; one: string; note: string }>> = {
  extra: {
    legend: 'Extra parameters',
    one: 'extra parameter',
    note: 'Of the authorization request, such as audience or prompt (RFC 6749 8.2).',
  },
  tokenExtra: {
    legend: 'Extra parameters of the token request',
    one: 'extra token parameter',
    note: 'Of the token request and of each refresh, such as audience (RFC 6749 8.2). One with the name of another replaces that.',
  },
};

/** Parameters that are added to the authorization request, or to the token request and each refresh. */
export function ExtraParameters({
  list,
  settings,
  onChange,
}: {
  readonly list: ExtraList;
  readonly settings: Pick<AuthorizationSettings, ExtraList>;
  readonly onChange: Change;
}) {
  const noteId = useId();
  const extra = settings[list];
  const { legend, one: noun, note } = extraTexts[list];
  const change = (all: AuthorizationSettings[ExtraList]) => onChange({ [list]: all });
  const replace = (at: number, by: { name: string; value: string } | null) =>
    change(extra.flatMap((one, place) => (place !== at ? [one] : by === null ? [] : [by])));
  return (
    <fieldset aria-describedby={noteId} className="col-span-2">
      <legend className="mb-1 font-medium">{legend}</legend>
      {extra.map(({ name, value }, at) => (
        // Its name changes while it is typed.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={at} className="mb-1">
          <div className="flex items-center gap-2">
            <Input
              aria-label={`Name of the ${noun}`}
              aria-invalid={errorOf(extra, at) === null ? undefined : true}
              placeholder="name"
              value={name}
              onChange={({ target }) => replace(at, { name: target.value, value })}
              className="mono w-40"
            />
            <Input
              aria-label={`Value of ${name === '' ? `the ${noun}` : name}`}
              value={value}
              onChange={({ target }) => replace(at, { name, value: target.value })}
              className="mono min-w-0"
            />
            <IconButton
              size="small"
              label={`Remove ${name === '' ? `the ${noun}` : name}`}
              onClick={() => replace(at, null)}
            >
              <Trash2 aria-hidden className="size-3.5" />
            </IconButton>
          </div>
          {errorOf(extra, at) !== null && <FieldError>{errorOf(extra, at)}</FieldError>}
        </div>
      ))}
      <Button
        size="small"
        icon={<Plus aria-hidden className="size-3.5" />}
        disabled={extra.some(({ name }) => name === '')}
        onClick={() => change([...extra, { name: '', value: '' }])}
      >
        {list === 'extra' ? 'Add a parameter' : 'Add a token parameter'}
      </Button>
      <p id={noteId} className="mt-1 text-xs text-faint">
        {note}
      </p>
    </fieldset>
  );
}

/** What is wrong with a parameter; null if nothing. Of several with the same name servers take one, or reject all (RFC 6749 3.2). */
function errorOf(extra: AuthorizationSettings['extra'], at: number): string | null {
  const { name, value } = extra[at] ?? { name: '', value: '' };
  if (name === '') return value === '' ? null : 'Without a name it is not sent.';
  if (name !== name.trim()) return 'Its name begins or ends with a space.';
  const isRepeated = name !== 'resource' && extra.findIndex((one) => one.name === name) < at;
  return isRepeated ? 'A parameter must not be repeated (RFC 6749 3.2).' : null;
}

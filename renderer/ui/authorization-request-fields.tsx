import { Plus, Trash2 } from 'lucide-react';
import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import { PortInput } from './authorization-inputs.tsx';
import { Button, IconButton } from './button.tsx';
import { Input, SelectBox } from './field.tsx';

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

/** Parameters that are added to the authorization request. */
export function ExtraParameters({
  extra,
  onChange,
}: {
  readonly extra: AuthorizationSettings['extra'];
  readonly onChange: Change;
}) {
  const replace = (at: number, change: { name: string; value: string } | null) =>
    onChange({
      extra: extra.flatMap((one, place) => (place !== at ? [one] : change === null ? [] : [change])),
    });
  return (
    <fieldset className="col-span-2">
      <legend className="mb-1 font-medium">Extra parameters</legend>
      {extra.map(({ name, value }, at) => (
        // Its name changes while it is typed.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={at} className="mb-1 flex items-center gap-2">
          <Input
            aria-label="Name of the extra parameter"
            placeholder="name"
            value={name}
            onChange={({ target }) => replace(at, { name: target.value, value })}
            className="mono w-40"
          />
          <Input
            aria-label={`Value of ${name === '' ? 'the extra parameter' : name}`}
            value={value}
            onChange={({ target }) => replace(at, { name, value: target.value })}
            className="mono min-w-0"
          />
          <IconButton
            size="small"
            label={`Remove ${name === '' ? 'the extra parameter' : name}`}
            onClick={() => replace(at, null)}
          >
            <Trash2 aria-hidden className="size-3.5" />
          </IconButton>
        </div>
      ))}
      <Button
        size="small"
        icon={<Plus aria-hidden className="size-3.5" />}
        disabled={extra.some(({ name }) => name === '')}
        onClick={() => onChange({ extra: [...extra, { name: '', value: '' }] })}
      >
        Add a parameter
      </Button>
    </fieldset>
  );
}

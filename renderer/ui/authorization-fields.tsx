import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { clientProfiles, limitsOf, settingsOf } from '#shared/authorization/client-profiles.ts';
import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import { Button, IconButton } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { reportFault } from './toaster.tsx';
import { RedirectUri } from './redirect-uri.tsx';
import { Checkbox, Field, Input, SelectBox, TextArea, TextField } from './field.tsx';

type Change = (change: Partial<AuthorizationSettings>) => void;

const grantLabels: Readonly<Record<AuthorizationSettings['grant'], string>> = {
  'authorization-code': 'Authorization code',
  'client-credentials': 'Client credentials',
  enterprise: 'Enterprise-managed',
  'workload-identity': 'Workload identity',
};

export const registrationLabels: Readonly<Record<AuthorizationSettings['registration'], string>> = {
  auto: 'Any registration',
  'pre-registered': 'Pre-registered',
  'metadata-document': 'Metadata document',
  dynamic: 'Dynamic',
};

const authMethodLabels: Readonly<Record<AuthorizationSettings['authMethod'], string>> = {
  auto: 'As metadata says',
  none: 'None (public client)',
  client_secret_basic: 'client_secret_basic',
  client_secret_post: 'client_secret_post',
  private_key_jwt: 'private_key_jwt',
};

/** How to authorize at a server: grant, client, scopes, redirect. */
export function AuthorizationFields({
  settings,
  onChange,
  onWriteDocument,
}: {
  readonly settings: AuthorizationSettings;
  readonly onChange: Change;
  /** Makes the text of the client ID metadata document. */
  readonly onWriteDocument: () => Promise<string>;
}) {
  const { grant, registration, clientId, authMethod, metadataDocument, scopes, redirect, dpop } = settings;
  const isCode = grant === 'authorization-code';
  const isTest = settings.testIdentityProvider !== null;
  const usesProvider = grant === 'enterprise' || grant === 'workload-identity';
  const writing = () => {
    const written = onWriteDocument();
    reportFault(written);
    return written;
  };
  const signsIn = grant === 'enterprise' && (isTest || !settings.identityToken.isSet);
  return (
    <div className="grid grid-cols-2 items-start gap-x-3 gap-y-2.5">
      {isCode && <ProfileChoice onChange={onChange} />}
      <Field label="Grant">
        {(control) => (
          <SelectBox
            {...control}
            value={grant}
            options={optionsOf(grantLabels)}
            onChange={(value) => onChange({ grant: value })}
          />
        )}
      </Field>
      <Field label="Registration">
        {(control) => (
          <SelectBox
            {...control}
            value={registration}
            options={optionsOf(registrationLabels)}
            onChange={(value) => onChange({ registration: value })}
          />
        )}
      </Field>
      <TextField
        label="Client ID"
        mono
        value={clientId ?? ''}
        onChange={(value) => onChange({ clientId: textOrNull(value) })}
        note="Of a client that is registered already."
      />
      <SecretField
        label="Client secret"
        secret={settings.clientSecret}
        onChange={(clientSecret) => onChange({ clientSecret })}
      />
      {isCode && (
        <div className="col-span-2">
          <RedirectUri redirect={redirect} />
        </div>
      )}
      <Field label="Client authentication">
        {(control) => (
          <SelectBox
            {...control}
            value={authMethod}
            options={optionsOf(authMethodLabels)}
            onChange={(value) => onChange({ authMethod: value })}
          />
        )}
      </Field>
      <TextField
        label="Scopes"
        mono
        value={scopes ?? ''}
        onChange={(value) => onChange({ scopes: value.trim() === '' ? null : value })}
        note="Empty for those that the server asks for."
      />
      {authMethod === 'private_key_jwt' && (
        <TextArea
          label="Private key"
          mono
          value={settings.privateKey.value ?? ''}
          placeholder={settings.privateKey.isSet ? 'stored' : ''}
          onChange={(value) => onChange({ privateKey: secretOf(value) })}
          note="PEM (PKCS #8) or JWK."
          className="col-span-2"
        />
      )}
      {(registration === 'auto' || registration === 'metadata-document') && (
        <TextField
          label="Client ID metadata document"
          mono
          value={metadataDocument ?? ''}
          onChange={(value) => onChange({ metadataDocument: textOrNull(value) })}
          note="The https URL where it is hosted. Sightglass writes the document: copy it, and host it there."
          className="col-span-2"
        />
      )}
      {metadataDocument !== null && (registration === 'auto' || registration === 'metadata-document') && (
        <div className="col-span-2">
          <CopyButton withWord label="Copy the document" text={writing} />
        </div>
      )}
      {(registration === 'auto' || registration === 'dynamic') && (
        <TextField
          label="Client name"
          value={settings.clientName ?? ''}
          onChange={(value) => onChange({ clientName: value === '' ? null : value })}
          note="Of dynamic registration; empty for Sightglass."
          className="col-span-2"
        />
      )}
      {(registration === 'auto' || registration === 'dynamic') && (
        <SecretField
          label="Initial access token"
          secret={settings.initialAccessToken}
          onChange={(initialAccessToken) => onChange({ initialAccessToken })}
          className="col-span-2"
        />
      )}
      {usesProvider && <ProviderChoice settings={settings} onChange={onChange} />}
      {grant === 'enterprise' && !isTest && (
        <IdentityProvider provider={settings.identityProvider} onChange={onChange} />
      )}
      {usesProvider && !isTest && (
        <SecretField
          label={grant === 'enterprise' ? 'Identity token' : 'Token of the workload'}
          secret={settings.identityToken}
          onChange={(identityToken) => onChange({ identityToken })}
          note={
            grant === 'enterprise'
              ? 'An ID token of the identity provider. Empty to sign in there in the browser.'
              : 'A JWT of the platform that the workload runs on.'
          }
          className="col-span-2"
        />
      )}
      {(isCode || signsIn) && <Redirect redirect={redirect} onChange={onChange} />}
      {isCode && <ExtraParameters extra={settings.extra} onChange={onChange} />}
      <Checkbox
        label="Prove possession of a key (DPoP)"
        checked={dpop}
        onChange={(value) => onChange({ dpop: value })}
        className="col-span-2"
      />
    </div>
  );
}

/** Fills in what a known client does, and says where Sightglass cannot do the same. */
function ProfileChoice({ onChange }: { readonly onChange: Change }) {
  const [chosen, choose] = useState('');
  const profile = clientProfiles.find(({ id }) => id === chosen);
  return (
    <div className="col-span-2">
      <Field label="Fill in as">
        {(control) => (
          <SelectBox
            {...control}
            value={chosen}
            options={[
              { value: '', label: 'No known client' },
              ...clientProfiles.map(({ id, label }) => ({ value: id, label })),
            ]}
            onChange={(id) => {
              choose(id);
              const next = clientProfiles.find((one) => one.id === id);
              if (next !== undefined) onChange(settingsOf(next));
            }}
          />
        )}
      </Field>
      {profile !== undefined && (
        <div
          role="note"
          aria-label="Known client"
          className="mt-1 text-xs [overflow-wrap:anywhere] text-mute"
        >
          {limitsOf(profile).map((text) => (
            <p key={text} className="text-warn">
              {text}
            </p>
          ))}
          <p>
            Redirect, registration, scopes and client authentication are filled in. Source: {profile.evidence}
            .
          </p>
        </div>
      )}
    </div>
  );
}

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

type Secret = AuthorizationSettings['clientSecret'];

const secretOf = (value: string): Secret => ({ isSet: value !== '', value: value === '' ? null : value });

function optionsOf<V extends string>(
  labels: Readonly<Record<V, string>>,
): readonly { readonly value: V; readonly label: string }[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a record are its values' names
  return (Object.keys(labels) as V[]).map((value) => ({ value, label: labels[value] }));
}

function SecretField({
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

function IdentityProvider({
  provider,
  onChange,
}: {
  readonly provider: AuthorizationSettings['identityProvider'];
  readonly onChange: Change;
}) {
  const { issuer, clientId } = provider ?? { issuer: '', clientId: '' };
  const change = (part: { issuer?: string; clientId?: string }) => {
    const now = { issuer, clientId, ...part };
    onChange({ identityProvider: now.issuer === '' && now.clientId === '' ? null : now });
  };
  return (
    <>
      <TextField
        label="Issuer"
        mono
        value={issuer}
        onChange={(value) => change({ issuer: value })}
        note="Of the identity provider."
      />
      <TextField
        label="Client ID there"
        mono
        value={clientId}
        onChange={(value) => change({ clientId: value })}
      />
    </>
  );
}

/** A real identity provider, or the one that Sightglass runs for tests. */
function ProviderChoice({
  settings: { grant, testIdentityProvider: test },
  onChange,
}: {
  readonly settings: AuthorizationSettings;
  readonly onChange: Change;
}) {
  const isWorkload = grant === 'workload-identity';
  const change = (part: Partial<NonNullable<typeof test>>) =>
    onChange({ testIdentityProvider: { user: 'test-user', port: null, ...test, ...part } });
  return (
    <fieldset className="col-span-2">
      <legend className="mb-1 font-medium">Identity provider</legend>
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_88px] gap-2">
        <SelectBox
          aria-label="Kind of identity provider"
          value={test === null ? 'real' : 'test'}
          options={[
            { value: 'real', label: isWorkload ? 'A token of the platform' : 'A real one' },
            { value: 'test', label: 'Test identity provider' },
          ]}
          onChange={(kind) => (kind === 'test' ? change({}) : onChange({ testIdentityProvider: null }))}
        />
        {test !== null && (
          <Input
            aria-label={isWorkload ? 'Name of the workload' : 'Name of the test user'}
            value={test.user}
            maxLength={200}
            onChange={({ target: { value } }) => {
              if (value !== '') change({ user: value });
            }}
            className="mono"
          />
        )}
        {test !== null && (
          <Input
            aria-label="Port of the test identity provider"
            placeholder="free port"
            inputMode="numeric"
            value={test.port === null ? '' : String(test.port)}
            onChange={({ target: { value } }) => {
              const port = portOf(value);
              if (port !== undefined) change({ port });
            }}
            className="mono"
          />
        )}
      </div>
      {test !== null && (
        <p className="mt-1 text-xs text-mute">
          Sightglass runs it on 127.0.0.1 during the flow, with new keys each time. The authorization server
          must trust its issuer, http://127.0.0.1:{test.port ?? 'PORT'}.
        </p>
      )}
    </fieldset>
  );
}

/** Null for an empty text, undefined for one that is no port. */
function portOf(text: string): number | null | undefined {
  if (text === '') return null;
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}

const hosts = ['127.0.0.1', 'localhost', '[::1]'] as const;

function Redirect({
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
        <Input
          aria-label="Port of the redirect"
          placeholder="free port"
          inputMode="numeric"
          value={port === null ? '' : String(port)}
          onChange={({ target: { value } }) => {
            const typed = portOf(value);
            if (typed !== undefined) change({ port: typed });
          }}
          className="mono"
        />
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

function ExtraParameters({
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

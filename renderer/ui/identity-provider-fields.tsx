import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import { PortInput, SecretField } from './authorization-inputs.tsx';
import { Input, SelectBox, TextField } from './field.tsx';

interface IdentityProviderFieldsProps {
  readonly settings: AuthorizationSettings;
  readonly onChange: (change: Partial<AuthorizationSettings>) => void;
}

/** Which identity provider the enterprise and workload grants use, and the token that they present. */
export function IdentityProviderFields({ settings, onChange }: IdentityProviderFieldsProps) {
  const isEnterprise = settings.grant === 'enterprise';
  const isTest = settings.testIdentityProvider !== null;
  return (
    <>
      <ProviderChoice settings={settings} onChange={onChange} />
      {isEnterprise && !isTest && (
        <IdentityProvider provider={settings.identityProvider} onChange={onChange} />
      )}
      {!isTest && (
        <SecretField
          label={isEnterprise ? 'Identity token' : 'Token of the workload'}
          secret={settings.identityToken}
          onChange={(identityToken) => onChange({ identityToken })}
          note={
            isEnterprise
              ? 'An ID token of the identity provider. Empty to sign in there in the browser.'
              : 'A JWT of the platform that the workload runs on.'
          }
          className="col-span-2"
        />
      )}
    </>
  );
}

/** A real identity provider, or the one that Sightglass runs for tests. */
function ProviderChoice({
  settings: { grant, testIdentityProvider: test },
  onChange,
}: IdentityProviderFieldsProps) {
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
          <PortInput
            label="Port of the test identity provider"
            port={test.port}
            onChange={(port) => change({ port })}
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

function IdentityProvider({
  provider,
  onChange,
}: {
  readonly provider: AuthorizationSettings['identityProvider'];
  readonly onChange: IdentityProviderFieldsProps['onChange'];
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

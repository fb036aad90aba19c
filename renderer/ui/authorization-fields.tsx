import { useState } from 'react';
import { knownClients, limitsOf, settingsOf } from '#shared/authorization/known-clients.ts';
import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import { AssertionSettings, DroppedParameters } from './authorization-compatibility-fields.tsx';
import { SecretField, secretOf } from './authorization-inputs.tsx';
import { ExtraParameters, RedirectFields } from './authorization-request-fields.tsx';
import { CopyButton } from './copy-button.tsx';
import { Checkbox, Field, SelectBox, TextArea, TextField } from './field.tsx';
import { IdentityProviderFields } from './identity-provider-fields.tsx';
import { AssumedPkce, KnownProviderChoice } from './known-provider-fields.tsx';
import { RedirectUri } from './redirect-uri.tsx';
import { reportFault } from './toaster.tsx';

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
  serverUrl,
  onChange,
  onWriteDocument,
}: {
  readonly settings: AuthorizationSettings;
  /** Empty if it is not known. */
  readonly serverUrl: string;
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
      <KnownProviderChoice settings={settings} serverUrl={serverUrl} onChange={onChange} />
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
      {authMethod === 'private_key_jwt' && <AssertionSettings settings={settings} onChange={onChange} />}
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
      {usesProvider && <IdentityProviderFields settings={settings} onChange={onChange} />}
      {(isCode || signsIn) && <RedirectFields redirect={redirect} onChange={onChange} />}
      {isCode && <ExtraParameters list="extra" settings={settings} onChange={onChange} />}
      <ExtraParameters list="tokenExtra" settings={settings} onChange={onChange} />
      <DroppedParameters dropped={settings.dropped} onChange={onChange} />
      {isCode && <AssumedPkce assumesPkce={settings.assumesPkce} onChange={onChange} />}
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
  const profile = knownClients.find(({ id }) => id === chosen);
  return (
    <div className="col-span-2">
      <Field label="Fill in as">
        {(control) => (
          <SelectBox
            {...control}
            value={chosen}
            options={[
              { value: '', label: 'No known client' },
              ...knownClients.map(({ id, label }) => ({ value: id, label })),
            ]}
            onChange={(id) => {
              choose(id);
              const next = knownClients.find((one) => one.id === id);
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

function optionsOf<V extends string>(
  labels: Readonly<Record<V, string>>,
): readonly { readonly value: V; readonly label: string }[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a record are its values' names
  return (Object.keys(labels) as V[]).map((value) => ({ value, label: labels[value] }));
}

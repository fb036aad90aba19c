import { useId } from 'react';
import {
  type AuthorizationSettings,
  type DroppableParameter,
  droppableParameters,
} from '#shared/contract/authorization.ts';
import { Checkbox, Field, SelectBox, TextField } from './field.tsx';

type Change = (change: Partial<AuthorizationSettings>) => void;

const audienceLabels: Readonly<Record<AuthorizationSettings['assertionAudience'], string>> = {
  auto: 'Issuer, then token endpoint',
  issuer: 'Issuer',
  'token-endpoint': 'Token endpoint',
};

const audiences = (['auto', 'issuer', 'token-endpoint'] as const).map((value) => ({
  value,
  label: audienceLabels[value],
}));

/** What the client assertions say that the private key signs. */
export function AssertionSettings({
  settings: { assertionAudience, keyId },
  onChange,
}: {
  readonly settings: Pick<AuthorizationSettings, 'assertionAudience' | 'keyId'>;
  readonly onChange: Change;
}) {
  const isSpaced = keyId !== null && keyId !== keyId.trim();
  return (
    <>
      <Field
        label="Assertion audience"
        note="aud (RFC 7523 3). Okta and Entra take only the token endpoint, newer servers only the issuer."
      >
        {(control) => (
          <SelectBox
            {...control}
            value={assertionAudience}
            options={audiences}
            onChange={(value) => onChange({ assertionAudience: value })}
          />
        )}
      </Field>
      <TextField
        label="Key ID"
        mono
        value={keyId ?? ''}
        onChange={(value) => onChange({ keyId: value === '' ? null : value })}
        note="kid (RFC 7515 4.1.4), in assertions and in the metadata document. Empty for that of the JWK, or none."
        {...(isSpaced && { error: 'It begins or ends with a space; the server compares every character.' })}
      />
    </>
  );
}

const droppedNotes: Readonly<Record<DroppableParameter, string>> = {
  resource: 'RFC 8707 2. Entra rejects it.',
  scope: 'RFC 6749 3.3. The server then grants its default.',
  nonce: 'OpenID Connect Core 3.1.2.1. The ID token is then not compared with it.',
  redirect_uri: 'RFC 6749 3.1.2.3. Only where one is registered.',
};

/** Parameters that are never sent, for servers that reject them. */
export function DroppedParameters({
  dropped,
  onChange,
}: {
  readonly dropped: AuthorizationSettings['dropped'];
  readonly onChange: Change;
}) {
  const noteId = useId();
  return (
    <fieldset aria-describedby={noteId} className="col-span-2">
      <legend className="mb-1 font-medium">Never send</legend>
      <div className="grid grid-cols-2 gap-x-3 gap-y-1">
        {droppableParameters.map((name) => (
          <div key={name} className="min-w-0">
            <Checkbox
              label={name}
              checked={dropped.includes(name)}
              onChange={(isDropped) =>
                onChange({
                  dropped: droppableParameters.filter((one) =>
                    one === name ? isDropped : dropped.includes(one),
                  ),
                })
              }
            />
            <p className="ml-[22px] text-xs text-faint">{droppedNotes[name]}</p>
          </div>
        ))}
      </div>
      <p id={noteId} className="mt-1 text-xs text-faint">
        In no request: not for a code, a token, a refresh, a sign-in or an assertion. A stepped flow can send
        them all the same.
      </p>
    </fieldset>
  );
}

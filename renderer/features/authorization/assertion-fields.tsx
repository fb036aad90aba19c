import { useId } from 'react';
import type { AssertionChoice, StepRequest } from '#shared/contract/authorization.ts';
import { Button } from '#ui/button.tsx';
import { TextField } from '#ui/field.tsx';
import { PlainText } from '#ui/plain-text.tsx';

/** Whether the engine signs the client assertion of a request: the user has not typed another one, or left it out. */
export const signsAssertion = ({ body }: StepRequest): boolean =>
  body.some(({ name, value, isOn }) => name === 'client_assertion' && value === null && isOn);

/** What the client assertion of a request says, which is signed again when it is sent with another audience or key ID. */
export function AssertionFields({
  assertion,
  planned,
  isEditable,
  onChange,
}: {
  readonly assertion: AssertionChoice;
  /** As the settings and the metadata say. */
  readonly planned: AssertionChoice;
  readonly isEditable: boolean;
  readonly onChange: (assertion: AssertionChoice) => void;
}) {
  const headingId = useId();
  const { audience, keyId } = assertion;
  const isChanged = audience !== planned.audience || keyId !== planned.keyId;
  return (
    <section aria-labelledby={headingId} className="px-3 py-2">
      <h3 id={headingId} className="caption mb-1">
        Client assertion
      </h3>
      {isEditable ? (
        <div className="grid grid-cols-2 items-start gap-x-3">
          <TextField
            label="Audience (aud)"
            mono
            value={audience}
            onChange={(value) => onChange({ ...assertion, audience: value })}
            note="The issuer, or the token endpoint (RFC 7523 3)."
          />
          <TextField
            label="Key ID (kid)"
            mono
            value={keyId ?? ''}
            onChange={(value) => onChange({ ...assertion, keyId: value === '' ? null : value })}
            note="Of the key at the server (RFC 7515 4.1.4); empty for none."
          />
        </div>
      ) : (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3">
          <dt className="text-mute">aud</dt>
          <dd>
            <PlainText inline text={audience} className="mono" />
          </dd>
          <dt className="text-mute">kid</dt>
          <dd>{keyId === null ? 'none' : <PlainText inline text={keyId} className="mono" />}</dd>
        </dl>
      )}
      {isChanged && (
        <p className="mt-1 flex flex-wrap items-center gap-2 text-xs text-text">
          {isEditable ? 'It is signed again when the step is sent.' : 'It was signed again.'}
          {isEditable && (
            <Button size="small" variant="quiet" onClick={() => onChange(planned)}>
              Restore the assertion
            </Button>
          )}
        </p>
      )}
    </section>
  );
}

import { call } from '#bridge';
import { useAction } from '#model/use-query.ts';
import type { StoredCredentials } from '#shared/contract/authorization.ts';
import { formatQuantity } from '#shared/format.ts';
import { registrationLabels } from '#ui/authorization-fields.tsx';
import { Button } from '#ui/button.tsx';
import { Chip } from '#ui/chip.tsx';
import { Facts } from '#ui/facts.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';

/** What is stored for the server: clients and tokens by issuer. */
export function CredentialsTab({
  credentials,
  isRecorded,
}: {
  readonly credentials: readonly StoredCredentials[];
  readonly isRecorded: boolean;
}) {
  const forget = useAction(async (credentialsId: string) => {
    await call('authorization/forget', { credentialsId });
  });
  if (credentials.length === 0) {
    return (
      <p className="px-3.5 py-2 text-mute">
        {isRecorded ? 'A recording has no credentials.' : 'Nothing is stored for this server.'}
      </p>
    );
  }
  return (
    <ul aria-label="Stored credentials">
      {credentials.map(
        ({ id, issuer, clientId, registration, hasClientSecret, resource, generations, isPersistent }) => (
          <li key={id} className="border-b border-line px-3.5 py-2 last:border-b-0">
            <p className="flex items-start gap-2">
              <PlainText inline text={issuer} className="mono min-w-0 flex-1 font-semibold" />
              <Chip tone={isPersistent ? 'ok' : 'neutral'}>
                {isPersistent ? 'kept after a restart' : 'in memory'}
              </Chip>
            </p>
            <Facts
              facts={[
                {
                  name: 'Client',
                  value: (
                    <>
                      <PlainText inline text={clientId} className="mono" />
                      <span className="text-mute">
                        {' '}
                        {registrationLabels[registration].toLowerCase()}
                        {hasClientSecret && ', with a secret'}
                      </span>
                    </>
                  ),
                },
                { name: 'Resource', value: <PlainText inline text={resource} className="mono" /> },
                { name: 'Tokens', value: formatQuantity(generations.length, 'generation') },
              ]}
            />
            {!isPersistent && (
              <p className="text-xs text-faint">Forgotten when Sightglass ends: it is kept in memory only.</p>
            )}
            {!isRecorded && (
              <Button
                size="small"
                className="mt-1"
                aria-label={`Forget the credentials of ${visibleLine(issuer)}`}
                disabled={forget.isRunning}
                onClick={() => void forget.run(id)}
              >
                Forget
              </Button>
            )}
          </li>
        ),
      )}
      {forget.fault !== null && (
        <li>
          <FaultCard fault={forget.fault} className="m-2" />
        </li>
      )}
    </ul>
  );
}

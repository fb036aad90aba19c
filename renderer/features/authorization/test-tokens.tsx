import { useState } from 'react';
import { call } from '#bridge';
import { addFlow } from '#model/authorization.ts';
import { takeServerTests } from '#model/server-tests.ts';
import { useAction } from '#model/use-query.ts';
import { type ServerTests, testTokenKinds, type TestTokenKind } from '#shared/contract/server-tests.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { SelectBox, TextField } from '#ui/field.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Popover } from '#ui/popover.tsx';
import { useFlowChoices } from './flow-choices.ts';

const kinds: Readonly<Record<TestTokenKind, string>> = {
  'other-identity': 'Another identity',
  'other-audience': 'Another server',
  'less-scope': 'Fewer scopes',
  expired: 'Expired',
};

/** The tokens that only the tests send, and how to get more. */
export function TestTokensSection({
  serverId,
  tests: { sessionId, tokens, state },
}: {
  readonly serverId: string;
  readonly tests: ServerTests;
}) {
  const drop = useAction(async (kind: TestTokenKind) => {
    takeServerTests(await call('server-tests/drop-token', { sessionId, kind }));
  });
  return (
    <section aria-label="Tokens for the tests" className="border-t border-line pt-2">
      <p className="flex items-center gap-2">
        <span className="caption">Tokens for the tests</span>
        <AddToken serverId={serverId} isDisabled={state === 'running'} />
      </p>
      {tokens.length === 0 ? (
        <p className="text-sm text-mute">
          None. With a token of another identity, for another server, with fewer scopes, or an expired one,
          more tests apply.
        </p>
      ) : (
        <ul aria-label="Tokens for the tests">
          {tokens.map(({ kind, fingerprint, from, facts }) => (
            <li key={kind} className="flex items-start gap-2 py-0.5 text-sm">
              <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
                {kinds[kind]} <span className="mono text-mute">{fingerprint}</span>{' '}
                <span className="text-mute">
                  {from}, <PlainText inline text={facts} />
                </span>
              </span>
              <Button
                size="small"
                variant="quiet"
                aria-label={`Drop the token: ${kinds[kind]}`}
                disabled={drop.isRunning || state === 'running'}
                onClick={() => void drop.run(kind)}
              >
                Drop
              </Button>
            </li>
          ))}
        </ul>
      )}
      {drop.fault !== null && <FaultCard fault={drop.fault} />}
    </section>
  );
}

const hints: Readonly<Record<TestTokenKind, string>> = {
  'other-identity': 'Sign in as another user: the request asks for a new sign-in (prompt=login).',
  'other-audience': 'Asks the authorization server for a token with this resource.',
  'less-scope': 'Asks for these scopes alone.',
  expired: 'Enter a token whose time is over.',
};

/** A token of a second authorization, or one that the user has. It is cleared from the form when it closes. */
function AddToken({ serverId, isDisabled }: { readonly serverId: string; readonly isDisabled: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const [kind, setKind] = useState<TestTokenKind>('other-identity');
  const [value, setValue] = useState('');
  const [token, setToken] = useState('');
  const { revision = null, settings = {} } = useFlowChoices(serverId);
  const change = (open: boolean) => {
    setOpen(open);
    setValue('');
    setToken('');
  };
  const use = useAction(async () => {
    takeServerTests(await call('server-tests/use-token', { serverId, kind, token: token.trim() }));
    change(false);
  });
  const authorize = useAction(async () => {
    if (kind === 'expired') return;
    const asked = kind === 'other-identity' ? null : value.trim();
    addFlow(await call('server-tests/authorize', { serverId, kind, value: asked, revision, settings }));
    change(false);
  });
  const needsValue = kind === 'other-audience' || kind === 'less-scope';
  return (
    <Popover
      label="Add a token for the tests"
      open={isOpen}
      onOpenChange={change}
      align="end"
      className="w-80"
      trigger={
        <Button size="small" disabled={isDisabled}>
          Add…
        </Button>
      }
    >
      <div className="flex flex-col gap-2">
        <SelectBox
          aria-label="Kind of token"
          value={kind}
          options={testTokenKinds.map((id) => ({ value: id, label: kinds[id] }))}
          onChange={(chosen) => {
            setKind(chosen);
            setValue('');
          }}
        />
        <p className="text-sm text-mute">{hints[kind]}</p>
        {needsValue && (
          <TextField
            label={kind === 'other-audience' ? 'Other resource' : 'Scopes'}
            mono
            value={value}
            onChange={setValue}
          />
        )}
        {kind !== 'expired' && (
          <Button
            size="small"
            variant="primary"
            disabled={authorize.isRunning || (needsValue && value.trim() === '')}
            onClick={() => void authorize.run()}
          >
            Authorize once more
          </Button>
        )}
        <form
          aria-label="Enter a token"
          className="flex flex-col gap-2"
          onSubmit={(submit) => {
            submit.preventDefault();
            if (token.trim() !== '') void use.run();
          }}
        >
          <TextField
            label={kind === 'expired' ? 'Access token' : 'Or enter an access token'}
            mono
            type="password"
            value={token}
            onChange={setToken}
            autoComplete="off"
          />
          <Button type="submit" size="small" disabled={token.trim() === '' || use.isRunning}>
            Use it
          </Button>
        </form>
        <p className="text-xs text-faint">
          Kept in memory until the session ends. It replaces no token, and goes to this server only.
        </p>
        {authorize.fault !== null && <FaultCard fault={authorize.fault} />}
        {use.fault !== null && <FaultCard fault={use.fault} />}
      </div>
    </Popover>
  );
}

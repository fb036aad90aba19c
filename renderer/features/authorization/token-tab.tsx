import { Check, OctagonAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { call } from '#bridge';
import { addFlow } from '#model/authorization.ts';
import { selectTraceRow } from '#model/selection.ts';
import { useAction } from '#model/use-query.ts';
import type { StoredCredentials, TokenGeneration, TokenSignature } from '#shared/contract/authorization.ts';
import { formatUptime } from '#shared/format.ts';
import { memberTexts } from '#shared/json/members.ts';
import { Button } from '#ui/button.tsx';
import { Chip } from '#ui/chip.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { SelectBox, TextField } from '#ui/field.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Popover } from '#ui/popover.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { useNow } from '#ui/use-now.ts';
import { visibleLine } from '#ui/visible.ts';

/** The access token in use: its claims, whether they are verified, its generations, and what can be done with it. */
export function TokenTab({
  sessionId,
  credentials,
  isRecorded,
}: {
  /** Null before the first session. */
  readonly sessionId: string | null;
  readonly credentials: readonly StoredCredentials[];
  readonly isRecorded: boolean;
}) {
  const withTokens = credentials.filter(({ generations }) => generations.length > 0);
  const [chosen, choose] = useState<string | null>(null);
  const shown = withTokens.find(({ id }) => id === chosen) ?? withTokens.at(-1);
  const token = shown?.generations.at(-1);
  if (shown === undefined || token === undefined) {
    return (
      <p className="px-3.5 py-2 text-mute">
        {isRecorded ? 'A recording has no tokens, only their fingerprints in the steps.' : 'No token yet.'}
      </p>
    );
  }
  return (
    <>
      {withTokens.length > 1 && (
        <div className="px-3.5 pt-2">
          <SelectBox
            aria-label="Credentials"
            size="small"
            value={shown.id}
            options={withTokens.map(({ id, issuer, clientId }) => ({
              value: id,
              label: `${visibleLine(issuer)} · ${visibleLine(clientId)}`,
            }))}
            onChange={choose}
          />
        </div>
      )}
      <TokenCard credentials={shown} token={token} />
      {token.idToken !== null && <IdTokenCard credentials={shown} idToken={token.idToken} />}
      <Generations sessionId={isRecorded ? null : sessionId} credentials={shown} />
      {!isRecorded && sessionId !== null && (
        <TokenActions key={shown.id} sessionId={sessionId} credentials={shown} />
      )}
    </>
  );
}

function TokenCard({
  credentials: { issuer, resource },
  token: { claims, tokenType, expiresAt, receivedAt, scope, signature, state },
}: {
  readonly credentials: StoredCredentials;
  readonly token: TokenGeneration;
}) {
  const now = useNow(1000, state === 'in-use' && expiresAt !== null);
  const left = expiresAt === null ? null : expiresAt - now;
  const share = expiresAt === null || left === null ? 0 : left / Math.max(1, expiresAt - receivedAt);
  const read = readClaims(claims);
  const isForResource = read !== null && read.audiences.includes(resource);
  const scopeText = read?.text('scope') ?? read?.text('scp') ?? scope;
  return (
    <section aria-label="Access token" className="px-3.5 pt-2">
      <p className="flex items-center gap-1.5">
        <span className="font-semibold">Access token</span>
        <Chip>{claims === null ? 'opaque' : 'JWT'}</Chip>
        {tokenType.toLowerCase() !== 'bearer' && <Chip tone="accent">{visibleLine(tokenType)}</Chip>}
        <span className={cx('mono ml-auto', left !== null && left <= 0 ? 'text-err' : 'text-mute')}>
          {state !== 'in-use'
            ? stateText[state]
            : left === null
              ? 'no expiry stated'
              : left <= 0
                ? 'expired'
                : `expires in ${formatUptime(left)}`}
        </span>
      </p>
      <div aria-hidden className="mt-1.5 mb-1 h-[3px] overflow-hidden rounded-sm bg-line">
        <div
          className="h-full bg-in opacity-75"
          style={{ width: `${Math.min(100, Math.max(0, share * 100))}%` }}
        />
      </div>
      <dl className="grid grid-cols-[58px_minmax(0,1fr)_auto] gap-x-1">
        {read !== null && (
          <Claim name="iss" mark={read.text('iss') === issuer ? null : 'differs'}>
            {read.text('iss') ?? 'none'}
          </Claim>
        )}
        {read !== null && (
          <Claim name="aud" mark={isForResource ? 'same' : 'differs'}>
            {read.audiences.length === 0 ? 'none' : read.audiences.join(' ')}
          </Claim>
        )}
        <Claim name="resource" mark={null}>
          {resource}
        </Claim>
        {read?.text('sub') != null && (
          <Claim name="sub" mark={null}>
            {read.text('sub') ?? ''}
          </Claim>
        )}
        <Claim name="scope" mark={null}>
          {scopeText ?? 'not stated'}
        </Claim>
        <Signature signature={signature} />
      </dl>
      {claims !== null && <AllClaims claims={claims} />}
    </section>
  );
}

/** Who signed in, as the authorization server says it (OpenID Connect Core 2). */
function IdTokenCard({
  credentials: { issuer, clientId },
  idToken: { claims, signature },
}: {
  readonly credentials: StoredCredentials;
  readonly idToken: NonNullable<TokenGeneration['idToken']>;
}) {
  const read = readClaims(claims);
  return (
    <section aria-label="ID token" className="px-3.5 pt-2">
      <p className="font-semibold">ID token</p>
      <dl className="mt-1 grid grid-cols-[58px_minmax(0,1fr)_auto] gap-x-1">
        {read !== null && (
          <>
            <Claim name="iss" mark={read.text('iss') === issuer ? null : 'differs'}>
              {read.text('iss') ?? 'none'}
            </Claim>
            <Claim
              name="aud"
              mark={read.audiences.includes(clientId) ? null : 'differs'}
              differs="not the client"
            >
              {read.audiences.length === 0 ? 'none' : read.audiences.join(' ')}
            </Claim>
            <Claim name="sub" mark={null}>
              {read.text('sub') ?? 'none'}
            </Claim>
          </>
        )}
        <Signature signature={signature} />
      </dl>
      {claims !== null && <AllClaims claims={claims} />}
    </section>
  );
}

const AllClaims = ({ claims }: { readonly claims: string }) => (
  <details className="mt-1">
    <summary className="w-fit text-sm text-mute hover:text-text">All claims</summary>
    <div className="mt-1 rounded-ui border border-line bg-raise px-2.5 py-2">
      <JsonText raw={claims} />
    </div>
  </details>
);

const Signature = ({ signature: { state, detail } }: { readonly signature: TokenSignature }) => (
  <div className="col-span-3 grid min-h-5 grid-cols-subgrid items-baseline">
    <dt className="text-sm text-faint">signature</dt>
    <dd className={cx('col-span-2 text-sm [overflow-wrap:anywhere]', signatureTones[state])}>
      {signatureLabels[state]}
      {detail !== '' && <> · {visibleLine(detail)}</>}
    </dd>
  </div>
);

const stateText: Readonly<Record<TokenGeneration['state'], string>> = {
  'in-use': 'in use',
  replaced: 'replaced',
  revoked: 'revoked',
  expired: 'expired',
};

const signatureLabels: Readonly<Record<TokenSignature['state'], string>> = {
  verified: 'verified',
  wrong: 'wrong',
  unverified: 'not verified',
  none: 'none',
};

const signatureTones: Readonly<Record<TokenSignature['state'], string>> = {
  verified: 'text-in',
  wrong: 'text-err',
  unverified: 'text-warn',
  none: 'text-mute',
};

function Claim({
  name,
  mark,
  differs = name === 'aud' ? 'not the resource' : 'not the issuer',
  children,
}: {
  readonly name: string;
  /** Compared with what it must be; null if it is not compared, or is as it must be. */
  readonly mark: 'same' | 'differs' | null;
  /** What it is instead. */
  readonly differs?: string;
  readonly children: string;
}) {
  return (
    <div className="col-span-3 grid min-h-5 grid-cols-subgrid items-baseline">
      <dt className="text-sm text-faint">{name}</dt>
      <dd className="mono min-w-0 text-[11.5px] [overflow-wrap:anywhere]">
        <PlainText inline text={children} />
      </dd>
      <dd className="self-center">
        {mark === 'differs' && <OctagonAlert role="img" aria-label={differs} className="size-3.5 text-err" />}
        {mark === 'same' && <Check role="img" aria-label="is the resource" className="size-3.5 text-in" />}
      </dd>
    </div>
  );
}

/** The claims of a JWT; null for an opaque token. */
function readClaims(claims: string | null): {
  readonly text: (name: string) => string | null;
  readonly audiences: readonly string[];
} | null {
  if (claims === null) return null;
  // The engine has parsed them, so each member is valid JSON.
  const members = memberTexts(claims);
  const valueOf = (name: string): unknown => JSON.parse(members.get(name) ?? 'null');
  const text = (name: string): string | null => {
    const value = valueOf(name);
    if (value === null || typeof value === 'string') return value;
    return Array.isArray(value) ? value.map(String).join(' ') : JSON.stringify(value);
  };
  const audience = valueOf('aud');
  const all: readonly unknown[] = Array.isArray(audience) ? audience : [audience];
  return { text, audiences: all.filter((one) => typeof one === 'string') };
}

/** Every token of these credentials, recognizable by fingerprints, the newest first. */
function Generations({
  sessionId,
  credentials: { generations },
}: {
  /** Null: the rows are not in the trace on screen. */
  readonly sessionId: string | null;
  readonly credentials: StoredCredentials;
}) {
  return (
    <table className="mx-3.5 mt-2 w-[calc(100%-28px)]">
      <caption className="caption text-left">Rotation</caption>
      <thead>
        <tr className="text-left text-xs text-faint">
          <th scope="col" className="w-[18px]">
            <span className="sr-only">number</span>
          </th>
          <th scope="col" className="font-normal">
            access
          </th>
          <th scope="col" className="font-normal">
            refresh
          </th>
          <th scope="col" className="font-normal">
            from
          </th>
          <th scope="col" className="text-right font-normal">
            state
          </th>
        </tr>
      </thead>
      <tbody>
        {generations.toReversed().map(({ number, accessFingerprint, refreshFingerprint, row, state }) => (
          <tr key={number} className={cx('mono h-[22px]', state !== 'in-use' && 'text-mute')}>
            <td className="text-faint">{number}</td>
            <td>{accessFingerprint}</td>
            <td>{refreshFingerprint ?? '–'}</td>
            <td>
              {sessionId === null || row === null ? (
                <span className="font-sans text-xs text-faint">earlier</span>
              ) : (
                <RowLink row={row} onOpen={(to) => selectTraceRow(sessionId, to)} />
              )}
            </td>
            <td className={cx('text-right', state === 'in-use' ? 'text-in' : 'text-faint')}>
              {stateText[state]}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function TokenActions({
  sessionId,
  credentials: { id: credentialsId, generations },
}: {
  readonly sessionId: string;
  readonly credentials: StoredCredentials;
}) {
  const ofSession = { sessionId, credentialsId };
  const act = useAction(async (perform: () => Promise<void>) => perform());
  const run = (perform: () => Promise<void>) => (): void => void act.run(perform);
  const isJwt = generations.at(-1)?.claims != null || generations.at(-1)?.idToken?.claims != null;
  const hasRefresh = generations.at(-1)?.refreshFingerprint != null;
  const buttons: readonly (readonly [label: string, isOn: boolean, perform: () => Promise<void>])[] = [
    ['Refresh', hasRefresh, async () => addFlow(await call('authorization/refresh', ofSession))],
    [
      'Expire now',
      true,
      async () => {
        await call('authorization/expire', { credentialsId });
      },
    ],
    ['Revoke', true, async () => addFlow(await call('authorization/revoke', ofSession))],
    ['Introspect', true, async () => addFlow(await call('authorization/introspect', ofSession))],
    ['Verify signature', isJwt, async () => addFlow(await call('authorization/verify', ofSession))],
  ];
  return (
    <div className="px-3.5 pt-2 pb-2.5">
      <div className="flex flex-wrap gap-1.5">
        {buttons.map(([label, isOn, perform]) => (
          <Button key={label} size="small" disabled={!isOn || act.isRunning} onClick={run(perform)}>
            {label}
          </Button>
        ))}
        <Replacement credentialsId={credentialsId} />
      </div>
      {act.fault !== null && <FaultCard fault={act.fault} className="mt-2" />}
    </div>
  );
}

/** Puts tokens of the user in place of the stored ones. They are cleared from the form when it closes. */
function Replacement({ credentialsId }: { readonly credentialsId: string }) {
  const [isOpen, setOpen] = useState(false);
  const [access, setAccess] = useState('');
  const [refresh, setRefresh] = useState('');
  const change = (open: boolean) => {
    setOpen(open);
    setAccess('');
    setRefresh('');
  };
  const replace = useAction(async () => {
    await call('authorization/replace', {
      credentialsId,
      accessToken: access.trim(),
      refreshToken: refresh.trim() === '' ? null : refresh.trim(),
    });
    change(false);
  });
  const field = (label: string, value: string, onChange: (value: string) => void): ReactNode => (
    <TextField
      label={label}
      mono
      type="password"
      value={value}
      onChange={onChange}
      autoComplete="off"
      className="mb-2"
    />
  );
  return (
    <Popover
      label="Replace the tokens"
      open={isOpen}
      onOpenChange={change}
      align="end"
      className="w-80"
      trigger={<Button size="small">Replace…</Button>}
    >
      <form
        aria-label="Replace the tokens"
        onSubmit={(submit) => {
          submit.preventDefault();
          if (access.trim() !== '') void replace.run();
        }}
      >
        {field('Access token', access, setAccess)}
        {field('Refresh token', refresh, setRefresh)}
        {replace.fault !== null && <FaultCard fault={replace.fault} className="mb-2" />}
        <Button
          type="submit"
          size="small"
          variant="primary"
          disabled={access.trim() === '' || replace.isRunning}
        >
          Replace
        </Button>
      </form>
    </Popover>
  );
}

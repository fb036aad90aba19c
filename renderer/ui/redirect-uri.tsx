import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import { CopyButton } from './copy-button.tsx';

/** The whole redirect URI of the next flow, to register it or to compare it before the flow begins. */
export function RedirectUri({ redirect }: Pick<AuthorizationSettings, 'redirect'>) {
  const { host, port, path } = redirect;
  const uri = `http://${host}:${port ?? 'PORT'}${path}`;
  return (
    <div>
      <p>
        <span className="font-medium">Redirect URI</span>{' '}
        <code className="mono [overflow-wrap:anywhere]">{uri}</code>{' '}
        {port !== null && <CopyButton label="Copy the redirect URI" text={uri} />}
      </p>
      <p className="text-xs text-faint">
        {port === null
          ? 'PORT is a free one, chosen when the flow begins. If the authorization server does not accept any port (RFC 8252 7.3), choose one.'
          : 'Register exactly this one.'}
      </p>
    </div>
  );
}

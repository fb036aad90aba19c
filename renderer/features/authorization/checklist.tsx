import { create } from 'zustand';
import { Checkbox } from '#ui/field.tsx';

/** What a person has to check: no request of a flow shows it. */
const points = [
  {
    id: 'consent',
    label: 'Consent for each client',
    why: 'A server that logs in elsewhere with one client ID for all must ask for each client that registers with it. Else a link of an attacker uses the consent that you gave to another client (confused deputy).',
    how: 'Begin a second flow with Dynamic registration in the same browser. Before the login of the other service, a page of the server must name the new client, where it redirects to, and its scopes.',
  },
  {
    id: 'passthrough',
    label: 'No token of others',
    why: 'A server that takes a token for another audience, or hands yours on, lets clients go around its checks (token passthrough).',
    how: 'Server tests sends a token for another resource, once you added one there. The server must answer with 401.',
  },
  {
    id: 'session',
    label: 'The session ID is no login',
    why: 'To know the ID of a session must not be enough to use it without a token, or with a token of another user (session hijacking).',
    how: 'Server tests uses a session without a token, and with that of another user. And revoke the token, then call a tool in the open session: the server must answer with 401.',
  },
  {
    id: 'consent-page',
    label: 'A consent page of its own',
    why: 'A page that another site can show in a frame, or that consents by a link, is clicked through unseen.',
    how: 'Look at its headers in the browser: frame-ancestors or X-Frame-Options forbid frames, and its cookie is Secure, HttpOnly and SameSite.',
  },
] as const;

/** Ids of the points that the user has ticked, by server. */
const useTicked = create<Readonly<Record<string, readonly string[]>>>()(() => ({}));

const none: readonly string[] = [];

/** The dangers of proxies and skipped consent as points to tick off, each with why and how to check it. */
export function Checklist({ serverId }: { readonly serverId: string }) {
  const ticked = useTicked(({ [serverId]: own }) => own ?? none);
  const tick = (id: string, isTicked: boolean) =>
    useTicked.setState({
      [serverId]: isTicked ? [...ticked, id] : ticked.filter((one) => one !== id),
    });
  return (
    <section aria-labelledby="flow-checklist" className="border-t border-line pb-2">
      <details>
        <summary className="px-3.5 pt-2 text-faint hover:text-text">
          <h3 id="flow-checklist" className="inline">
            <span className="caption">Check yourself</span>{' '}
            <span className="text-xs">
              {ticked.length} of {points.length} ticked
            </span>
          </h3>
        </summary>
        <ul aria-labelledby="flow-checklist">
          {points.map(({ id, label, why, how }) => (
            <li key={id} className="px-3.5 pt-1.5">
              <Checkbox
                label={label}
                checked={ticked.includes(id)}
                onChange={(isTicked) => tick(id, isTicked)}
              />
              <div className="ml-[22px] text-sm text-mute">
                <p>{why}</p>
                <p className="mt-0.5">{how}</p>
              </div>
            </li>
          ))}
        </ul>
        <p className="px-3.5 pt-1 text-xs text-faint">MCP security best practices</p>
      </details>
    </section>
  );
}

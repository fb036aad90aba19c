import type { AuthorizationState } from '#shared/contract/sessions.ts';
import { cx } from './cx.ts';

const meanings: Readonly<Record<AuthorizationState, { readonly says: string; readonly tone: string }>> = {
  none: { says: 'The server has not demanded it.', tone: 'text-mute' },
  required: { says: 'The server demands it, and there is no token that it accepts.', tone: 'text-warn' },
  authorized: { says: 'Requests carry a token.', tone: 'text-in' },
  expired: {
    says: 'The token has expired. It is refreshed with the next request, if it can be.',
    tone: 'text-warn',
  },
};

/** Whether the requests of a session are authorized, in one word. */
export const AuthorizationStateText = ({ state }: { readonly state: AuthorizationState }) => (
  <span title={meanings[state].says} className={cx('font-medium', meanings[state].tone)}>
    {state}
  </span>
);

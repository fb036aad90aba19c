import type {
  AuthorizationFlow,
  AuthorizationOverrides,
  StoredCredentials,
} from '#shared/contract/authorization.ts';
import { savedScopes, scopesIn } from './scopes.ts';

/** How the user wants to be authorized, beside what is saved for the server. */
export interface Wanted {
  readonly given: AuthorizationOverrides;
  readonly saved: StoredCredentials | null;
  /** Whether to authorize whatever the server demands and accepts. */
  readonly again: boolean;
}

/** Settings that the saved credentials are checked against, or that do not say which token is wanted. */
const otherwiseChecked: ReadonlySet<string> = new Set([
  'mode',
  'scopes',
  'clientId',
  'clientSecret',
  'registration',
]);

const isOtherClient = ({ given, saved }: Wanted): boolean =>
  given.clientId !== undefined && given.clientId !== saved?.clientId;

/** What the saved credentials lack of what the options ask for, for a sentence; null if nothing, or none are saved. */
export function whatIsMissing(wanted: Wanted): string | null {
  const { given, saved } = wanted;
  if (saved === null) return null;
  if (isOtherClient(wanted)) return `are those of the client ${saved.clientId}`;
  const scopes = scopesIn(given.scopes).filter((one) => !savedScopes(saved).includes(one));
  if (scopes.length > 0) return `lack the scopes ${scopes.join(' ')}`;
  return Object.keys(given).some((name) => !otherwiseChecked.has(name))
    ? 'may have been given for other options'
    : null;
}

/** The scopes to ask for: those of the saved credentials stay; null for those that the server names. */
export function scopesToAsk(wanted: Wanted): string | null {
  const { given, saved } = wanted;
  if (given.scopes == null) return null;
  const kept = isOtherClient(wanted) ? [] : savedScopes(saved);
  return [...new Set([...kept, ...scopesIn(given.scopes)])].join(' ');
}

/** Whether an authorization must be begun, because none came of connecting that has what is wanted. */
export function mustBegin(wanted: Wanted, flows: readonly AuthorizationFlow[]): boolean {
  if (flows.some(hasNewToken)) return false;
  return (
    wanted.again || whatIsMissing(wanted) !== null || (wanted.saved === null && wanted.given.scopes != null)
  );
}

/** Whether a flow led to a token by an authorization, not by a refresh. */
export const hasNewToken = ({ steps }: AuthorizationFlow): boolean =>
  steps.some(({ name, state }) => name === 'token' && state === 'done');

import type { AuthorizationFlow, StoredCredentials } from '#shared/contract/authorization.ts';

export const scopesIn = (text: string | null | undefined): string[] =>
  (text ?? '').split(/\s+/).filter((one) => one !== '');

/** The scopes of saved credentials; empty if the authorization server named none. */
export const savedScopes = (saved: StoredCredentials | null): string[] =>
  scopesIn(saved?.generations.at(-1)?.scope);

/** The scopes that the last authorization request of a session asked for, those of earlier authorizations among them. */
export function askedScopes(flows: readonly AuthorizationFlow[]): string[] {
  const requests = flows.flatMap(({ steps }) => steps.filter(({ name }) => name === 'authorization-request'));
  return scopesIn(requests.at(-1)?.request?.query.find(({ name, isOn }) => name === 'scope' && isOn)?.value);
}

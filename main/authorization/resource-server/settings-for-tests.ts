import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import type { TestTokenKind } from '#shared/contract/server-tests.ts';
import type { SettingsOverrides } from '#authorization/flow-environment.ts';

/**
 * What an authorization for the tests asks for besides: another sign-in (OpenID Connect Core 3.1.2.1, `prompt`), because the browser would
 * sign in as the same user again, or other scopes.
 *
 * @param value the scopes of `less-scope`
 */
export function settingsForTests(
  kind: Exclude<TestTokenKind, 'expired'>,
  value: string | null,
  { extra = [] }: { readonly extra?: AuthorizationSettings['extra'] | undefined },
): SettingsOverrides {
  if (kind === 'less-scope') return { scopes: value };
  if (kind !== 'other-identity' || extra.some(({ name }) => name === 'prompt')) return {};
  return { extra: [...extra, { name: 'prompt', value: 'login' }] };
}

import { type AuthorizationFlow, defaultAuthorization } from '#shared/contract/authorization.ts';
import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import { isCredentialParameter } from '#shared/secret-names.ts';
import { withoutUrlSecrets } from '#shared/url-secrets.ts';

/** The settings of a flow that differ from the default, without secrets, in the order of the contract. */
export function changedSettings(
  settings: AuthorizationSettings,
): NonNullable<AuthorizationFlow['changedSettings']> {
  const defaults = new Map<string, unknown>(Object.entries(defaultAuthorization));
  return Object.entries(settings).flatMap(([name, value]: [string, unknown]) =>
    JSON.stringify(value) === JSON.stringify(defaults.get(name)) ? [] : [{ name, value: shown(value) }],
  );
}

function shown(value: unknown): string {
  if (typeof value === 'string') return URL.canParse(value) ? withoutUrlSecrets(value) : value;
  if (Array.isArray(value)) return value.map(shown).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  if ('isSet' in value) return value.isSet === true ? 'set (secret)' : 'not set';
  if ('name' in value && 'value' in value) {
    const name = String(value.name);
    return isCredentialParameter(name) ? `${name} (secret)` : `${name}=${String(value.value)}`;
  }
  return Object.entries(value)
    .map(([name, one]: [string, unknown]) => `${name} ${shown(one)}`)
    .join(', ');
}

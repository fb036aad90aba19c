import type { AuthorizationFlow, AuthorizationSettings } from '#shared/contract/authorization.ts';
import { type ProviderSettings, RESOURCE } from './provider.ts';

type Parameters = AuthorizationSettings['extra'];

/**
 * The settings to fill in, beside those that are there: further parameters and dropped ones are added, everything else replaced.
 *
 * @param resource what stands for `RESOURCE` in a value, empty if it is not known
 */
export function withProviderSettings(
  own: Pick<AuthorizationSettings, 'extra' | 'tokenExtra' | 'dropped'>,
  { extra, tokenExtra, dropped, ...others }: ProviderSettings,
  resource: string,
): Partial<AuthorizationSettings> {
  return {
    ...others,
    ...(extra !== undefined && { extra: joined(own.extra, extra, resource) }),
    ...(tokenExtra !== undefined && { tokenExtra: joined(own.tokenExtra, tokenExtra, resource) }),
    ...(dropped !== undefined && { dropped: [...new Set([...own.dropped, ...dropped])] }),
  };
}

/** The parameters of the user, with those of the provider in place of others of the same name. */
const joined = (own: Parameters, further: Parameters, resource: string): Parameters => [
  ...own.filter(({ name }) => !further.some((one) => one.name === name)),
  ...further.map(({ name, value }) => ({ name, value: value === RESOURCE ? resource : value })),
];

/** The resource that a flow asked a token for; null if it is not known. */
export function resourceIn({ steps }: AuthorizationFlow): string | null {
  for (const { request } of steps.toReversed())
    for (const { name, value, isOn } of [...(request?.query ?? []), ...(request?.body ?? [])])
      if (name === 'resource' && isOn && value !== null) return value;
  return null;
}

/** The URL of a server as a resource: without user info, query and fragment, which may hold secrets. */
export const resourceOfUrl = (url: string): string =>
  url.replace(/[?#].*$/s, '').replace(/^(https?:\/\/)[^/]*@/i, '$1');

import { isSameSecret } from '#authorization/pkce.ts';
import { meaningOfError } from './authorization-errors.ts';
import { type Checked, Findings } from './findings.ts';
import { differenceOf } from './urls.ts';

export interface CallbackContext {
  /** The redirect URI of the authorization request. */
  readonly redirectUri: string;
  /** The `state` that was sent. */
  readonly state: string;
  /** The issuer of the metadata, as it was written; null without metadata. */
  readonly issuer: string | null;
  /** Whether the metadata has `authorization_response_iss_parameter_supported`. */
  readonly promisesIss: boolean;
  readonly row: number | null;
}

/** A callback that belongs to our request. */
export interface Callback {
  readonly code: string;
}

/**
 * Checks the redirect back to the client, before its code goes anywhere: `state`, then the table of `iss` (RFC 9207
 * section 2.4, MCP 2026-07-28 authorization), without normalization:
 *
 * | promised | received | |
 * |---|---|---|
 * | yes | yes | compared |
 * | yes | no | rejected |
 * | no | yes | compared |
 * | no | no | accepted |
 *
 * Nothing else of a callback that does not belong to the request is read, least of all its error texts.
 *
 * @param url the whole URL that the browser was redirected to
 */
export function checkCallback(url: string, context: CallbackContext): Checked<Callback> {
  const found = new Findings(context);
  const target = URL.canParse(url) ? new URL(url) : null;
  const redirect = URL.canParse(context.redirectUri) ? new URL(context.redirectUri) : null;
  if (target === null || redirect === null || placeOf(target) !== placeOf(redirect)) {
    found.add('callback-elsewhere', {
      expected: context.redirectUri,
      received: target === null ? '' : placeOf(target),
    });
    return found.checked<Callback>(null);
  }
  const parameters = target.searchParams;
  checkState(parameters, context.state, found);
  checkIss(parameters, context, found);
  if (found.all.some(({ severity }) => severity === 'error')) return found.checked<Callback>(null);
  for (const name of new Set(parameters.keys())) {
    if (parameters.getAll(name).length > 1)
      found.add('callback-parameter-repeated', {
        text: `The parameter ${name} of the callback is repeated. The code was not sent.`,
        received: name,
      });
  }
  checkContent(parameters, target, found);
  const code = parameters.get('code');
  const checked = found.checked<Callback>(code === null ? null : { code });
  return checked.stop === null ? checked : { ...checked, value: null };
}

const placeOf = ({ origin, pathname }: URL): string => `${origin}${pathname}`;

function checkState(parameters: URLSearchParams, expected: string, found: Findings): void {
  const [state, ...others] = parameters.getAll('state');
  if (state === undefined || state === '') found.add('state-missing');
  else if ([state, ...others].some((one) => !isSameSecret(one, expected))) found.add('state-differs');
}

function checkIss(
  parameters: URLSearchParams,
  { issuer, promisesIss }: CallbackContext,
  found: Findings,
): void {
  const values = parameters.getAll('iss');
  if (values.length === 0) {
    if (promisesIss) found.add('iss-missing', { expected: issuer });
    return;
  }
  const wrong = values.find((value) => value !== issuer);
  if (wrong === undefined) {
    if (!promisesIss) found.add('iss-not-advertised', { received: values[0] ?? null });
    return;
  }
  const difference = issuer === null ? 'other' : differenceOf(issuer, wrong);
  const how = {
    none: '',
    other: '',
    slash: ' Only the slash differs.',
    spelling: ' It is the same URL written in another way.',
  }[difference];
  found.add('iss-differs', {
    text: `The iss is ${wrong}, expected ${issuer ?? 'none'}.${how} The code was not sent.`,
    expected: issuer,
    received: wrong,
  });
}

function checkContent(parameters: URLSearchParams, { hash }: URL, found: Findings): void {
  const error = parameters.get('error');
  const code = parameters.get('code');
  const fragment = new URLSearchParams(hash.slice(1));
  if ([parameters, fragment].some((one) => one.has('access_token') || one.has('id_token')))
    found.add('token-in-callback');
  if (error !== null && code !== null) found.add('code-with-error', { received: error });
  if (error === null && (code === null || code === ''))
    found.add('code-missing', {
      ...(fragment.has('code') && { text: 'The callback has its code in the fragment, not in the query.' }),
    });
  if (error === null) return;
  const received = [error, parameters.get('error_description'), parameters.get('error_uri')]
    .filter((one) => one !== null)
    .join(', ');
  if (error === 'invalid_target') found.add('resource-rejected', { received });
  else
    found.add('authorization-error', {
      text: `${error}: the authorization server ${meaningOfError(error).says}`,
      received,
    });
}

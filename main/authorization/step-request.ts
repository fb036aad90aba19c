import type { AuthorizationParameter, StepRequest } from '#shared/contract/authorization.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { isCredentialParameter } from '#shared/secret-names.ts';
import { type DropNotes, withDropped } from './dropped-parameters.ts';
import type { RawRequest } from './exchange.ts';
import type { FormRequest } from './form-request.ts';
import { fingerprintOf } from './tokens.ts';

/** A request with its secrets, which the page does not know. */
export interface PreparedRequest {
  readonly shown: StepRequest;
  /** The secrets by part and name, such as `body:code`. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** A parameter before its secret is taken out. */
export interface Field {
  readonly name: string;
  readonly value: string;
  readonly isSecret?: boolean;
  /** Whether it is sent; it is by default. */
  readonly isOn?: boolean;
  readonly note?: string;
  readonly row?: number | null;
}

interface Draft {
  readonly method: string;
  readonly url: string;
  readonly sentBy?: StepRequest['sentBy'];
  readonly query?: readonly Field[];
  readonly headers?: readonly Field[];
  readonly bodyKind?: StepRequest['bodyKind'];
  readonly body?: readonly Field[];
}

type Part = 'query' | 'headers' | 'body';

export function prepareRequest(draft: Draft): PreparedRequest {
  const { method, url, sentBy = 'client', query = [], headers = [], bodyKind = 'none', body = [] } = draft;
  const secrets = new Map<string, string>();
  const shown = (part: Part, fields: readonly Field[]): AuthorizationParameter[] =>
    fields.map(({ name, value, isSecret = false, isOn = true, note = '', row = null }) => {
      if (isSecret) secrets.set(`${part}:${name}`, value);
      return {
        name,
        value: isSecret ? null : value,
        fingerprint: isSecret ? fingerprintOf(value) : null,
        isOn,
        note,
        row,
      };
    });
  return {
    shown: {
      method,
      url,
      sentBy,
      query: shown('query', query),
      headers: shown('headers', headers),
      bodyKind,
      body: shown('body', body),
    },
    secrets,
  };
}

/** Parameters of a form whose values are secrets. */
const secretParameters: ReadonlySet<string> = new Set([
  'code',
  'code_verifier',
  'client_secret',
  'client_assertion',
  'refresh_token',
  'assertion',
  'subject_token',
  'token',
]);

const secretHeaders: ReadonlySet<string> = new Set(['authorization', 'dpop']);

/**
 * A request to an endpoint of an authorization server as one to edit.
 *
 * @param notes by the names of parameters
 * @param dropped the parameters that are left out, with their notes
 */
export function prepareForm(
  request: FormRequest,
  notes: Readonly<Record<string, string>> = {},
  dropped: DropNotes = {},
): PreparedRequest {
  const url = new URL(request.url);
  const query = withDropped(queryFields(url), dropped);
  url.search = '';
  return prepareRequest({
    method: request.method,
    url: url.href,
    query,
    headers: [
      { name: 'Accept', value: 'application/json' },
      { name: 'Content-Type', value: 'application/x-www-form-urlencoded' },
      ...request.headers.map(([name, value]) => ({
        name,
        value,
        isSecret: secretHeaders.has(name.toLowerCase()),
      })),
    ],
    bodyKind: 'form',
    body: withDropped(
      request.parameters.map(([name, value]) => ({
        name,
        value,
        isSecret: secretParameters.has(name) || isCredentialParameter(name),
        note: notes[name] ?? '',
      })),
      dropped,
    ),
  });
}

/**
 * The request that the user made, with other secrets: of the same names, they are sent in place of its own.
 *
 * @param note of those that are others
 */
export function withSecrets(
  shown: StepRequest,
  secrets: PreparedRequest['secrets'],
  note = '',
): PreparedRequest {
  const changed = (part: Part): AuthorizationParameter[] =>
    shown[part].map((one) => {
      const secret = secrets.get(`${part}:${one.name}`);
      const fingerprint = secret === undefined ? null : fingerprintOf(secret);
      const isSame = one.value !== null || fingerprint === one.fingerprint;
      return isSame ? one : { ...one, fingerprint, note };
    });
  return {
    shown: { ...shown, query: changed('query'), headers: changed('headers'), body: changed('body') },
    secrets,
  };
}

/** The request that the user made, without the credentials that were typed into it: they become secrets of the step. */
export function withoutTypedSecrets(
  edited: StepRequest,
  before: PreparedRequest['secrets'],
): PreparedRequest {
  const secrets = new Map(before);
  const hidden = (part: Part): AuthorizationParameter[] =>
    edited[part].map((one, place, all) => {
      const { name, value } = one;
      const key = `${part}:${name}`;
      const isSecret =
        before.has(key) ||
        (part === 'headers' ? secretHeaders.has(name.toLowerCase()) : isCredentialParameter(name));
      // Of several with the same name the secrets of a step know only one.
      const isAlone = all.every((other, index) => index === place || other.name !== name);
      const known = before.get(key);
      // It was signed again since the page got it.
      if (value === null && known !== undefined) return { ...one, fingerprint: fingerprintOf(known) };
      if (value === null || value === '' || !isSecret || !isAlone) return one;
      secrets.set(key, value);
      return { ...one, value: null, fingerprint: fingerprintOf(value) };
    });
  const shown = { ...edited, query: hidden('query'), headers: hidden('headers'), body: hidden('body') };
  return { shown, secrets };
}

/** The names of the parameters of a form that were sent. */
export const sentNames = ({ body }: StepRequest): string[] =>
  body.filter(({ isOn }) => isOn).map(({ name }) => name);

export const isSent = (request: StepRequest, name: string): boolean => sentNames(request).includes(name);

/** The parameters of the query of a URL. */
export const queryFields = (url: URL): Field[] =>
  [...url.searchParams].map(([name, value]) => ({ name, value }));

/**
 * The request as it goes out: a value that is null is the secret of its name.
 *
 * @param shown the prepared request, or what the user made of it
 * @throws FaultError if its URL is not one
 */
export function materialize(shown: StepRequest, secrets: PreparedRequest['secrets']): RawRequest {
  const values = (part: Part) =>
    shown[part]
      .filter(({ isOn }) => isOn)
      .map(({ name, value }) => [name, value ?? secrets.get(`${part}:${name}`) ?? ''] as const);
  const url = requireUrl(shown.url);
  const query = encodePairs(values('query'));
  if (query !== '') url.search = url.search === '' ? query : `${url.search}&${query}`;
  return { method: shown.method, url, headers: values('headers'), body: bodyOf(shown, values('body')) };
}

function bodyOf({ bodyKind }: StepRequest, values: readonly (readonly [string, string])[]): Buffer | null {
  switch (bodyKind) {
    case 'none':
      return null;
    case 'form':
      return Buffer.from(encodePairs(values));
    case 'json':
      return Buffer.from(`{${values.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`);
  }
}

const encodePairs = (pairs: readonly (readonly [string, string])[]): string =>
  new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();

/** @throws FaultError unless it is an http(s) URL */
export function requireUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw new FaultError({
    code: 'authorization-url',
    what: 'The URL of this step is not an http or https URL.',
    evidence: text.slice(0, 300),
    next: 'Correct it, or go back and look at the response that named it.',
  });
}

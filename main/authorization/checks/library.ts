import * as oauth from 'oauth4webapi';
import type { AuthorizationFinding } from '#shared/contract/authorization.ts';
import { messageOf } from '#shared/contract/fault.ts';
import type { RawResponse } from '#authorization/exchange.ts';
import { type Checked, Findings } from './findings.ts';

/** What oauth4webapi validates a response as. */
export type LibraryQuestion =
  | { readonly kind: 'resource-metadata'; readonly serverUrl: string }
  | { readonly kind: 'server-metadata'; readonly issuer: string }
  | { readonly kind: 'registration' }
  | { readonly kind: 'token' | 'refresh' | 'introspect'; readonly issuer: string; readonly clientId: string }
  | {
      readonly kind: 'id-token';
      readonly issuer: string;
      readonly clientId: string;
      readonly nonce: string | null;
      /** `id_token_signing_alg_values_supported`; null if the metadata does not have it. */
      readonly algorithms: readonly string[] | null;
    }
  | { readonly kind: 'assertion'; readonly issuer: string; readonly clientId: string }
  | { readonly kind: 'revoke' };

const ACCEPTED = 'accepted';

/** What oauth4webapi says about a response: `accepted`, or its message. It gets a copy, which it may change. */
export async function askLibrary(response: RawResponse, question: LibraryQuestion): Promise<string> {
  try {
    await validate(asResponse(response), question);
    return ACCEPTED;
  } catch (error) {
    return opinionOf(error);
  }
}

/** What it says about a callback. It needs an issuer, which a server without metadata does not name. */
export function askLibraryAboutCallback(
  url: string,
  {
    issuer,
    state,
    promisesIss,
  }: { readonly issuer: string; readonly state: string; readonly promisesIss: boolean },
): string {
  try {
    oauth.validateAuthResponse(
      { issuer, authorization_response_iss_parameter_supported: promisesIss },
      { client_id: 'client' },
      new URL(url),
      state,
    );
    return ACCEPTED;
  } catch (error) {
    return opinionOf(error);
  }
}

/** The findings with what the library says, and a finding of its own if only the library rejects the response. */
export function withLibrary<T>(
  { value, findings, stop }: Checked<T>,
  { library, row }: { readonly library: string; readonly row: number | null },
): Checked<T> {
  const compared = findings.map((finding): AuthorizationFinding => ({ ...finding, library }));
  const stopAt = stop === null ? -1 : findings.indexOf(stop);
  if (library !== ACCEPTED && findings.every(({ severity }) => severity === 'info')) {
    const own = new Findings({ row });
    own.add('library-rejects', { received: library });
    compared.push(...own.all.map((finding) => ({ ...finding, library })));
  }
  return { value, findings: compared, stop: compared[stopAt] ?? null };
}

/** Its messages quote no values. */
function opinionOf(error: unknown): string {
  if (error instanceof oauth.WWWAuthenticateChallengeError)
    return 'The response has a WWW-Authenticate header, behind which the library hides the error.';
  if (error instanceof oauth.ResponseBodyError) return `The response is an error: ${error.error}`;
  if (error instanceof oauth.AuthorizationResponseError) return `The response is an error: ${error.error}`;
  return messageOf(error);
}

/** A copy, because the library changes what it validates. It knows statuses from 200 to 599 only. */
function asResponse({ status, headers, body }: RawResponse): Response {
  const copy = new Headers();
  for (const [name, value] of headers) copy.append(name, value);
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  return new Response(hasBody ? new Uint8Array(body) : null, { status, headers: copy });
}

async function validate(response: Response, question: LibraryQuestion): Promise<unknown> {
  switch (question.kind) {
    case 'resource-metadata':
      return oauth.processResourceDiscoveryResponse(new URL(question.serverUrl), response);
    case 'server-metadata':
      return oauth.processDiscoveryResponse(new URL(question.issuer), response);
    case 'registration':
      return oauth.processDynamicClientRegistrationResponse(response);
    case 'revoke':
      return oauth.processRevocationResponse(response);
    case 'id-token': {
      const { issuer, clientId, nonce, algorithms } = question;
      return oauth.processAuthorizationCodeResponse(
        { issuer, ...(algorithms !== null && { id_token_signing_alg_values_supported: [...algorithms] }) },
        { client_id: clientId },
        response,
        { requireIdToken: true, ...(nonce !== null && { expectedNonce: nonce }) },
      );
    }
    case 'token':
    case 'refresh':
    case 'introspect':
    case 'assertion':
      return validateAt(
        { issuer: question.issuer },
        { client_id: question.clientId },
        { kind: question.kind, response },
      );
  }
}

interface EndpointResponse {
  readonly kind: 'token' | 'refresh' | 'introspect' | 'assertion';
  readonly response: Response;
}

function validateAt(
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  { kind, response }: EndpointResponse,
): Promise<unknown> {
  switch (kind) {
    case 'token':
      return oauth.processGenericTokenEndpointResponse(server, client, response);
    case 'refresh':
      return oauth.processRefreshTokenResponse(server, client, response);
    case 'introspect':
      return oauth.processIntrospectionResponse(server, client, response);
    case 'assertion':
      return oauth.processGenericTokenEndpointResponse(server, client, response, {
        recognizedTokenTypes: { n_a: () => undefined },
      });
  }
}

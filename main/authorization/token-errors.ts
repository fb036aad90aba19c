import type { Fault } from '#shared/contract/fault.ts';
import type { FlowResponse } from './exchange.ts';
import type { FlowContext, FlowEnvironment } from './flow-types.ts';
import { oauthError } from './server-words.ts';

/** The errors that say that the authorization server does not know a client, or not for this (RFC 6749 sections 4.1.2.1 and 5.2). */
const deadClient: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client']);

/** Whether an error says so. */
export const isDeadClient = (error: string | null): boolean => error !== null && deadClient.has(error);

/**
 * Whether an error means that the authorization server has lost a registration that was made by an earlier flow, so that a new one helps.
 * Clients that the user registered, or hosts a document for, are for the user to mend.
 */
export const hasLostClient = (
  error: string | null,
  { client, hasRegistered }: Pick<FlowContext, 'client' | 'hasRegistered'>,
): boolean => isDeadClient(error) && isKeptRegistration({ client, hasRegistered });

/** Whether the client of a flow was registered dynamically by an earlier one. */
export const isKeptRegistration = ({
  client,
  hasRegistered,
}: Pick<FlowContext, 'client' | 'hasRegistered'>): boolean => client?.kind === 'dynamic' && !hasRegistered;

/** What follows once a registration is dropped: the client registers again, and authorizes with its new ID. */
export const withoutClient = (context: FlowContext): FlowContext => ({
  ...context,
  client: null,
  authorizationRequest: null,
  code: null,
  // The identity provider made it for the old client.
  assertion: null,
});

export const DROPPED = 'Its registration was dropped, and the client registers again (RFC 7591).';

/** The response of the token endpoint has no token. */
export function noToken(
  env: Pick<FlowEnvironment, 'settings'>,
  context: Pick<FlowContext, 'client' | 'hasRegistered'>,
  response: FlowResponse,
  isRefresh: boolean,
): Fault {
  const { error, quote } = oauthError(response);
  const { status } = response;
  const what =
    error === null
      ? `The token endpoint did not answer with a token (HTTP status ${status}).`
      : status === 200
        ? `The token endpoint answered with HTTP status 200 and the error ${error.slice(0, 100)}.`
        : `The token endpoint answered with the error ${error.slice(0, 100)}.`;
  return { code: 'token-refused', what, quote, next: adviceFor(env, context, { error, status, isRefresh }) };
}

interface Rejection {
  readonly error: string | null;
  readonly status: number;
  readonly isRefresh: boolean;
}

function adviceFor(
  { settings }: Pick<FlowEnvironment, 'settings'>,
  context: Pick<FlowContext, 'client' | 'hasRegistered'>,
  { error, status, isRefresh }: Rejection,
): string {
  switch (error) {
    case 'invalid_client':
      return adviceAboutClient(context);
    case 'unauthorized_client':
      return `Allow the client the grant ${isRefresh ? 'refresh_token' : grantNames[settings.grant]} at the authorization server, or use another client there.`;
    case 'invalid_grant':
      return isRefresh
        ? 'Authorize again: the refresh token has expired, was used before, or was revoked.'
        : settings.grant === 'authorization-code'
          ? 'Authorize again, within the lifetime of the code. If it happens again, compare redirect_uri and client_id of the token request with those of the authorization request.'
          : 'Compare the claims of the assertion, above all aud and exp, with what the authorization server expects.';
    case 'unsupported_grant_type':
      return 'Choose another grant in the settings of the server, one that grant_types_supported of the metadata has.';
    case 'invalid_scope':
      return 'Enter scopes in the settings of the server that the authorization server gives to this client.';
    case 'invalid_target':
      return 'Register the URL of the MCP server as a resource at the authorization server, or compare it with resource of the request, slash included.';
    case null:
      return status >= 500
        ? 'Look at the log of the authorization server, then try again.'
        : 'Look whether token_endpoint of the metadata is the right URL, and whether a gateway answers in its place.';
    default:
      return 'Compare the request of the step with what is registered at the authorization server.';
  }
}

const grantNames = {
  'authorization-code': 'authorization_code',
  'client-credentials': 'client_credentials',
  enterprise: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'workload-identity': 'urn:ietf:params:oauth:grant-type:jwt-bearer',
} as const;

function adviceAboutClient({ client, hasRegistered }: Pick<FlowContext, 'client' | 'hasRegistered'>): string {
  switch (client?.kind) {
    case 'metadata-document':
      return 'Look whether the authorization server can read the metadata document at the URL that is the client ID, and accepts its token_endpoint_auth_method.';
    case 'dynamic':
      return `${hasRegistered ? 'The client was registered a moment ago. ' : ''}Look whether the authorization server keeps its registrations where the token endpoint finds them, and which token_endpoint_auth_method it registered.`;
    default:
      return 'Compare the client ID, the secret or key, and the authentication method in the settings of the server with what is registered at the authorization server.';
  }
}

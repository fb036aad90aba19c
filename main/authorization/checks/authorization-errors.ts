/** What an error of the authorization endpoint means, and what to do about it. */
export interface AuthorizationErrorMeaning {
  /** The end of a sentence: the authorization server … */
  readonly says: string;
  readonly next: string;
}

const LOG = 'Look at the log of the authorization server.';

/** The errors of an authorization response (RFC 6749 section 4.1.2.1, RFC 8707 section 2, OpenID Connect Core 3.1.2.6). */
const meanings: ReadonlyMap<string, AuthorizationErrorMeaning> = new Map([
  [
    'access_denied',
    {
      says: 'did not grant access: the user declined, or a policy of the server did.',
      next: 'Authorize again and consent, or sign in as a user who may use the server.',
    },
  ],
  [
    'invalid_request',
    {
      says: 'cannot read the request: a parameter is missing, repeated or has a value that it does not take.',
      next: 'Compare the parameters of the authorization request with what the server expects; fork there to change one.',
    },
  ],
  [
    'invalid_scope',
    {
      says: 'does not know a scope of the request, or does not give it to this client.',
      next: 'Compare scope with scopes_supported of the metadata, and enter other scopes in the settings.',
    },
  ],
  [
    'unauthorized_client',
    {
      says: 'does not let this client use the authorization code grant.',
      next: 'Register the client for the grant authorization_code, or choose another client ID.',
    },
  ],
  [
    'unsupported_response_type',
    {
      says: 'does not give authorization codes (response_type code).',
      next: 'Have the authorization server support response_type code; MCP has no other.',
    },
  ],
  ['server_error', { says: 'failed while it handled the request.', next: `${LOG} Then try again.` }],
  [
    'temporarily_unavailable',
    { says: 'is overloaded or under maintenance.', next: 'Wait, then authorize again.' },
  ],
  [
    'invalid_target',
    {
      says: 'does not issue tokens for this resource.',
      next: 'Register the URL of the MCP server as a resource there, or compare it with resource of the request, slash included.',
    },
  ],
  [
    'login_required',
    {
      says: 'wants the user to sign in.',
      next: 'Sign in at the authorization server in this browser, then authorize again; remove prompt=none if the extra parameters have it.',
    },
  ],
  [
    'consent_required',
    {
      says: 'wants the user to consent.',
      next: 'Add prompt=consent to the extra parameters, or remove prompt=none if they have it, then authorize again and consent.',
    },
  ],
  [
    'interaction_required',
    {
      says: 'needs to show a page to the user.',
      next: 'Remove prompt=none from the extra parameters if they have it; otherwise look at the log of the authorization server for which page it means.',
    },
  ],
]);

/** What the error means; an error that no specification has is named as such. */
export const meaningOfError = (error: string): AuthorizationErrorMeaning =>
  meanings.get(error) ?? {
    says: 'answered with an error of its own.',
    next: `${LOG} Its error_description may say more.`,
  };

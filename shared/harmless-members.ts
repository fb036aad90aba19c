/**
 * How much of a member of a token response and the like can be read. `text`: all but the words that may be tokens. `name`: all but a
 * JWT and the credentials in a URL.
 */
export type MemberKind = 'text' | 'name';

/** Members without a secret (RFC 6749, 7009, 7591, 7662, 8628, 9126, and what providers add), in small letters only. */
const harmless: readonly (readonly [kind: MemberKind, names: string])[] = [
  [
    'text',
    'tokentype issuedtokentype expiresin expiresat expires extexpiresin refreshexpiresin refreshtokenexpiresin exp iat nbf ' +
      'authtime issuedat createdat consentedon notbeforepolicy interval active ok success status statuscode timestamp ' +
      'error errordescription errormessage errorcode errorcodes errors errortype errorsubcode suberror erroruri message msg reason ' +
      'detail details description title type hint warning clientidissuedat clientsecretexpiresat clientname granttypes granttype ' +
      'responsetypes responsetype tokenendpointauthmethod introspectionendpointauthmethod revocationendpointauthmethod ' +
      'applicationtype contacts softwareversion subjecttype requestedtokentype subjecttokentype actortokentype tokentypehint ' +
      'clientassertiontype idtokensignedresponsealg userinfosignedresponsealg tokenendpointauthsigningalg requestobjectsigningalg ' +
      'codechallengemethod requireauthtime defaultmaxage requirepushedauthorizationrequests dpopboundaccesstokens ' +
      'tlsclientcertificateboundaccesstokens',
  ],
  [
    'name',
    'clientid scope scopes iss issuer aud audience sub azp username redirecturi redirecturis posthlogoutredirecturis resource ' +
      'traceid correlationid requestid registrationclienturi clienturi logouri tosuri policyuri jwksuri softwareid verificationuri ' +
      'verificationurl codechallenge',
  ],
];

const kinds: ReadonlyMap<string, MemberKind> = new Map(
  harmless.flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind] as const)),
);

/** How much of a member can be read; null if it may be a secret. */
export const memberKind = (name: string): MemberKind | null => kinds.get(lettersOf(name)) ?? null;

/** The private members of a JWK (RFC 7518 section 6). */
export const isPrivateKeyMember = (name: string): boolean => /^(?:d|p|q|dp|dq|qi|k|oth|r|t)$/.test(name);

/** The public members of a JWK (RFC 7517 section 4, RFC 7518 section 6). */
export const isPublicKeyMember = (name: string): boolean =>
  /^(?:kty|use|key_ops|alg|kid|crv|n|e|x|y|x5u|x5c|x5t|x5t#S256|exp|nbf|iat)$/.test(name);

/** Credentials by name in documents that anybody may read: they are there by mistake. */
const secretMembers: ReadonlySet<string> = new Set(
  (
    'accesstoken refreshtoken idtoken clientsecret registrationaccesstoken devicecode codeverifier ' +
    'assertion clientassertion subjecttoken actortoken'
  ).split(' '),
);

export const isSecretMember = (name: string): boolean => secretMembers.has(lettersOf(name));

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '');

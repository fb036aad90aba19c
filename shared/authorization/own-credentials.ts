/** What the user entered for one authorization server, or may send there only once. None of it is for another. */
export const ownCredentialKinds = [
  'client-id',
  'client-secret',
  'private-key',
  'initial-access-token',
  'identity-token',
  'identity',
  'parameters',
] as const;
export type OwnCredentialKind = (typeof ownCredentialKinds)[number];

const labels: Readonly<Record<OwnCredentialKind, string>> = {
  'client-id': 'client ID',
  'client-secret': 'client secret',
  'private-key': 'private key',
  'initial-access-token': 'initial access token',
  'identity-token': 'identity token',
  identity: 'assertion of the identity provider',
  parameters: 'secret parameters',
};

/** What a change of the issuer says, on the terminal and in a finding. Its texts of servers are untrusted. */
export function issuerChangeText({
  credentials,
  before,
  issuer,
}: {
  readonly credentials: readonly OwnCredentialKind[];
  readonly before: readonly string[];
  readonly issuer: string;
}): string {
  const belong = itOrThem(credentials) === 'it' ? 'belongs' : 'belong';
  return `The server now names the authorization server ${issuer}, but ${credentialsText(credentials)} ${belong} to ${before.join(', ')}.`;
}

/** The pronoun for credentials: one of them can be several parameters. */
export const itOrThem = (kinds: readonly OwnCredentialKind[]): 'it' | 'them' =>
  kinds.length === 1 && kinds[0] !== 'parameters' ? 'it' : 'them';

/** Such as `the client ID and the client secret`. */
export function credentialsText(kinds: readonly OwnCredentialKind[]): string {
  const all = kinds.map((kind) => `the ${labels[kind]}`);
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

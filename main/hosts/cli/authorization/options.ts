import { z } from 'zod';
import {
  assertionAudiences,
  type AuthorizationOverrides,
  clientAuthMethods,
  droppableParameters,
  grantKinds,
  knownProviderIds,
  registrationChoices,
} from '#shared/contract/authorization.ts';
import type { CliOption } from '#hosts/cli/command.ts';
import { UsageError } from '#hosts/cli/exit.ts';
import { readNamedValue, readSecretVariable } from '#hosts/cli/named-values.ts';
import { quoted } from '#hosts/cli/option-values.ts';
import { withProvider } from './provider.ts';
import { readRedirect } from './redirect.ts';

/** Options of `auth` that say how to authorize. */
export const authorizationOptions: readonly CliOption[] = [
  ['--scope <scopes>', 'ask for these scopes, separated by spaces, instead of those that the server names'],
  ['--grant <grant>', `how to get a token: ${grantKinds.join(', ')}`],
  ['--registration <way>', `how the client becomes known: ${registrationChoices.join(', ')}`],
  ['--client-id <id>', 'the client that is registered at the authorization server'],
  [
    '--client-secret <name[=source]>',
    'its secret: the variable of that name here, or NAME=@FILE, NAME=$VARIABLE',
  ],
  ['--private-key <name[=source]>', 'its private key, as PEM (PKCS #8) or JWK: as --client-secret'],
  [
    '--key-id <id>',
    'the kid in the header of its client assertions, instead of that of the JWK; with --private-key',
  ],
  [
    '--assertion-audience <audience>',
    `the aud of its client assertions: ${assertionAudiences.join(', ')}; with --private-key`,
  ],
  ['--client-auth <method>', `how it authenticates at the token endpoint: ${clientAuthMethods.join(', ')}`],
  ['--client-metadata-document <url>', 'the URL of its hosted client ID metadata document'],
  ['--initial-access-token <name[=source]>', 'the token that dynamic registration needs: as --client-secret'],
  [
    '--redirect <address>',
    'where the browser is sent back to: PORT, HOST:PORT or HOST:PORT/PATH, on this machine; a free port without one',
  ],
  ['--dpop', 'ask for tokens that are bound to a key (DPoP)'],
  [
    '--auth-param <name=value>',
    'send this parameter in the authorization request, also NAME=@FILE and NAME=$VARIABLE; may be repeated',
    'repeatable',
  ],
  [
    '--token-param <name=value>',
    'send this parameter in the token request and each refresh: as --auth-param; may be repeated',
    'repeatable',
  ],
  ['--drop <names>', `never send these parameters, separated by commas: ${droppableParameters.join(', ')}`],
  [
    '--provider <name>',
    `what the authorization server is, which sets what it is known to need: ${knownProviderIds.join(', ')}`,
  ],
  ['--identity-provider <issuer>', 'the identity provider of the enterprise grant; you sign in there'],
  ['--identity-client-id <id>', 'the client that is registered there'],
  [
    '--identity-token <name[=source]>',
    'an ID token of it, or the token of the workload: as --client-secret; then nobody signs in',
  ],
  [
    '--test-identity-provider <user>',
    'run a test identity provider during the flow, for a user or workload of this name',
  ],
];

export const authorizationOptionsSchema = z.object({
  scope: z.string().regex(/\S/, 'wants at least one scope').optional(),
  grant: z.enum(grantKinds).optional(),
  registration: z.enum(registrationChoices).optional(),
  clientId: z.string().min(1, 'wants a client ID').optional(),
  clientSecret: z.string().optional(),
  privateKey: z.string().optional(),
  keyId: z.string().min(1, 'wants a key ID').optional(),
  assertionAudience: z.enum(assertionAudiences).optional(),
  clientAuth: z.enum(clientAuthMethods).optional(),
  clientMetadataDocument: z.string().optional(),
  initialAccessToken: z.string().optional(),
  redirect: z.string().optional(),
  dpop: z.literal(true).optional(),
  authParam: z.array(z.string()).optional(),
  tokenParam: z.array(z.string()).optional(),
  drop: z.string().optional(),
  provider: z.enum(knownProviderIds).optional(),
  identityProvider: z.string().optional(),
  identityClientId: z.string().optional(),
  identityToken: z.string().optional(),
  testIdentityProvider: z.string().optional(),
});
type Options = z.infer<typeof authorizationOptionsSchema>;

/**
 * The settings that the options name; those of the server, or the defaults, hold for the others.
 *
 * @param serverUrl null if only the saved server knows it
 * @throws UsageError
 */
export const readAuthorization = (options: Options, serverUrl: string | null): AuthorizationOverrides =>
  withProvider(options, readOptions(options), serverUrl);

function readOptions(options: Options): AuthorizationOverrides {
  const { scope, grant, dpop, clientAuth, keyId, assertionAudience, redirect, drop } = options;
  const { authParam, tokenParam, testIdentityProvider: user } = options;
  return {
    ...readClient(options),
    ...readIdentity(options),
    ...(scope !== undefined && { scopes: scope.trim().split(/\s+/).join(' ') }),
    ...(grant !== undefined && { grant }),
    ...(clientAuth !== undefined && { authMethod: clientAuth }),
    ...(keyId !== undefined && { keyId }),
    ...(assertionAudience !== undefined && { assertionAudience }),
    ...(redirect !== undefined && { redirect: readRedirect(redirect) }),
    ...(dpop === true && { dpop }),
    ...(authParam !== undefined && { extra: authParam.map((text) => parameterOf('--auth-param', text)) }),
    ...(tokenParam !== undefined && {
      tokenExtra: tokenParam.map((text) => parameterOf('--token-param', text)),
    }),
    ...(drop !== undefined && { dropped: readDropped(drop) }),
    ...(user !== undefined && { testIdentityProvider: { user, port: null } }),
  };
}

function readClient(options: Options): AuthorizationOverrides {
  const { clientId, clientMetadataDocument: document, registration } = options;
  const way =
    registration ??
    (clientId !== undefined ? 'pre-registered' : document !== undefined ? 'metadata-document' : undefined);
  return {
    ...(way !== undefined && { registration: way }),
    ...(clientId !== undefined && { clientId }),
    ...(document !== undefined && { metadataDocument: readDocument(document) }),
    ...secretSetting('clientSecret', '--client-secret', options.clientSecret),
    ...secretSetting('privateKey', '--private-key', options.privateKey),
    ...secretSetting('initialAccessToken', '--initial-access-token', options.initialAccessToken),
  };
}

function readIdentity(options: Options): AuthorizationOverrides {
  const { identityProvider: issuer, identityClientId: clientId } = options;
  if ((issuer === undefined) !== (clientId === undefined))
    throw new UsageError('--identity-provider and --identity-client-id belong together');
  return {
    ...(issuer !== undefined && clientId !== undefined && { identityProvider: { issuer, clientId } }),
    ...secretSetting('identityToken', '--identity-token', options.identityToken),
  };
}

function secretSetting(
  name: 'clientSecret' | 'privateKey' | 'initialAccessToken' | 'identityToken',
  option: string,
  given: string | undefined,
): AuthorizationOverrides {
  if (given === undefined) return {};
  return { [name]: { isSet: true, value: readSecretVariable(option, given)[1] } };
}

function parameterOf(option: string, text: string): { name: string; value: string } {
  const [name, value] = readNamedValue(option, text);
  return { name, value };
}

/** The flow says what else is wrong with it, as authorization servers see it. */
function readDocument(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(
    `--client-metadata-document wants the https URL where it is hosted, such as https://app.example/client.json; it is ${quoted(text)}`,
  );
}

function readDropped(text: string): (typeof droppableParameters)[number][] {
  const names = text.split(/[\s,]+/).filter((one) => one !== '');
  if (names.length === 0) throw new UsageError(`--drop wants any of: ${droppableParameters.join(', ')}`);
  return names.map((name) => {
    const known = droppableParameters.find((one) => one === name);
    if (known !== undefined) return known;
    throw new UsageError(`--drop wants any of: ${droppableParameters.join(', ')}; it is ${quoted(name)}`);
  });
}

/** What some settings cannot do without, if no saved server has it. @throws UsageError */
export function checkComplete({
  registration,
  clientId,
  metadataDocument,
  ...others
}: AuthorizationOverrides): void {
  if (registration === 'pre-registered' && clientId === undefined)
    throw new UsageError('--registration pre-registered wants the client with it: --client-id');
  if (registration === 'metadata-document' && metadataDocument === undefined)
    throw new UsageError(
      '--registration metadata-document wants the document with it: --client-metadata-document',
    );
  if (others.clientSecret !== undefined && clientId === undefined)
    throw new UsageError('--client-secret belongs to a client: --client-id');
  const isKeyless = others.privateKey === undefined;
  if (isKeyless && others.keyId !== undefined) throw new UsageError('--key-id names a key: --private-key');
  if (isKeyless && others.assertionAudience !== undefined)
    throw new UsageError('--assertion-audience is about assertions that a key signs: --private-key');
  if (isKeyless && others.authMethod === 'private_key_jwt')
    throw new UsageError('--client-auth private_key_jwt wants the key with it: --private-key');
}

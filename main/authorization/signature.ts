import type { TokenSignature } from '#shared/contract/authorization.ts';
import { Findings } from './checks/findings.ts';
import { checkStatus } from './checks/json-response.ts';
import { getRequest } from './metadata-candidates.ts';
import type { FlowResponse } from './exchange.ts';
import type { Conclusion, FlowContext, FlowEnvironment, PlannedStep } from './flow-types.ts';
import { type IssuerKeys, isVerifiable, keysLocation, readIssuerKeys, verifySignature } from './jwt.ts';
import { textOf, writtenIssuer } from './metadata.ts';
import type { TokenSet } from './tokens.ts';

/** Whether a public key can verify one of the tokens. */
export const hasSignatures = ({ accessToken, idToken }: TokenSet): boolean =>
  isVerifiable(accessToken) || (idToken !== null && isVerifiable(idToken));

/**
 * Fetches the keys of the issuer, and verifies the access token and the ID token with them. A flow goes on whatever the result is: to the
 * client an access token means nothing (RFC 9068 section 6).
 */
export function planVerification(env: FlowEnvironment, context: FlowContext, tokens: TokenSet): PlannedStep {
  const issuer = writtenIssuer(env, context);
  const after = { ...context, isSignatureChecked: true };
  const location = keysLocation(textOf(context.serverMetadata, 'jwks_uri'));
  const conclude = async (keys: IssuerKeys, response: FlowResponse | null): Promise<Conclusion> => {
    const found = new Findings({ row: response?.row ?? null });
    if (response !== null) checkStatus(response, found);
    const outcomes: string[] = [];
    for (const { label, token, source } of signedTokens(tokens)) {
      const signature = await verifySignature(token, keys);
      await env.keepSignature(token, signature);
      outcomes.push(`${label}: ${stateTexts[signature.state]}. ${signature.detail}`);
      const text = `${label}: ${signature.detail}`;
      if (signature.state === 'wrong') found.add('token-signature-wrong', { text, source });
      if (signature.state === 'unverified' && isVerifiable(token))
        found.add('keys' in keys ? 'token-key-missing' : 'keys-unavailable', { text });
    }
    return { context: after, outcome: outcomes.join(' '), findings: found.all };
  };
  const base: Pick<PlannedStep, 'name' | 'label' | 'decidedBy' | 'alternatives' | 'contextIfSkipped'> = {
    name: 'verify-signature',
    label: '',
    decidedBy: { text: 'The keys are those that jwks_uri of the issuer names.', source: 'RFC 8414 2' },
    alternatives: [],
    contextIfSkipped: after,
  };
  if (!(location instanceof URL) || !hasSignatures(tokens)) {
    const keys = location instanceof URL ? { missing: '' } : location;
    return {
      ...base,
      parties: ['client'],
      request: null,
      act: { kind: 'local', conclude: () => conclude(keys, null) },
    };
  }
  const unreachable = (what: string) =>
    conclude({ missing: `The keys of the issuer could not be fetched: ${what}` }, null);
  return {
    ...base,
    parties: ['client', 'authorization-server'],
    request: getRequest(env, location.href),
    act: {
      kind: 'exchange',
      failed: ({ what }) => unreachable(what),
      withheld: ({ what }) => unreachable(what),
      conclude: (response) => conclude(readIssuerKeys(response, issuer), response),
    },
  };
}

interface SignedToken {
  readonly label: string;
  readonly token: string;
  /** Where its verification is required. */
  readonly source: string;
}

const signedTokens = ({ accessToken, idToken }: TokenSet): SignedToken[] => [
  { label: 'Access token', token: accessToken, source: 'RFC 9068 4' },
  ...(idToken === null ? [] : [{ label: 'ID token', token: idToken, source: 'OpenID Connect Core 3.1.3.7' }]),
];

const stateTexts: Readonly<Record<TokenSignature['state'], string>> = {
  verified: 'signature verified',
  wrong: 'signature wrong',
  unverified: 'signature not verified',
  none: 'no signature',
};

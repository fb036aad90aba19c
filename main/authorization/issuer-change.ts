import {
  credentialsText,
  issuerChangeText,
  itOrThem,
  type OwnCredentialKind,
} from '#shared/authorization/own-credentials.ts';
import type { FlowQuestion } from '#shared/contract/authorization.ts';
import { isCredentialParameter } from '#shared/secret-names.ts';
import { Findings } from './checks/findings.ts';
import {
  type Conclusion,
  type FlowContext,
  type FlowEnvironment,
  issuerOf,
  type PlannedStep,
} from './flow-types.ts';
import type { OwnCredential } from './issuer-bindings.ts';
import { chooseWay } from './registration.ts';
import { withFindings } from './step-findings.ts';

/** What of the settings a flow sends to the authorization server, by the grant and the way of registration. */
export function ownCredentials(env: FlowEnvironment, context: FlowContext): readonly OwnCredential[] {
  const { settings, secrets } = env;
  const { grant, identityProvider: provider } = settings;
  const manual = context.isClientManual ? context.client : null;
  const way = manual === null ? chooseWay(env, context).way : 'pre-registered';
  const client = manual ?? ({ clientId: settings.clientId, clientSecret: secrets.clientSecret } as const);
  // The assertions of the test identity provider open nothing elsewhere.
  const isReal = settings.testIdentityProvider === null;
  const values: Readonly<Record<OwnCredentialKind, string | null>> = {
    'client-id': way === 'pre-registered' ? client.clientId : null,
    'client-secret': way === 'pre-registered' ? client.clientSecret : null,
    'private-key': way === 'pre-registered' || way === 'metadata-document' ? secrets.privateKey : null,
    'initial-access-token': way === 'dynamic' ? secrets.initialAccessToken : null,
    'identity-token': grant === 'workload-identity' && isReal ? secrets.identityToken : null,
    identity:
      grant === 'enterprise' && isReal && provider !== null
        ? `${provider.issuer} ${provider.clientId}`
        : null,
    parameters: secretParameters(env),
  };
  return Object.entries(values).flatMap(([kind, value]) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of this very record
    value === null ? [] : [{ kind: kind as OwnCredentialKind, value }],
  );
}

/** The further parameters with a secret name, of the requests that the grant sends; null without one. */
function secretParameters({ settings: { grant, extra, tokenExtra } }: FlowEnvironment): string | null {
  const all = [...(grant === 'authorization-code' ? extra : []), ...tokenExtra];
  const secret = all.filter(({ name }) => isCredentialParameter(name));
  return secret.length === 0 ? null : JSON.stringify(secret);
}

/** What of the settings a refresh sends: the private key, and further parameters of the token request. */
export function refreshCredentials(env: FlowEnvironment, context: FlowContext): readonly OwnCredential[] {
  const isSent = env.settings.tokenExtra.some(({ name }) => isCredentialParameter(name));
  const value = isSent ? secretParameters(env) : null;
  return [
    ...privateKeyFor(env, context),
    ...(value === null ? [] : [{ kind: 'parameters' as const, value }]),
  ];
}

/** The private key of the settings, which authenticates stored clients too. */
export const privateKeyFor = (env: FlowEnvironment, { client }: FlowContext): readonly OwnCredential[] =>
  env.secrets.privateKey === null || client?.kind === 'dynamic'
    ? []
    : [{ kind: 'private-key', value: env.secrets.privateKey }];

/**
 * The step before any of these credentials goes to the issuer: it shows where they go the first time, and asks if they went to another
 * issuer so far. Null if the issuer has got all of them before.
 */
export async function planCredentials(
  env: FlowEnvironment,
  context: FlowContext,
  credentials: readonly OwnCredential[],
): Promise<PlannedStep | null> {
  const issuer = issuerOf(env, context);
  if (credentials.length === 0 || context.allowedIssuer === issuer) return null;
  const known = await Promise.all(
    credentials.map(async (one) => ({ kind: one.kind, issuers: await env.issuersOf(one) })),
  );
  const fresh = known.filter(({ issuers }) => !issuers.includes(issuer));
  if (fresh.length === 0) return null;
  const isAllowed = env.allowedIssuers.includes(issuer);
  const moved = fresh.filter(({ issuers }) => issuers.length > 0);
  const before = [...new Set(moved.flatMap(({ issuers }) => issuers))];
  const allowed: FlowContext = { ...context, allowedIssuer: issuer };
  const isFirst = moved.length === 0 && (isAllowed || env.allowedIssuers.length === 0);
  const kinds = (moved.length === 0 ? credentials : moved).map(({ kind }) => kind);
  const step = (act: PlannedStep['act']): PlannedStep => ({
    name: 'credentials',
    label: '',
    parties: ['client'],
    request: null,
    decidedBy: {
      text: 'Credentials belong to the authorization server that they were made for.',
      source: 'MCP 2026-07-28 authorization',
    },
    alternatives: [],
    contextIfSkipped: null,
    act,
  });
  if (isFirst) {
    const outcome = `${capitalized(credentialsText(kinds))} will go to ${issuer}. Another authorization server gets ${itOrThem(kinds)} only if you allow it.`;
    return step({ kind: 'local', conclude: () => ({ context: allowed, outcome }) });
  }
  const change: IssuerChange = {
    kind: 'other-issuer',
    credentials: kinds,
    before: before.length === 0 ? [...env.allowedIssuers] : before,
    issuer,
  };
  if (isAllowed || !env.canAsk)
    return step({
      kind: 'local',
      conclude: () => concludeChange(allowed, change, isAllowed, optionFor(issuer)),
    });
  return step({
    kind: 'question',
    question: change,
    conclude: (isYes) => concludeChange(allowed, change, isYes, notAllowed),
  });
}

/** The step, noting where the credentials go at the moment at which it sends them. */
export function bindingWhenSent(
  env: FlowEnvironment,
  context: FlowContext,
  credentials: readonly OwnCredential[],
  step: PlannedStep,
): PlannedStep {
  const sends = step.act.kind === 'exchange' || step.act.kind === 'browser';
  if (!sends || !step.parties.includes('authorization-server')) return step;
  return { ...step, beforeSend: () => env.bindIssuer(credentials, issuerOf(env, context)) };
}

type IssuerChange = Extract<FlowQuestion, { kind: 'other-issuer' }>;

function concludeChange(
  context: FlowContext,
  change: IssuerChange,
  isAllowed: boolean,
  next: string,
): Promise<Conclusion> {
  const found = new Findings({ row: null });
  const { issuer, before, credentials } = change;
  const changed = issuerChangeText(change);
  found.add('issuer-changed', {
    text: isAllowed
      ? `${changed} You allowed it.`
      : `${changed} The flow did not send ${itOrThem(credentials)} there.`,
    expected: before.join(', '),
    received: issuer,
    ...(isAllowed && { severity: 'warning' as const, stops: false }),
  });
  const conclusion: Conclusion = isAllowed
    ? { context, outcome: `You allowed ${credentialsText(credentials)} to go to ${issuer}.` }
    : {
        context,
        outcome: 'The credentials belong to another authorization server.',
        fault: { code: 'issuer-changed', what: changed, next },
      };
  return withFindings(conclusion, found.checked<null>(null));
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const optionFor = (issuer: string): string =>
  `Nobody can be asked here. If the credentials belong to ${issuer}, allow it with --allow-issuer ${issuer}.`;

const notAllowed =
  'You did not allow it. Enter credentials for the new authorization server, or have the server name the one that yours belong to.';

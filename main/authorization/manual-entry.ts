import {
  MANUAL,
  entryFields,
  type EntryName,
  type EntryValues,
  type FlowEntry,
} from '#shared/authorization/manual-entry.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { allowsPlainHttp } from './checks/urls.ts';
import { checkPlainEndpoints } from './checks/server-metadata.ts';
import { isResourceOf } from './discovery.ts';
import {
  type FlowContext,
  type FlowEnvironment,
  issuerOf,
  type Metadata,
  type PlannedStep,
  type RegisteredClient,
} from './flow-types.ts';
import { textOf } from './metadata.ts';
import { NO_METADATA } from './no-metadata.ts';

/** A step that ended with a fault, and what is known after it. */
interface FailedStep {
  readonly plan: Pick<PlannedStep, 'name'>;
  readonly fault: Fault;
  readonly context: FlowContext;
}

type Environment = Pick<FlowEnvironment, 'serverUrl' | 'settings' | 'markSecret'>;

const endpointNames = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint'] as const;
type EndpointName = (typeof endpointNames)[number];

/** What the user can enter to go on after a fault: what the step should have found. Null after other steps. */
export function entryAfter({ plan, fault, context }: FailedStep, env: Environment): FlowEntry | null {
  // It is a question whether the request is sent, not what is missing.
  if (fault.code === 'private-address') return null;
  const { serverMetadata, resourceMetadata } = context;
  const known = (name: EndpointName) => ({ name, value: textOf(serverMetadata, name) ?? '' });
  const named = textOf(resourceMetadata, 'resource') ?? '';
  // That of another resource is not suggested.
  const resource = { name: 'resource' as const, value: isResourceOf(named, env.serverUrl) ? named : '' };
  const issuer = { name: 'issuer' as const, value: context.issuer ?? '' };
  // A registration at the default endpoint is tried where nothing is known of the authorization server.
  switch (fault.code === NO_METADATA ? 'server-metadata' : plan.name) {
    case 'resource-metadata':
      return { kind: 'resource-metadata', fields: [issuer, resource] };
    case 'server-metadata': {
      const fields = [issuer, ...endpointNames.map(known)];
      return { kind: 'server-metadata', fields: resourceMetadata == null ? [...fields, resource] : fields };
    }
    case 'authorization-request':
      return { kind: 'server-metadata', fields: endpointNames.map(known) };
    case 'registration':
    case 'client-metadata': {
      const canRegister = ['auto', 'dynamic'].includes(env.settings.registration) && serverMetadata != null;
      const fields = [
        { name: 'client_id' as const, value: '' },
        { name: 'client_secret' as const, value: '' },
      ];
      return { kind: 'client', fields: canRegister ? [...fields, known('registration_endpoint')] : fields };
    }
    default:
      return null;
  }
}

/**
 * The step that has what the user entered. What goes where is decided as ever: credentials belong to the issuer, and each request is
 * shown before it is sent.
 *
 * @param offered what can be entered; any other value is ignored
 * @param values what is missing stays as it was offered
 * @throws FaultError if a value cannot be used, or something is missing
 */
export function planEntry(
  env: Environment,
  context: FlowContext,
  { offered, values }: { readonly offered: FlowEntry; readonly values: EntryValues },
): PlannedStep {
  const fields = offered.fields.map(({ name, value: before }) => {
    const value = (values[name] ?? before).trim();
    return { name, value, isChanged: value !== before };
  });
  for (const { name, value } of fields) if (value !== '') validate(name, value);
  const given = new Map(fields.map(({ name, value }) => [name, value] as const));
  const changed = new Set(fields.flatMap(({ name, isChanged }) => (isChanged ? [name] : [])));
  const entered: Entered = { given, changed };
  const after =
    offered.kind === 'client' ? withClient(env, context, entered) : withServer(env, context, entered);
  const texts = fields.flatMap(({ name, value, isChanged }) => {
    if (!isChanged) return [];
    return [entryFields[name].isSecret ? name : `${name} ${value === '' ? 'none' : value}`];
  });
  const findings = checkPlainEndpoints(Object.fromEntries(given), { row: null });
  return {
    name: offered.kind === 'client' ? 'registration' : offered.kind,
    label: MANUAL,
    parties: ['client'],
    request: null,
    decidedBy: { text: 'You entered it by hand, because the flow found nothing to use.', source: '' },
    alternatives: [],
    contextIfSkipped: null,
    isManual: true,
    act: {
      kind: 'local',
      conclude: () => ({ context: after, outcome: outcomeOf(texts), findings }),
    },
  };
}

/** The values of the form, empty for none, and which of them the user changed. */
interface Entered {
  readonly given: ReadonlyMap<EntryName, string>;
  readonly changed: ReadonlySet<EntryName>;
}

const outcomeOf = (texts: readonly string[]): string =>
  texts.length === 0 ? 'You left it as it was.' : `You entered by hand: ${texts.join(', ')}.`;

function withServer(env: Environment, context: FlowContext, { given, changed }: Entered): FlowContext {
  const before = issuerOf(env, context);
  const entered = given.get('issuer') ?? '';
  const endpoints = endpointNames.filter((name) => given.has(name));
  const hasEndpoints = endpoints.some((name) => changed.has(name));
  if (entered === '' && !hasEndpoints && context.issuer === null) throw new FaultError(missing('issuer'));
  const issuer = entered === '' ? before : entered;
  const known: FlowContext = {
    ...context,
    issuer,
    resourceMetadata: withResource(context, given.get('resource')),
    // Whether another authorization server gets credentials is asked again.
    allowedIssuer: null,
  };
  // Metadata of the issuer is requested, as if the server had named it.
  if (!hasEndpoints) return { ...known, serverTried: [], serverMetadata: undefined };
  const base = issuer === before ? (context.serverMetadata ?? {}) : {};
  const others = Object.entries(base).filter(([name]) => endpoints.every((one) => one !== name));
  const named = endpoints.flatMap((name) =>
    given.get(name) === '' ? [] : [[name, given.get(name)] as const],
  );
  const metadata: Metadata = { issuer, ...Object.fromEntries([...others, ...named]) };
  requireEndpoints(env, metadata);
  return { ...known, serverMetadata: metadata };
}

/** @param resource undefined where it was not offered; empty for the URL of the server */
function withResource(
  { resourceMetadata }: FlowContext,
  resource: string | undefined,
): FlowContext['resourceMetadata'] {
  if (resource === undefined) return resourceMetadata ?? null;
  if (resource === '' && resourceMetadata == null) return null;
  const { resource: _, ...others } = resourceMetadata ?? {};
  return resource === '' ? others : { ...others, resource };
}

/** What the rest of the flow needs. */
function requireEndpoints({ settings }: Environment, metadata: Metadata): void {
  const needed: readonly EntryName[] =
    settings.grant === 'authorization-code'
      ? ['authorization_endpoint', 'token_endpoint']
      : ['token_endpoint'];
  for (const name of needed) {
    const value = textOf(metadata, name);
    if (value === null) throw new FaultError(missing(name));
    validate(name, value);
  }
}

function withClient(env: Environment, context: FlowContext, { given, changed }: Entered): FlowContext {
  const clientId = given.get('client_id') ?? '';
  const secret = given.get('client_secret') ?? '';
  const endpoint = given.get('registration_endpoint') ?? '';
  if (clientId === '') {
    if (secret !== '' || endpoint === '' || !changed.has('registration_endpoint'))
      throw new FaultError(missing('client_id'));
    const serverMetadata = { ...context.serverMetadata, registration_endpoint: endpoint };
    return { ...context, serverMetadata, allowedIssuer: null };
  }
  if (secret !== '') env.markSecret('client_secret', secret);
  const client: RegisteredClient = {
    issuer: issuerOf(env, context),
    kind: 'pre-registered',
    clientId,
    clientSecret: secret === '' ? null : secret,
    authMethod: null,
    redirectUri: null,
  };
  return { ...context, client, isClientManual: true, allowedIssuer: null };
}

/** @throws FaultError unless a value can be used */
function validate(name: EntryName, value: string): void {
  if (name === 'client_id' || name === 'client_secret') return;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || value.includes('#'))
    throw new FaultError(unusable(name, value, 'It must be an http or https URL without a fragment.'));
  if (url.username !== '' || url.password !== '')
    throw new FaultError(unusable(name, value, 'It must not have a user name or password in it.'));
  if (name === 'issuer' && url.search !== '')
    throw new FaultError(unusable(name, value, 'An issuer has no query (RFC 8414 section 2).'));
  // A resource is only a name: nothing is sent there.
  if (name !== 'resource' && url.protocol === 'http:' && !allowsPlainHttp(url))
    throw new FaultError(
      unusable(name, value, 'Plain http is for this machine only: secrets could be read on the way.'),
    );
}

const missing = (name: EntryName): Fault => ({
  code: 'entry-missing',
  what: `${entryFields[name].label} is missing, and the flow cannot go on without it.`,
});

const unusable = (name: EntryName, value: string, why: string): Fault => ({
  code: 'entry-unusable',
  what: `${entryFields[name].label} cannot be used.`,
  why,
  evidence: value.slice(0, 300),
});

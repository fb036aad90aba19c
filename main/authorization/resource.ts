import { isCredentialParameter } from '#shared/secret-names.ts';
import { isResourceOf } from './discovery.ts';
import { type FlowContext, type FlowEnvironment, issuerOf, type PlannedStep } from './flow-types.ts';
import { textOf } from './metadata.ts';

/** The parameter `resource`, and why it has this value. */
export interface Resource {
  readonly value: string;
  readonly note: string;
}

/**
 * The resource that the token is for: as the metadata writes it, else the URL of the server (RFC 8707). It never has a secret: the
 * authorization server is somebody else than the MCP server, and need not know what opens that.
 */
export function resourceOf(
  env: Pick<FlowEnvironment, 'serverUrl' | 'holdsSecret' | 'otherResource'>,
  { resourceMetadata, sendsQuery }: Pick<FlowContext, 'resourceMetadata' | 'sendsQuery'>,
): Resource {
  const { serverUrl, otherResource } = env;
  if (otherResource != null)
    return { value: otherResource, note: 'another resource, for the tests of the server' };
  const named = textOf(resourceMetadata, 'resource');
  if (named !== null) {
    const value = withoutSecretsOf(env, named);
    if (value !== named) return { value, note: 'resource of the metadata, without the secrets in it' };
    const isOther = !isResourceOf(named, serverUrl);
    return { value, note: isOther ? 'resource of the metadata, which is not this server' : usualNote };
  }
  const value = canonicalUrl(withQuery(env, sendsQuery === true));
  const isWhole = value === canonicalUrl(serverUrl);
  return { value, note: isWhole ? 'the URL of the server' : withoutQueryNote };
}

const usualNote = 'resource of the metadata, as it is written there';

const withoutQueryNote =
  'the URL of the server without its query, which may be secret (RFC 8707 section 2); --allow-resource-query sends what has no secret name';

/** Without user info and fragment, and without the slash of an empty path (MCP authorization, canonical server URI). */
export function canonicalUrl(url: URL): string {
  const whole = `${url.origin}${url.pathname}${url.search}`;
  return url.pathname === '/' && url.search === '' ? url.origin : whole;
}

/** The URL without its query, or without the secret parameters of that. */
function withQuery(env: Pick<FlowEnvironment, 'serverUrl' | 'holdsSecret'>, keepsOthers: boolean): URL {
  const stripped = new URL(env.serverUrl);
  if (!keepsOthers) stripped.search = '';
  for (const name of secretParameters(env, stripped)) stripped.searchParams.delete(name);
  return stripped;
}

/** The names of parameters that are secret by their name, or have a value that the settings say is one, such as that of a variable. */
function secretParameters({ holdsSecret }: Pick<FlowEnvironment, 'holdsSecret'>, url: URL): Set<string> {
  const secret = [...url.searchParams].filter(
    ([name, value]) => isCredentialParameter(name) || holdsSecret(`${name} ${value}`),
  );
  return new Set(secret.map(([name]) => name));
}

/** A resource that the server wrote, without what is secret in its URL; as it is written if it has nothing of that. */
export function withoutSecretsOf(
  env: Pick<FlowEnvironment, 'serverUrl' | 'holdsSecret'>,
  named: string,
): string {
  if (!URL.canParse(named)) return named;
  const url = new URL(named);
  const { searchParams: own } = env.serverUrl;
  const ours = new Set([...secretParameters(env, env.serverUrl)].flatMap((name) => own.getAll(name)));
  const repeated = secretParameters(env, url);
  for (const [name, value] of url.searchParams) if (ours.has(value)) repeated.add(name);
  if (repeated.size === 0 && url.username === '' && url.password === '') return named;
  for (const name of repeated) url.searchParams.delete(name);
  url.username = '';
  url.password = '';
  return canonicalUrl(url);
}

/**
 * The step that decides whether the query of the server's URL is sent. Null if there is nothing to decide: the metadata names the
 * resource, or every parameter is secret, and left out in any case.
 */
export function planResource(env: FlowEnvironment, context: FlowContext): PlannedStep | null {
  if (env.otherResource != null) return null;
  if (context.sendsQuery !== null || textOf(context.resourceMetadata, 'resource') !== null) return null;
  const secret = secretParameters(env, env.serverUrl);
  const names = [...new Set(env.serverUrl.searchParams.keys())].filter((name) => !secret.has(name));
  if (names.length === 0 || (!env.canAsk && !env.sendsResourceQuery)) return null;
  const conclude = (isYes: boolean) => ({
    context: { ...context, sendsQuery: isYes },
    outcome: isYes
      ? `The query of the server's URL is a part of resource: ${names.join(', ')}.`
      : "The query of the server's URL is left out of resource.",
  });
  return {
    name: 'resource',
    label: '',
    parties: ['client'],
    request: null,
    decidedBy: {
      text: 'Without resource metadata, resource is the URL of the server. A query should not be in it.',
      source: 'RFC 8707 2',
    },
    alternatives: [],
    contextIfSkipped: { ...context, sendsQuery: false },
    act: env.sendsResourceQuery
      ? { kind: 'local', conclude: () => conclude(true) }
      : {
          kind: 'question',
          question: { kind: 'resource-query', parameters: names, issuer: issuerOf(env, context) },
          conclude,
        },
  };
}

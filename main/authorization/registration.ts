import type { AuthorizationStep } from '#shared/contract/authorization.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { checkDocument, checkDocumentUrl } from './checks/client-metadata.ts';
import type { Checked } from './checks/findings.ts';
import { checkRegistration } from './checks/registration.ts';
import { noServerMetadata } from './no-metadata.ts';
import type { FlowResponse } from './exchange.ts';
import {
  type Conclusion,
  type FlowContext,
  type FlowEnvironment,
  issuerOf,
  type PlannedStep,
  type RegisteredClient,
  type SentRequest,
} from './flow-types.ts';
import { listOf, readMetadata, textOf } from './metadata.ts';
import { oauthError } from './server-words.ts';
import { withFindings } from './step-findings.ts';
import { type Field, prepareRequest } from './step-request.ts';

type Way = 'pre-registered' | 'metadata-document' | 'dynamic';

interface WayChoice {
  readonly way: Way | null;
  readonly decidedBy: NonNullable<AuthorizationStep['decidedBy']>;
  readonly alternatives: AuthorizationStep['alternatives'];
}

/** How the client becomes known: pre-registered, then a client ID metadata document, then dynamic registration. */
export function chooseWay(env: FlowEnvironment, context: FlowContext): WayChoice {
  const { settings, rules } = env;
  const missing: Record<Way, string | null> = {
    'pre-registered': settings.clientId === null ? 'No client ID is set.' : null,
    'metadata-document': whyNoDocument(env, context),
    dynamic:
      registrationEndpoint(env, context) === null ? 'The metadata has no registration endpoint.' : null,
  };
  const chosen = settings.registration;
  const order: readonly Way[] = ['pre-registered', 'metadata-document', 'dynamic'];
  const way = chosen === 'auto' ? (order.find((one) => missing[one] === null) ?? null) : chosen;
  return {
    way: way !== null && missing[way] === null ? way : null,
    decidedBy:
      chosen === 'auto'
        ? { text: 'The first way that can be used.', source: `MCP ${rules.revision} authorization` }
        : { text: 'The settings of the server name it.', source: '' },
    alternatives: order
      .filter((one) => one !== way)
      .map((label) => ({
        label,
        why: missing[label] ?? (chosen === 'auto' ? 'It comes later in the order.' : 'Not set.'),
      })),
  };
}

function whyNoDocument({ settings, rules }: FlowEnvironment, { serverMetadata }: FlowContext): string | null {
  if (settings.metadataDocument === null) return 'No client ID metadata document is set.';
  if (settings.registration === 'metadata-document') return null;
  if (!rules.hasMetadataDocuments) return 'This revision does not have it.';
  return serverMetadata?.['client_id_metadata_document_supported'] === true
    ? null
    : 'The authorization server does not advertise client_id_metadata_document_supported.';
}

/** Where clients register; the default endpoint without metadata (MCP 2025-03-26). */
function registrationEndpoint(env: FlowEnvironment, { serverMetadata }: FlowContext): string | null {
  return serverMetadata === null
    ? `${env.serverUrl.origin}/register`
    : textOf(serverMetadata, 'registration_endpoint');
}

/** The step that makes the client known to the authorization server. */
export async function planRegistration(env: FlowEnvironment, context: FlowContext): Promise<PlannedStep> {
  const issuer = issuerOf(env, context);
  const choice = chooseWay(env, context);
  const { decidedBy, alternatives } = choice;
  const local = (conclude: () => Conclusion): PlannedStep => ({
    name: 'registration',
    label: choice.way ?? '',
    parties: ['client'],
    request: null,
    decidedBy,
    alternatives,
    contextIfSkipped: null,
    act: { kind: 'local', conclude },
  });
  const known = (client: RegisteredClient, outcome: string): Conclusion => {
    env.keepClient(client);
    return { context: { ...context, client }, outcome };
  };
  switch (choice.way) {
    case null:
      return local(() => ({ context, outcome: 'The client cannot be made known.', fault: noWay(env) }));
    case 'pre-registered': {
      const { clientId } = env.settings;
      const client: RegisteredClient = {
        issuer,
        kind: 'pre-registered',
        clientId: clientId ?? '',
        clientSecret: env.secrets.clientSecret,
        authMethod: null,
        redirectUri: null,
      };
      return local(() => known(client, `The client is ${client.clientId}.`));
    }
    case 'metadata-document': {
      const url = env.settings.metadataDocument ?? '';
      if (!context.isDocumentChecked) return planDocument(env, context, url);
      const client: RegisteredClient = {
        issuer,
        kind: 'metadata-document',
        clientId: url,
        clientSecret: null,
        authMethod: null,
        redirectUri: null,
      };
      return local(() => known(client, 'The URL of the metadata document is the client ID.'));
    }
    case 'dynamic': {
      const before = env.knownClient(issuer);
      const redirectUri = env.settings.grant === 'authorization-code' ? await env.redirectUri() : null;
      if (before?.kind === 'dynamic' && before.redirectUri === redirectUri) {
        return local(() => known(before, 'The client is registered at this issuer already.'));
      }
      if (context.serverMetadata === null && !env.rules.hasDefaultEndpoints)
        return guessed(env, context, planDynamic(env, context, { issuer, redirectUri, choice }));
      return planDynamic(env, context, { issuer, redirectUri, choice });
    }
  }
}

/**
 * Looks at the hosted document as the authorization server will. That server fetches it itself, so a document that cannot be
 * reached from here does not stop the flow; one that it would reject does.
 */
function planDocument(env: FlowEnvironment, context: FlowContext, url: string): PlannedStep {
  const checked = { ...context, isDocumentChecked: true };
  const named = checkDocumentUrl(url);
  const conclusionOf = (found: Pick<Checked<unknown>, 'findings' | 'stop'>, outcome: string) =>
    withFindings(
      {
        context: checked,
        outcome: found.stop === null ? outcome : `Authorization servers reject it: ${found.stop.text}`,
        fault: found.stop === null ? null : rejectedDocument,
        canOverride: true,
      },
      { ...found, value: null },
    );
  const unread = ({ what }: Fault) => conclusionOf(named, `It cannot be read from here: ${what}`);
  const step: Omit<PlannedStep, 'parties' | 'request' | 'act'> = {
    name: 'client-metadata',
    label: '',
    decidedBy: {
      text: 'The client ID is the URL of a document that the authorization server reads.',
      source: 'draft-ietf-oauth-client-id-metadata-document',
    },
    alternatives: [],
    contextIfSkipped: checked,
  };
  if (named.value === null)
    return {
      ...step,
      parties: ['client'],
      request: null,
      act: { kind: 'local', conclude: () => conclusionOf(named, '') },
    };
  return {
    ...step,
    parties: ['client', 'browser'],
    request: prepareRequest({
      method: 'GET',
      url,
      headers: [
        { name: 'Accept', value: 'application/json' },
        { name: 'User-Agent', value: env.userAgent },
      ],
    }),
    act: {
      kind: 'exchange',
      failed: unread,
      withheld: unread,
      conclude: async (response) => {
        const redirectUri = env.settings.grant === 'authorization-code' ? await env.redirectUri() : null;
        const { findings, stop } = checkDocument(response, { clientId: url, redirectUri });
        return conclusionOf(
          { findings: [...named.findings, ...findings], stop },
          'Its client_id is its URL.',
        );
      },
    },
  };
}

interface DynamicOptions {
  readonly issuer: string;
  readonly redirectUri: string | null;
  readonly choice: WayChoice;
}

function planDynamic(
  env: FlowEnvironment,
  context: FlowContext,
  { issuer, redirectUri, choice }: DynamicOptions,
): PlannedStep {
  const token = env.secrets.initialAccessToken;
  const metadata = clientMetadata(env, context, redirectUri);
  return {
    name: 'registration',
    label: 'dynamic',
    parties: ['client', 'authorization-server'],
    request: prepareRequest({
      method: 'POST',
      url: registrationEndpoint(env, context) ?? '',
      headers: [
        { name: 'Accept', value: 'application/json' },
        { name: 'Content-Type', value: 'application/json' },
        ...(token === null ? [] : [{ name: 'Authorization', value: `Bearer ${token}`, isSecret: true }]),
        { name: 'User-Agent', value: env.userAgent },
      ],
      bodyKind: 'json',
      body: metadata,
    }),
    decidedBy: choice.decidedBy,
    alternatives: choice.alternatives,
    contextIfSkipped: null,
    act: {
      kind: 'exchange',
      conclude: (response) =>
        withFindings(
          concludeRegistration(env, context, response, { issuer, redirectUri }),
          checkRegistration(response, {
            sent: Object.fromEntries(metadata.map(({ name, value }) => [name, JSON.parse(value)])),
            now: Date.now(),
          }),
          { response, question: { kind: 'registration' } },
        ),
    },
  };
}

/**
 * A registration at the default endpoint of a server whose revision is not known. Without a client, the server has no such endpoint, and
 * nothing is known of its authorization server.
 */
function guessed(env: FlowEnvironment, context: FlowContext, step: PlannedStep): PlannedStep {
  const { act } = step;
  if (act.kind !== 'exchange') return step;
  const url = registrationEndpoint(env, context) ?? '';
  const none = (why: string): Conclusion => ({
    context,
    outcome: 'There is no registration at the default endpoint either.',
    fault: noServerMetadata(env, {
      ...context,
      issuer: null,
      serverTried: [...context.serverTried, { url, why }],
    }),
  });
  return {
    ...step,
    act: {
      ...act,
      failed: ({ what }) => none(what),
      conclude: async (response: FlowResponse, sent: SentRequest) => {
        const concluded = await act.conclude(response, sent);
        return concluded.fault == null ? concluded : none(`HTTP status ${response.status}`);
      },
    },
  };
}

/** RFC 7591 section 2; each value as JSON. */
function clientMetadata(env: FlowEnvironment, context: FlowContext, redirectUri: string | null): Field[] {
  const { settings, rules, clientName } = env;
  const isCode = settings.grant === 'authorization-code';
  const json = (name: string, value: unknown, note = ''): Field => ({
    name,
    value: JSON.stringify(value),
    note,
  });
  return [
    json('client_name', settings.clientName ?? clientName),
    ...(redirectUri === null ? [] : [json('redirect_uris', [redirectUri])]),
    json('grant_types', isCode ? ['authorization_code', 'refresh_token'] : ['client_credentials']),
    ...(isCode ? [json('response_types', ['code'])] : []),
    json('token_endpoint_auth_method', wantedAuthMethod(env, context)),
    json(
      'application_type',
      'native',
      rules.namesApplicationType
        ? 'demanded by this revision'
        : 'a redirect to loopback is that of a native app',
    ),
    ...(settings.scopes === null ? [] : [json('scope', settings.scopes, 'from the settings')]),
  ];
}

/** A public client where the server allows it; else a method with a secret that the server supports. */
function wantedAuthMethod({ settings }: FlowEnvironment, { serverMetadata }: FlowContext): string {
  if (settings.authMethod !== 'auto') return settings.authMethod;
  const supported = listOf(serverMetadata, 'token_endpoint_auth_methods_supported');
  if (supported === null || supported.includes('none')) return 'none';
  return (
    ['client_secret_basic', 'client_secret_post', 'private_key_jwt'].find((one) => supported.includes(one)) ??
    'none'
  );
}

function concludeRegistration(
  env: FlowEnvironment,
  context: FlowContext,
  response: FlowResponse,
  { issuer, redirectUri }: Pick<DynamicOptions, 'issuer' | 'redirectUri'>,
): Conclusion {
  const isAccepted = response.status === 200 || response.status === 201;
  const read = readMetadata({ ...response, status: isAccepted ? 200 : response.status });
  const value = 'value' in read ? read.value : null;
  const clientId = textOf(value, 'client_id');
  if (clientId === null) {
    return {
      context,
      outcome: 'The client was not registered.',
      fault: notRegistered(response, redirectUri),
    };
  }
  const clientSecret = textOf(value, 'client_secret');
  if (clientSecret !== null) env.markSecret('client_secret', clientSecret);
  const accessToken = textOf(value, 'registration_access_token');
  if (accessToken !== null) env.markSecret('registration_access_token', accessToken);
  const client: RegisteredClient = {
    issuer,
    kind: 'dynamic',
    clientId,
    clientSecret,
    authMethod: textOf(value, 'token_endpoint_auth_method'),
    redirectUri,
  };
  env.keepClient(client);
  return {
    context: { ...context, client, hasRegistered: true },
    outcome: `The client is registered as ${clientId}.`,
  };
}

function notRegistered(response: FlowResponse, redirectUri: string | null): Fault {
  const { error, quote } = oauthError(response);
  const isRedirect = error === 'invalid_redirect_uri';
  return {
    code: 'registration-refused',
    what: isRedirect
      ? `The authorization server refused to register the redirect URI ${redirectUri ?? ''}.`
      : `The authorization server did not register the client (HTTP status ${response.status}).`,
    quote,
    next: isRedirect
      ? 'Try the other loopback host, localhost or 127.0.0.1, in the settings of the server.'
      : response.status === 401 || response.status === 403
        ? 'Enter an initial access token in the settings of the server, if the authorization server gives one; or register a client there manually, and enter its client ID.'
        : 'Register a client there manually, and enter its client ID in the settings of the server.',
  };
}

/** What to do about a document that authorization servers reject; the finding says what is wrong. */
const rejectedDocument: Fault = {
  code: 'document-rejected',
  what: 'Authorization servers reject the client ID metadata document.',
  next: 'Correct it where it is hosted: "Copy the document" in the settings of the server writes a correct one. A stepped flow can continue anyway.',
};

const noWay = ({ settings }: FlowEnvironment): Fault => ({
  code: 'no-client',
  what: 'The client is not known to the authorization server, and cannot register itself.',
  why:
    settings.registration === 'auto'
      ? 'No client ID is set, and the authorization server supports no other way.'
      : 'What the chosen way of registration needs is missing.',
  next: 'Register a client at the authorization server, and enter its client ID in the settings of the server.',
});

import type { Fault } from '#shared/contract/fault.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { eraOf } from '#shared/protocol/revisions.ts';
import { challengesOf, oauthChallenge } from '#shared/authorization/challenge.ts';
import { acceptanceFindings, acceptanceOutcome, rejectionFindings } from './demand-findings.ts';
import { resourceOf } from './resource.ts';
import { authorizationHeaders } from './dpop.ts';
import type { RawResponse } from './exchange.ts';
import type { FlowContext, FlowEnvironment, PlannedStep } from './flow-types.ts';
import { prepareRequest, type Field, type PreparedRequest } from './step-request.ts';
import { challengeWords, wordsOfBody } from './server-words.ts';
import type { TokenSet } from './tokens.ts';

/** The first request of a session, as a flow without a session sends it. */
async function firstRequest(
  env: FlowEnvironment,
  tokens: TokenSet | null,
  issuer: string,
): Promise<PreparedRequest> {
  const { revision } = env.rules;
  const isModern = eraOf(revision) === 'modern';
  const client = { name: 'sightglass', version: '1' };
  const params = isModern
    ? {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': revision,
          'io.modelcontextprotocol/clientInfo': client,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      }
    : { protocolVersion: revision, capabilities: {}, clientInfo: client };
  const method = isModern ? 'server/discover' : 'initialize';
  const prover = tokens?.tokenType.toLowerCase() === 'dpop' ? await env.prover(issuer) : null;
  const own: Field[] =
    tokens === null
      ? []
      : authorizationHeaders(tokens, { method: 'POST', url: env.serverUrl }, prover).map(([name, value]) => ({
          name,
          value,
          isSecret: true,
        }));
  const url = new URL(env.serverUrl);
  const query = [...url.searchParams].map(([name, value]) => ({ name, value }));
  url.search = '';
  const members: readonly (readonly [string, unknown])[] = [
    ['jsonrpc', '2.0'],
    ['id', 1],
    ['method', method],
    ['params', params],
  ];
  return prepareRequest({
    method: 'POST',
    url: url.href,
    query,
    headers: [
      { name: 'Accept', value: 'application/json, text/event-stream' },
      { name: 'Content-Type', value: 'application/json' },
      { name: 'MCP-Protocol-Version', value: revision },
      ...(isModern ? [{ name: 'Mcp-Method', value: method }] : []),
      ...own,
      { name: 'User-Agent', value: env.userAgent },
    ],
    bodyKind: 'json',
    body: members.map(([name, value]) => ({ name, value: JSON.stringify(value) })),
  });
}

/** Asks the server without a token, to see what it demands. */
export async function planChallengeRequest(env: FlowEnvironment, context: FlowContext): Promise<PlannedStep> {
  const conclude = ({ status, headers, row }: RawResponse) => {
    const challenge = oauthChallenge(challengesOf(headers));
    const demand = status === 401 ? '' : ' The server demands no authorization.';
    return {
      context: { ...context, demand: { status, headers, row } },
      outcome: `HTTP status ${status}.${demand}${challenge === null ? '' : ` Its challenge is ${challenge.scheme}.`}`,
    };
  };
  return {
    name: 'challenge',
    label: '',
    parties: ['client', 'mcp-server'],
    request: await firstRequest(env, null, ''),
    decidedBy: { text: 'A request without a token shows what the server demands.', source: 'RFC 6750 3' },
    alternatives: [],
    contextIfSkipped: { ...context, demand: { status: 401, headers: [], row: null } },
    act: { kind: 'exchange', conclude },
  };
}

/** Sends the same request with the token. */
export async function planUse(
  env: FlowEnvironment,
  context: FlowContext,
  tokens: TokenSet,
): Promise<PlannedStep> {
  const after = { ...context, isTokenUsed: true };
  return {
    name: 'use-token',
    label: '',
    parties: ['client', 'mcp-server'],
    request: await firstRequest(env, tokens, context.issuer ?? env.serverUrl.origin),
    decidedBy: { text: 'The token is sent in the header only.', source: 'OAuth 2.1 5.1.1' },
    alternatives: [],
    contextIfSkipped: after,
    act: {
      kind: 'exchange',
      conclude: ({ url, status, headers, row, shown }) => {
        const findings = rejectionFindings({ url, status, headers, row }, env.rules.revision);
        if (status === 401)
          return {
            context: after,
            outcome: 'The server rejected the new token (HTTP status 401).',
            findings,
            fault: stillRejected(headers, shown.text),
          };
        const { value: resource } = resourceOf(env, context);
        return {
          context: after,
          outcome: acceptanceOutcome(status),
          findings: [...findings, ...acceptanceFindings({ status, row }, tokens.accessToken, resource)],
        };
      },
    },
  };
}

/** A new token was rejected. @param body of the response, without secrets; null if only the trace has it */
export function stillRejected(headers: HeaderLines, body: string | null): Fault {
  const { error, quote } = challengeWords(headers);
  const isExplained = quote !== null && quote !== error;
  const said = isExplained || body === null ? quote : (wordsOfBody(body, '').quote ?? quote);
  return {
    code: 'fresh-token-rejected',
    what: 'The server rejects a token that it was just given (HTTP status 401), so it was given up.',
    ...(said !== null && { quote: said }),
    ...(!isExplained && { why: 'It does not trust the issuer, or the token is for another audience.' }),
    next: 'Compare the claims of the token, such as iss, aud, scope and nbf, with what the server expects, and look at its log.',
  };
}

import { randomUUID } from 'node:crypto';
import type { RawRequest } from '#authorization/exchange.ts';
import { authorizationHeaders, type DpopProver } from '#authorization/dpop.ts';
import { eraOf, isKnownRevision, revisionAtLeast } from '#shared/protocol/revisions.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { isAnswered } from './answers.ts';

/** What a request is authorized by. */
export type Sent =
  | { readonly kind: 'none' }
  /** A value of `Authorization` as it is. */
  | { readonly kind: 'line'; readonly value: string }
  | { readonly kind: 'query'; readonly token: SentToken }
  | { readonly kind: 'token'; readonly token: SentToken };

export interface SentToken {
  readonly accessToken: string;
  readonly tokenType: string;
  /** Of a token that is bound to a key; null for others. */
  readonly prover: DpopProver | null;
}

/** The methods that tests use. None changes anything, and none calls a tool. */
export type TestMethod = 'initialize' | 'ping' | 'tools/list' | 'server/discover';

/** How the requests of a run are written. */
export interface RequestForm {
  readonly url: URL;
  readonly revision: string;
  readonly userAgent: string;
  /** Header lines of the user for the server. */
  readonly custom: HeaderLines;
}

export interface MessageOptions {
  readonly sent: Sent;
  readonly sessionId?: string | null;
  /** Where it is posted, if not to the URL of the server. */
  readonly to?: URL;
}

/** A request with one JSON-RPC message (MCP Streamable HTTP, sending messages to the server). */
export function messageRequest(
  form: RequestForm,
  method: TestMethod,
  { sent, sessionId = null, to = form.url }: MessageOptions,
): RawRequest {
  const id = randomUUID();
  const url = withQueryToken(to, sent);
  const message = { jsonrpc: '2.0', id, method, ...paramsOf(method, form.revision) };
  const isModern = eraOf(form.revision) === 'modern';
  return {
    method: 'POST',
    url,
    headers: complete(form, { method: 'POST', url, sent }, [
      ['Accept', 'application/json, text/event-stream'],
      ['Content-Type', 'application/json'],
      ...versionLine(form, method),
      ...(isModern ? [['Mcp-Method', method] as const] : []),
      ...(sessionId === null ? [] : [['Mcp-Session-Id', sessionId] as const]),
    ]),
    body: Buffer.from(JSON.stringify(message)),
    answers: 'document',
    isAlone: true,
    isEnough: (head, body) => isAnswered(head, body, id),
  };
}

export interface StreamOptions {
  readonly sent: Sent;
  readonly sessionId?: string | null;
  readonly lastEventId?: string | null;
}

/** A request for an event stream, of which only the head is read unless the caller says otherwise. */
export function streamRequest(
  form: RequestForm,
  { sent, sessionId = null, lastEventId = null }: StreamOptions,
): RawRequest {
  const url = withQueryToken(form.url, sent);
  return {
    method: 'GET',
    url,
    headers: complete(form, { method: 'GET', url, sent }, [
      ['Accept', 'text/event-stream'],
      ...(sessionId === null ? [] : versionLine(form, null)),
      ...(sessionId === null ? [] : [['Mcp-Session-Id', sessionId] as const]),
      ...(lastEventId === null ? [] : [['Last-Event-ID', lastEventId] as const]),
    ]),
    body: null,
    answers: 'document',
    isAlone: true,
    isEnough: ({ status }) => status >= 200 && status < 300,
  };
}

/** Ends a session that a test began (MCP Streamable HTTP, session management). */
export function endRequest(form: RequestForm, sent: Sent, sessionId: string): RawRequest {
  const { url } = form;
  return {
    method: 'DELETE',
    url,
    headers: complete(form, { method: 'DELETE', url, sent }, [
      ...versionLine(form, null),
      ['Mcp-Session-Id', sessionId],
    ]),
    body: null,
    answers: 'document',
    isAlone: true,
  };
}

function paramsOf(method: TestMethod, revision: string): object {
  const clientInfo = { name: 'sightglass', version: '1' };
  if (eraOf(revision) === 'modern')
    return {
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': revision,
          'io.modelcontextprotocol/clientInfo': clientInfo,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    };
  if (method !== 'initialize') return {};
  return { params: { protocolVersion: revision, capabilities: {}, clientInfo } };
}

/** As a session sends it: in the modern era with every request, since 2025-06-18 with those after `initialize`. */
function versionLine({ revision }: RequestForm, method: TestMethod | null): HeaderLines {
  const isModern = eraOf(revision) === 'modern';
  const isSent =
    isModern ||
    (method !== 'initialize' && isKnownRevision(revision) && revisionAtLeast(revision, '2025-06-18'));
  return isSent ? [['MCP-Protocol-Version', revision]] : [];
}

/** The URL with the token as `access_token` (RFC 6750 section 2.3). */
function withQueryToken(url: URL, sent: Sent): URL {
  if (sent.kind !== 'query') return url;
  const changed = new URL(url);
  changed.searchParams.append('access_token', sent.token.accessToken);
  return changed;
}

function complete(
  { custom, userAgent }: RequestForm,
  { sent, ...request }: { readonly method: string; readonly url: URL; readonly sent: Sent },
  lines: HeaderLines,
): HeaderLines {
  const replaced = new Set(custom.map(([name]) => name.toLowerCase()));
  const ours: HeaderLines = [...lines, ...authorizationLines(sent, request), ['User-Agent', userAgent]];
  return [...ours.filter(([name]) => !replaced.has(name.toLowerCase())), ...custom];
}

function authorizationLines(
  sent: Sent,
  request: { readonly method: string; readonly url: URL },
): HeaderLines {
  switch (sent.kind) {
    case 'none':
      return [];
    case 'line':
      return [['Authorization', sent.value]];
    case 'query':
      // The proof alone, where the token is bound to a key.
      return authorizationHeaders(sent.token, request, sent.token.prover).filter(([name]) => name === 'DPoP');
    case 'token':
      return authorizationHeaders(sent.token, request, sent.token.prover);
  }
}

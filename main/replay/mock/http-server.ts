import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { FaultError, systemCodeOf } from '#shared/contract/fault.ts';
import { memberText } from '#shared/json/members.ts';
import { errorCodes } from '#shared/protocol/jsonrpc.ts';
import { eraOf } from '#shared/protocol/revisions.ts';
import { answerRequests, closeListener, listen, type Listener, urlOfRequest } from '#transports/listener.ts';
import { Conversation, type Outlet } from './conversation.ts';
import { firstHalf } from './faults/fault-injector.ts';
import type { Mock } from './mock.ts';
import { takeUnit } from './stdio-server.ts';

/** Limit of bytes of a request body. */
const MAX_BODY = 64 * 1024 * 1024;
/** The path of a recording on stdio. */
const DEFAULT_PATH = '/mcp';

/** A client over HTTP: its conversation, and the stream of its GET. */
interface Client {
  readonly conversation: Conversation;
  readonly stream: GetStream;
}

/** Serves a mock over Streamable HTTP on 127.0.0.1, to clients of the era of the recording. */
export class MockHttpServer {
  readonly url: string;
  readonly #mock: Mock;
  readonly #server: Server;
  readonly #path: string;
  readonly #port: number;
  /** Clients of the legacy era, by session id. */
  readonly #sessions = new Map<string, Client>();
  /** The client without a session id: requests of the modern era have none. */
  #shared: Client | undefined;
  #closing: Promise<void> | undefined;

  private constructor(mock: Mock, server: Server, port: number) {
    this.#mock = mock;
    this.#server = server;
    this.#port = port;
    this.#path = mock.library.recordings.find(({ path }) => path !== null)?.path ?? DEFAULT_PATH;
    this.url = `http://127.0.0.1:${port}${this.#path}`;
    answerRequests(
      server,
      (request, response) => this.#take(request, response),
      (response, text) => refuse(response, 500, text, errorCodes.internalError),
    );
  }

  /** @param port 0 for any free one @throws FaultError if it cannot listen there */
  static async listen(mock: Mock, port: number): Promise<MockHttpServer> {
    const { server, port: taken } = await listenLocally(port);
    return new MockHttpServer(mock, server, taken);
  }

  /** Ends every conversation and closes every connection. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const clients = [...this.#sessions.values(), ...(this.#shared === undefined ? [] : [this.#shared])];
    await Promise.all(clients.map(({ conversation }) => conversation.close()));
    await closeListener(this.#server);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isLocalRequest(request, this.#port))
      return refuse(response, 403, 'Forbidden: this server answers local pages only');
    const pathname = urlOfRequest(request, new URL(this.url).origin)?.pathname;
    if (pathname !== this.#path) return refuse(response, 404, 'Not Found');
    if (request.method === 'POST') return this.#post(request, response);
    const client = this.#clientOf(request);
    if (client === null) return refuse(response, 404, 'Session not found');
    if (request.method === 'GET') return client.stream.open(response);
    if (request.method !== 'DELETE') return refuse(response, 405, 'Method Not Allowed');
    this.#sessions.delete(sessionIdOf(request) ?? '');
    client.stream.close();
    await client.conversation.close();
    response.writeHead(200).end();
  }

  async #post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (body === null) return refuse(response, 413, 'Content Too Large');
    const messages: string[] = [];
    const errors: string[] = [];
    takeUnit(
      body,
      (text) => messages.push(text),
      (error) => errors.push(error),
    );
    const [error] = errors;
    if (error !== undefined || messages.length === 0) {
      response.writeHead(400, { 'Content-Type': 'application/json' }).end(error ?? '');
      return;
    }
    const isHandshake = messages.some((text) => memberText(text, ['method']) === '"initialize"');
    const [id, client] = isHandshake ? this.#newSession() : [null, this.#clientOf(request)];
    if (client === null) return refuse(response, 404, 'Session not found');
    const requests = messages.filter(isRequest);
    if (id !== null) response.setHeader('Mcp-Session-Id', id);
    const reply = new PostReply(response, client.stream, requests.length, request.headers.accept);
    if (requests.length === 0) response.writeHead(202).end();
    // In the modern era, a client cancels a request by closing its stream (MCP 2026-07-28 basic/utilities/cancellation).
    response.once('close', () => {
      if (response.writableFinished || !isModern(request)) return;
      for (const text of requests) client.conversation.cancel(memberText(text, ['id']) ?? '', reply);
    });
    for (const text of messages) client.conversation.take(text, reply);
  }

  #newSession(): [string, Client] {
    const id = randomUUID();
    const client = this.#newClient();
    this.#sessions.set(id, client);
    return [id, client];
  }

  /** Null if the session is unknown. */
  #clientOf(request: IncomingMessage): Client | null {
    const id = sessionIdOf(request);
    if (id !== null) return this.#sessions.get(id) ?? null;
    this.#shared ??= this.#newClient();
    return this.#shared;
  }

  #newClient(): Client {
    const stream = new GetStream();
    return { conversation: new Conversation(this.#mock, stream), stream };
  }
}

/** @param port 0 for any free one @throws FaultError if it cannot listen there */
export async function listenLocally(port: number): Promise<Listener> {
  const listener = await listen({ host: '127.0.0.1', port }).catch((error: unknown) => {
    throw new FaultError(cannotListen(port, error));
  });
  // A client may keep a stream open for as long as it likes.
  listener.server.requestTimeout = 0;
  return listener;
}

/** Whether a request comes from this machine, and not from a foreign page by DNS rebinding (MCP 2025-06-18 transports, security warning). */
export function isLocalRequest({ headers }: IncomingMessage, port: number): boolean {
  // Clients leave out the port that is usual.
  const hosts = ['127.0.0.1', 'localhost'].flatMap((name) => [
    `${name}:${port}`,
    ...(port === 80 ? [name] : []),
  ]);
  const { host = '', origin } = headers;
  return hosts.includes(host) && (origin === undefined || hosts.some((own) => origin === `http://${own}`));
}

/** The response to one POST: JSON, or a stream if anything precedes the response. */
class PostReply implements Outlet {
  readonly #response: ServerResponse;
  readonly #stream: Outlet;
  readonly #acceptsStream: boolean;
  readonly #prefersStream: boolean;
  /** Responses that are still to come. */
  #pending: number;

  /** @param accept the header of the request */
  constructor(response: ServerResponse, stream: Outlet, pending: number, accept: string = '*/*') {
    this.#response = response;
    this.#stream = stream;
    this.#pending = pending;
    this.#acceptsStream = accept.includes('text/event-stream') || accept.includes('*/*');
    const acceptsJson = accept.includes('application/json') || accept.includes('*/*');
    // The responses to a batch come one by one.
    this.#prefersStream = this.#acceptsStream && (!acceptsJson || pending > 1);
  }

  send(text: string): void {
    if (this.#pending === 0 || this.#response.destroyed || !this.#acceptsStream) this.#stream.send(text);
    else this.#event(text);
  }

  respond(text: string, status: number | null): void {
    const isStream = this.#response.headersSent || this.#prefersStream;
    const isLast = --this.#pending === 0;
    if (!isStream) {
      const code = status !== null && status >= 400 ? status : 200;
      this.#response.writeHead(code, { 'Content-Type': 'application/json' }).end(text);
      return;
    }
    this.#event(text);
    if (isLast) this.#response.end();
  }

  cut(text: string): void {
    const response = this.#response;
    if (this.#pending === 0) return this.#stream.cut(text);
    this.#pending = 0;
    const isStream = response.headersSent || this.#prefersStream;
    if (isStream && !response.headersSent) response.writeHead(200, eventStream);
    const body = isStream ? eventOf(text) : text;
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    if (!response.headersSent) response.writeHead(200, headers);
    response.write(firstHalf(body), () => response.destroy());
  }

  end(status: number | null): void {
    this.#pending = Math.max(0, this.#pending - 1);
    if (this.#pending > 0) return;
    if (!this.#response.headersSent) this.#response.statusCode = status ?? 200;
    this.#response.end();
  }

  #event(text: string): void {
    if (!this.#response.headersSent) this.#response.writeHead(200, eventStream);
    this.#response.write(eventOf(text));
  }
}

/** The stream of a client's GET; what is sent before it is open waits. */
class GetStream implements Outlet {
  readonly #waiting: string[] = [];
  #response: ServerResponse | null = null;

  /** Only one stream is open at a time: the latest. */
  open(response: ServerResponse): void {
    this.close();
    this.#response = response;
    response.writeHead(200, eventStream).flushHeaders();
    response.once('close', () => {
      if (this.#response === response) this.#response = null;
    });
    for (const text of this.#waiting.splice(0)) this.send(text);
  }

  send(text: string): void {
    if (this.#response === null) this.#waiting.push(text);
    else this.#response.write(eventOf(text));
  }

  respond(text: string): void {
    this.send(text);
  }

  cut(text: string): void {
    const response = this.#response;
    response?.write(firstHalf(eventOf(text)), () => response.destroy());
  }

  end(): void {
    // Other messages may follow.
  }

  close(): void {
    this.#response?.end();
    this.#response = null;
  }
}

const eventStream = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' };

const eventOf = (text: string): string => `event: message\ndata: ${text}\n\n`;

const isRequest = (text: string): boolean =>
  memberText(text, ['method']) !== null && memberText(text, ['id']) !== null;

function isModern({ headers }: IncomingMessage): boolean {
  const version = headers['mcp-protocol-version'];
  return typeof version === 'string' && eraOf(version) === 'modern';
}

function sessionIdOf({ headers }: IncomingMessage): string | null {
  const id = headers['mcp-session-id'];
  return typeof id === 'string' ? id : null;
}

/** Null if it is too large. */
export async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue;
    size += part.length;
    if (size <= MAX_BODY) parts.push(part);
    // The rest is read too: to stop here would close the connection before the client has its answer.
    else parts.length = 0;
  }
  return size > MAX_BODY ? null : Buffer.concat(parts).toString('utf8');
}

function refuse(response: ServerResponse, status: number, message: string, code = -32000): void {
  const error = { jsonrpc: '2.0', id: null, error: { code, message } };
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(error));
}

function cannotListen(port: number, error: unknown) {
  const code = systemCodeOf(error);
  return {
    code: 'mock-not-listening',
    what: `The mock cannot listen on port ${port} of 127.0.0.1 (${code ?? 'unknown'}).`,
    ...(code === 'EADDRINUSE' && { why: 'Another program listens there.' }),
    next: 'Choose another port, or 0 for any free one.',
  };
}

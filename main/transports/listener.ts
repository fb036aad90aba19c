import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { messageOf, systemCodeOf } from '#shared/contract/fault.ts';

interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Limit of bytes of the head of a request; that of Node by default. */
  readonly maxHead?: number;
}

/** An HTTP server of ours. */
export interface Listener {
  readonly server: Server;
  readonly port: number;
}

/**
 * Opens a server. Errors that it has later, such as too many open files, are reported and end nothing.
 *
 * @throws the error of the system if it cannot listen there
 */
export async function listen({ host, port, maxHead }: ListenOptions): Promise<Listener> {
  const server = createServer(maxHead === undefined ? {} : { maxHeaderSize: maxHead });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.on('error', (error) => report('while listening', error));
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : port };
}

/** Ends a server with all of its connections. */
export function closeListener(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/**
 * The URL that a request is for; null if its target is not on this server: `*`, an authority, or a text that is not a URL
 * (RFC 9112 section 3.2). A target that begins with `//` is a path, not another host.
 *
 * @param origin of the server
 */
export function urlOfRequest({ url: target = '' }: Pick<IncomingMessage, 'url'>, origin: string): URL | null {
  const text = target.startsWith('/') ? `${origin}${target}` : target;
  const url = URL.canParse(text) ? new URL(text) : null;
  // The port that is usual is left out of an origin.
  return url?.origin === new URL(origin).origin ? url : null;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** @param text what went wrong, for the client */
type Fail = (response: ServerResponse, text: string) => void;

const failPlainly: Fail = (response, text) =>
  void response.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`);

/** Has every request of a server answered. An answer that fails is reported, and ends its request, never the process. */
export function answerRequests(server: Server, answer: Answer, fail: Fail = failPlainly): void {
  server.on('request', (request, response) => {
    // Without a listener, an error of a stream ends the process.
    for (const stream of [request, response]) stream.on('error', () => response.destroy());
    void attempt(
      () => answer(request, response),
      (error) => {
        // A client that leaves before its body is complete is no failure of ours.
        const isGone = request.destroyed && systemCodeOf(error) !== null;
        if (!isGone) report('while answering a request', error);
        if (isGone || response.headersSent) response.destroy();
        else fail(response, `Sightglass failed: ${messageOf(error)}`);
      },
    );
  });
}

type TakeUpgrade = (request: IncomingMessage, stream: Duplex, head: Buffer) => Promise<void> | void;

/** Has every upgrade of a server taken. One that fails is reported, and ends its connection, never the process. */
export function takeUpgrades(server: Server, take: TakeUpgrade): void {
  server.on('upgrade', (request, stream, head) => {
    stream.on('error', () => stream.destroy());
    void attempt(
      () => take(request, stream, head),
      (error) => {
        report('while taking an upgrade', error);
        stream.destroy();
      },
    );
  });
}

/** Runs something that may throw or reject. Neither may escape: nobody waits for it. */
async function attempt(action: () => Promise<void> | void, onError: (error: unknown) => void): Promise<void> {
  try {
    await action();
  } catch (error) {
    try {
      onError(error);
    } catch (second) {
      report('while refusing a request', second);
    }
  }
}

/** As JSON, because a message may repeat what a stranger sent, and a terminal obeys control characters. */
const report = (when: string, error: unknown): void =>
  void process.stderr.write(`sightglass: ${when}: ${JSON.stringify(messageOf(error))}\n`);

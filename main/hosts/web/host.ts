import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Engine } from '#main/platform.ts';
import { answerRequests, listen, takeUpgrades } from '#transports/listener.ts';
import { createAdmission } from './admission.ts';
import { closeFor, connectPage, parseJson } from './page-connection.ts';
import { ownHost, pageServer } from './page-server.ts';

const ENGINE_PATH = '/engine';
/** How long a new connection may keep its first frame to itself. */
const FIRST_FRAME_WITHIN = 5_000;
/** How long a page may take to reload. */
const RELOAD_WITHIN = 3_000;
/** The most bytes of one frame from the page; arguments of a call can be large. */
const MAX_FRAME = 64 * 1024 * 1024;
/** The most bytes that a connection may send before it is let in: its first frame has about 100. */
const MAX_BYTES_BEFORE_ADMISSION = 4 * 1024;
/** How long a refused connection may take to read why. */
const REFUSED_WITHIN = 1_000;

export interface WebHostSettings {
  readonly engine: Engine;
  readonly pageFolder: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Called when the last page has gone and did not come back, as it does in a reload. */
  readonly onPagesGone?: () => void;
}

export interface WebHost {
  readonly port: number;
  /** An address that lets one page in; it replaces one that no page has used. */
  newAddress(): string;
  /** Whether any page was ever let in. */
  hasHadPage(): boolean;
  /** Has every page reload. */
  reloadPages(): void;
  /** Closes every connection and the port, not the engine. Idempotent. */
  close(): Promise<void>;
}

/** Serves the page on the loopback interface and carries the contract over a WebSocket. */
export async function startWebHost(settings: WebHostSettings): Promise<WebHost> {
  const { engine, pageFolder } = settings;
  const admission = createAdmission();
  const pages = new Map<string, WebSocket>();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME, perMessageDeflate: false });
  const { server, port } = await listen({ host: '127.0.0.1', port: settings.port });
  const host = ownHost(port);

  answerRequests(server, pageServer(pageFolder, port));
  takeUpgrades(server, (request, stream, head) => {
    const rejection = rejectionOf(request, host);
    if (rejection !== null) return refuseUpgrade(stream, rejection);
    sockets.handleUpgrade(request, stream, head, (socket) => awaitFirstFrame(socket, stream));
  });

  function awaitFirstFrame(socket: WebSocket, stream: Duplex): void {
    let received = 0;
    let isAdmitted = false;
    // ws has one limit for all frames of a connection, so what a stranger sends is counted beneath it.
    const count = (bytes: Buffer) => {
      received += bytes.length;
      // Bytes that let the page in may have more behind them.
      if (isAdmitted || received <= MAX_BYTES_BEFORE_ADMISSION) return;
      stream.off('data', count);
      refuseFlood(socket);
    };
    stream.on('data', count);
    const timer = setTimeout(() => closeFor(socket, 'refused'), FIRST_FRAME_WITHIN);
    // An error such as a frame that is too large; ws closes the connection itself.
    socket.on('error', (error) => console.error('sightglass: a page broke the connection:', error.message));
    socket.once('close', () => clearTimeout(timer));
    socket.once('message', (raw: RawData) => {
      clearTimeout(timer);
      const frame = sizeOf(raw) > MAX_BYTES_BEFORE_ADMISSION ? null : parseJson(raw);
      const secret = frame?.ok ? admission.admit(frame.value) : null;
      if (secret === null) return closeFor(socket, 'refused');
      isAdmitted = true;
      stream.off('data', count);
      welcome(socket, secret);
    });
  }

  let hasHadPage = false;
  let goneTimer: NodeJS.Timeout | undefined;

  // One page a secret: a reload can be faster than the end of the connection it replaces, and a duplicated
  // tab, which comes with a copy of the secret, takes over from its original.
  function welcome(socket: WebSocket, secret: string): void {
    const before = pages.get(secret);
    pages.set(secret, socket);
    hasHadPage = true;
    clearTimeout(goneTimer);
    if (before !== undefined) closeFor(before, 'replaced');
    socket.once('close', () => {
      if (pages.get(secret) !== socket) return;
      pages.delete(secret);
      if (pages.size === 0 && !closing) goneTimer = setTimeout(() => settings.onPagesGone?.(), RELOAD_WITHIN);
    });
    socket.send(JSON.stringify({ secret }));
    connectPage(socket, engine);
  }

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    clearTimeout(goneTimer);
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    const open = [...sockets.clients];
    const closed = open.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of open) closeFor(socket, 'ending');
    const timer = setTimeout(() => open.forEach((socket) => socket.terminate()), 1_000);
    await Promise.all(closed);
    clearTimeout(timer);
    server.closeAllConnections();
    await ended;
  }

  return {
    port,
    newAddress: () => `http://127.0.0.1:${port}/#token=${admission.mintToken()}`,
    hasHadPage: () => hasHadPage,
    reloadPages() {
      for (const socket of pages.values()) closeFor(socket, 'rebuilt');
    },
    close: () => (closing ??= close()),
  };
}

/** Says why and reads nothing more, so that nothing more is held. */
function refuseFlood(socket: WebSocket): void {
  closeFor(socket, 'tooMuch');
  socket.pause();
  const timer = setTimeout(() => socket.terminate(), REFUSED_WITHIN);
  socket.once('close', () => clearTimeout(timer));
}

const sizeOf = (raw: RawData): number =>
  Array.isArray(raw) ? raw.reduce((sum, { length }) => sum + length, 0) : raw.byteLength;

function rejectionOf({ headers, url }: IncomingMessage, host: string): string | null {
  if (headers.host !== host) return '403 Forbidden';
  // Browsers always send the Origin of a WebSocket; a client without one is not our page.
  if (headers.origin !== `http://${host}`) return '403 Forbidden';
  return url === ENGINE_PATH ? null : '404 Not Found';
}

function refuseUpgrade(stream: Duplex, status: string): void {
  stream.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

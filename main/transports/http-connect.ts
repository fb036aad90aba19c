import type { LookupAddress } from 'node:dns';
import { lookup as lookupAddresses } from 'node:dns/promises';
import { Agent, type ClientRequestArgs } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { isPrivateAddress, isPrivateHost } from '#shared/private-address.ts';
import type { HttpConnectedRecord } from '#shared/trace/record.ts';
import { withResolvers } from './async.ts';
import { failureIn, StepError } from './http-step-failure.ts';
import { openTunnel, type Proxy } from './http-proxy.ts';
import { beginTls, type TlsIdentity } from './tls-handshake.ts';
import { now } from './transport.ts';

/** The destination of a connection. */
export interface Route {
  readonly url: URL;
  readonly proxy: Proxy | null;
  /** Fails before it connects to this machine or its network. Through a proxy only the text of the URL shows that. */
  readonly refusesPrivate?: boolean;
}

/** Finds the addresses of a name. @throws if it has none */
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

/** Options that all connections of a client share. */
interface ConnectOptions {
  readonly identity: TlsIdentity;
  /** Milliseconds that each step after the lookup may take. */
  readonly stepLimit: number;
  /** Called with each socket as soon as it exists. */
  readonly onSocket: (socket: Socket) => void;
  /** Called with the address that a connection without a proxy has reached. */
  readonly onReached?: (route: Route, address: string) => void;
  /** That of the system by default. */
  readonly lookup?: Lookup | undefined;
}

/** What is recorded about an open connection. */
type ConnectionFacts = Pick<HttpConnectedRecord, 'remote' | 'proxy' | 'took' | 'tls'>;

interface Connection {
  readonly socket: Socket;
  readonly facts: ConnectionFacts;
}

type ConnectStep = keyof HttpConnectedRecord['took'];

/** Milliseconds before the next of several addresses is tried too. */
const ADDRESS_TIME = 1000;

/**
 * Opens a connection step by step: lookup, connect, proxy, tls. Sends no byte of a request.
 *
 * @param stop aborts the attempt
 * @throws StepError naming the step that failed
 */
export function openConnection(
  route: Route,
  options: ConnectOptions,
  stop: AbortSignal,
): Promise<Connection> {
  return new Opening(route, options, stop).open();
}

/** One connection while it is being opened. */
class Opening {
  readonly #route: Route;
  readonly #options: ConnectOptions;
  readonly #stop: AbortSignal;
  readonly #took: HttpConnectedRecord['took'] = {};
  /** The address that the TCP connection reached; null until it is connected. */
  #remote: string | null = null;

  constructor(route: Route, options: ConnectOptions, stop: AbortSignal) {
    this.#route = route;
    this.#options = options;
    this.#stop = stop;
  }

  async open(): Promise<Connection> {
    const { url, proxy, refusesPrivate = false } = this.#route;
    if (proxy !== null && refusesPrivate && isPrivateHost(url)) throw isPrivate(url, null);
    const near = await this.#reach(proxy?.url ?? url);
    const through = proxy === null ? near : await this.#passProxy(near, proxy);
    const { socket, facts } =
      url.protocol === 'https:'
        ? await this.#step('tls', () => this.#secure(through, url, 'server'))
        : { socket: through };
    return {
      socket,
      facts: {
        remote: this.#remote ?? '',
        took: this.#took,
        ...(proxy !== null && { proxy: proxy.address }),
        ...(facts !== undefined && { tls: facts }),
      },
    };
  }

  /** Opens a TCP connection to the host of a URL. */
  async #reach(url: URL): Promise<Socket> {
    const host = hostOf(url);
    const family = isIP(host);
    const { lookup = systemLookup } = this.#options;
    const addresses =
      family === 0 ? await this.#step('lookup', () => lookup(host)) : [{ address: host, family }];
    const { proxy, refusesPrivate = false } = this.#route;
    // The connection goes to one of these addresses: the name is not looked up again.
    const found = addresses.find(({ address }) => isPrivateAddress(address));
    if (refusesPrivate && proxy === null && found !== undefined) throw isPrivate(url, found.address);
    return this.#step('connect', async () => {
      const socket = connectToAny(addresses, host, portOf(url));
      // Each step handles the errors of the socket. Between two steps only this listener does.
      socket.on('error', () => {});
      this.#options.onSocket(socket);
      await this.#until(socket, 'connect');
      const { remoteAddress = '', remotePort = 0 } = socket;
      this.#remote = hostAndPort(remoteAddress, remotePort);
      if (proxy === null) this.#options.onReached?.(this.#route, remoteAddress);
      return socket;
    });
  }

  /** Returns the socket to send on: to the proxy itself, or to a tunnel through it if the server speaks TLS. */
  async #passProxy(near: Socket, proxy: Proxy): Promise<Socket> {
    const { url } = this.#route;
    const isSecured = proxy.url.protocol === 'https:';
    const needsTunnel = url.protocol === 'https:';
    if (!isSecured && !needsTunnel) return near;
    return this.#step('proxy', async () => {
      const socket = isSecured ? (await this.#secure(near, proxy.url, 'proxy')).socket : near;
      if (needsTunnel) {
        await this.#while(socket, openTunnel(socket, `${url.hostname}:${portOf(url)}`, proxy));
      }
      return socket;
    });
  }

  #secure(socket: Socket, url: URL, whom: 'server' | 'proxy') {
    return beginTls(socket, hostOf(url), this.#options.identity, whom, (secured) => {
      secured.on('error', () => {});
      return this.#until(secured, 'secureConnect');
    });
  }

  /** Runs one step: measures its time, and names the step if it fails. */
  async #step<T>(step: ConnectStep, work: () => Promise<T>): Promise<T> {
    const began = now();
    const stop = () => (this.#took[step] = now() - began);
    try {
      const done = await work();
      this.#stop.throwIfAborted();
      stop();
      return done;
    } catch (error) {
      stop();
      const { failure, rejected } = this.#failure(step, error);
      const reached = this.#remote === null ? {} : { remote: this.#remote };
      throw new StepError({ ...failure, ...reached, took: this.#took }, rejected);
    }
  }

  #failure(step: ConnectStep, error: unknown): StepError {
    const { proxy } = this.#route;
    const failed = error instanceof StepError ? error : new StepError(failureIn(step, error));
    const isOfProxy = proxy !== null && step !== 'tls';
    if (!isOfProxy || failed.failure.code.startsWith('PROXY_')) return failed;
    const message = `the proxy ${proxy.address}: ${failed.message}`;
    return new StepError({ ...failed.failure, step: 'proxy', message }, failed.rejected);
  }

  #until(socket: Socket | TLSSocket, reached: 'connect' | 'secureConnect'): Promise<void> {
    const isReached = new Promise<void>((resolve) => socket.once(reached, resolve));
    return this.#while(socket, isReached);
  }

  /** Waits for work on a socket; closes the socket if the work fails, times out or is aborted. */
  async #while<T>(socket: Socket, work: Promise<T>): Promise<T> {
    const { stepLimit } = this.#options;
    const { promise: broken, reject } = withResolvers<never>();
    const onClose = () => reject(withCode('ECONNRESET', 'the other side closed the connection'));
    const onStop = () => reject(withCode('ABORT_ERR', 'given up'));
    const limit = setTimeout(
      () => reject(withCode('ETIMEDOUT', `nothing came of it within ${stepLimit / 1000} s`)),
      stepLimit,
    );
    socket.once('error', reject);
    socket.once('close', onClose);
    this.#stop.addEventListener('abort', onStop);
    if (this.#stop.aborted) onStop();
    if (socket.destroyed) onClose();
    try {
      return await Promise.race([work, broken]);
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(limit);
      socket.off('error', reject);
      socket.off('close', onClose);
      this.#stop.removeEventListener('abort', onStop);
    }
  }
}

/** Tries the addresses in turn until one takes the connection (after RFC 8305). */
function connectToAny(addresses: readonly LookupAddress[], host: string, port: number): Socket {
  const [first] = addresses;
  return connect({
    host,
    port,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIME,
    lookup: (_host, options, found) => {
      if (options.all === true) found(null, [...addresses]);
      else found(null, first?.address ?? '', first?.family);
    },
  });
}

const systemLookup: Lookup = (host) => lookupAddresses(host, { all: true });

/** The code of the failure of a connection that was not made because it would have been private. */
export const PRIVATE_ADDRESS = 'PRIVATE_ADDRESS';

/**
 * What is wrong with a URL that leads to this machine or its network; null if it does not, as far as its text and, without a proxy,
 * the name service tell.
 */
export async function privateRoute(
  { url, proxy }: Route,
  lookup: Lookup = systemLookup,
): Promise<StepError | null> {
  if (isPrivateHost(url)) return isPrivate(url, null);
  if (proxy !== null || isIP(hostOf(url)) !== 0) return null;
  // A name that is not found leads nowhere from here.
  const addresses = await lookup(hostOf(url)).catch(() => []);
  const found = addresses.find(({ address }) => isPrivateAddress(address));
  return found === undefined ? null : isPrivate(url, found.address);
}

/** @param address null if the name itself says so */
const isPrivate = (url: URL, address: string | null): StepError =>
  new StepError({
    step: 'lookup',
    code: PRIVATE_ADDRESS,
    message: `${url.host} is ${address === null || address === hostOf(url) ? '' : `${address}, `}on this machine or its network`,
  });

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

const portOf = ({ port, protocol }: URL): number =>
  port !== '' ? Number(port) : protocol === 'https:' ? 443 : 80;

const hostAndPort = (address: string, port: number): string =>
  isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;

const withCode = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/** What a request passes to the agent in addition to Node's options. */
export interface Routed {
  readonly route: Route;
  /** Aborts the request while its connection is being opened. */
  readonly stop: AbortSignal;
}

type RoutedArgs = ClientRequestArgs & Partial<Routed>;

/** Milliseconds an idle connection is kept. Node honors a shorter keep-alive time of the server only if this is set. */
const IDLE_TIME = 60_000;

/** Keeps the connections of a client alive for reuse; their number is not limited. */
export class HttpAgent extends Agent {
  readonly #options: ConnectOptions;
  readonly #facts = new WeakMap<object, ConnectionFacts>();

  constructor(options: ConnectOptions) {
    super({ keepAlive: true, timeout: IDLE_TIME });
    this.#options = options;
  }

  /** What to record about a connection of this agent. */
  factsOf(socket: object): ConnectionFacts | undefined {
    return this.#facts.get(socket);
  }

  /** Closes the idle connections of a route, so that the next request opens a new one. */
  closeIdle(route: Route): void {
    for (const socket of this.freeSockets[keyOf(route)] ?? []) socket.destroy();
  }

  override getName(options: RoutedArgs = {}): string {
    return options.route === undefined ? super.getName(options) : keyOf(options.route);
  }

  override createConnection(
    { route, stop }: RoutedArgs,
    handOver: (error: Error | null, socket?: Duplex) => void,
  ): undefined {
    if (route === undefined || stop === undefined) throw new Error('a request came without its route');
    openConnection(route, this.#options, stop).then(
      ({ socket, facts }) => {
        this.#facts.set(socket, facts);
        handOver(null, socket);
      },
      (error: Error) => handOver(error),
    );
  }
}

/** Requests with the same key may share a connection. */
const keyOf = ({ url, proxy, refusesPrivate = false }: Route): string =>
  [url.origin, proxy?.url.href ?? '', ...(refusesPrivate ? ['public'] : [])].join(' ');

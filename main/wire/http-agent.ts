import { Agent, type ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ConnectionFacts, type ConnectOptions, openConnection, type Route } from './http-connect.ts';

/** What a request tells the agent beside what Node wants to know. */
export interface Routed {
  readonly route: Route;
  /** Gives the request up while its connection is still being opened. */
  readonly stop: AbortSignal;
}

type RoutedArgs = ClientRequestArgs & Partial<Routed>;

/** Milliseconds an unused connection is kept; also what lets Node heed a server that keeps it for less. */
const IDLE_TIME = 60_000;

/** Keeps the connections of one client for further requests, as many as are wanted at once. */
export class HttpAgent extends Agent {
  readonly #options: ConnectOptions;
  readonly #facts = new WeakMap<object, ConnectionFacts>();

  constructor(options: ConnectOptions) {
    super({ keepAlive: true, timeout: IDLE_TIME });
    this.#options = options;
  }

  /** What is to be told of a connection of this agent. */
  factsOf(socket: object): ConnectionFacts | undefined {
    return this.#facts.get(socket);
  }

  /** Closes the connections of a route that no request uses, so that the next opens a new one. */
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
const keyOf = ({ url, proxy }: Route): string => `${url.origin} ${proxy?.url.href ?? ''}`;

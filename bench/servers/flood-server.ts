import { fileURLToPath } from 'node:url';
import { StartedServer } from '#fixtures/http/start-server.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import type { Opened } from '../app/app.ts';

/** Notifications of a flood, and bytes of each. */
export interface FloodSize {
  readonly count: number;
  readonly size: number;
}

export const transports = ['stdio', 'http'] as const;
export type TransportName = (typeof transports)[number];

/** A server with a tool `flood`, which sends its notifications before it answers, and a tool `echo`. */
export interface FloodServer {
  readonly opened: Exclude<Opened, { kind: 'nothing' }>;
  /** Rows that a call adds to the table: its request, its answer and, over HTTP, the exchange. */
  readonly rowsOfCall: number;
  close(): Promise<void>;
}

const httpMain = fileURLToPath(new URL('http-flood.ts', import.meta.url));

export const floodServers: Readonly<Record<TransportName, (flood: FloodSize) => Promise<FloodServer>>> = {
  stdio: async ({ count, size }) => ({
    opened: { kind: 'command', ...misbehavingServer('on-call', `flood:${count}:${size}`) },
    rowsOfCall: 2,
    // The client starts it and ends it.
    close: async () => {},
  }),
  http: async ({ count, size }) => {
    const server = await StartedServer.start([httpMain, String(count), String(size)]);
    return { opened: { kind: 'url', url: server.url }, rowsOfCall: 3, close: () => server.close() };
  },
};

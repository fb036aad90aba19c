import { resolve } from 'node:path';
import type { ServerList } from '#config/server-list.ts';
import { type ServerOfThisRun, timeoutsOf } from '#config/servers-of-this-run.ts';
import type { Sessions } from '#session/sessions.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Result } from '#shared/contract/index.ts';
import type { Launch, SentVariables } from '#shared/contract/sessions.ts';
import type { Traces } from '#trace/traces.ts';
import type { NamedServer, Platform } from './platform.ts';

interface NamedTargetsOptions {
  readonly host: Platform['host'];
  readonly servers: ServerList;
  readonly sessions: Sessions;
  readonly opened: Traces['opened'];
  /** The list of servers has a further one. */
  readonly onServer: () => Promise<void>;
  /** A trace was opened, and the page should show it. */
  readonly onTrace: (sessionId: string) => void;
}

/** Opens the servers and trace files that the user names outside the page, such as on the command line. */
export class NamedTargets {
  readonly #options: NamedTargetsOptions;
  #traceId: string | null = null;

  constructor(options: NamedTargetsOptions) {
    this.#options = options;
  }

  /** The session id of the last trace that was named, unless it was closed. */
  get traceId(): string | null {
    const isOpen = this.#options.opened.list().some(({ sessionId }) => sessionId === this.#traceId);
    return isOpen ? this.#traceId : null;
  }

  /** Connects to a server; returns its id. @throws FaultError when it cannot be opened */
  async openServer(named: NamedServer): Promise<string> {
    const { servers, sessions, onServer } = this.#options;
    if (named.kind === 'saved') return this.#openSaved(named);
    const { id } = servers.addForThisRun(withDefaults(named));
    await onServer();
    await sessions.open(id, {
      tracePath: named.tracePath,
      mustConfirm: named.confirm,
      onlyAuthorizes: named.onlyAuthorizes,
    });
    return id;
  }

  /** Opens a trace file. @throws FaultError when it cannot be opened */
  async openFile(path: string): Promise<void> {
    const { sessionId } = await this.#options.opened.open(path);
    this.#traceId = sessionId;
    this.#options.onTrace(sessionId);
  }

  async #openSaved(named: NamedServer & { kind: 'saved' }): Promise<string> {
    const { host, servers, sessions } = this.#options;
    const server = await servers.named(named.name);
    servers.supply(server, named.values ?? {});
    // In the window, the user sees which values are missing.
    if (host === 'cli') await servers.requireSecrets(server);
    const opening = sessions.open(server.id, {
      tracePath: named.tracePath,
      revision: named.revision,
      onlyAuthorizes: named.onlyAuthorizes,
      allowVariables: named.allowVariables,
      settings: {
        ...(named.era !== undefined && { era: named.era }),
        ...(named.timeout !== undefined && { timeouts: timeoutsOf(named.timeout) }),
        ...(named.client !== undefined && { client: { ...server.client, ...named.client } }),
      },
    });
    // The window shows the server anyway, and tells the fault when the user connects.
    if (host === 'cli') mustBeOpened(await opening, server.name);
    else await opening.catch(ignoreFault);
    return server.id;
  }
}

/** Where nobody can be asked, the answer is no. @throws FaultError if an approval is needed */
function mustBeOpened(opened: Result<'sessions/open'>, name: string): void {
  switch (opened.outcome) {
    case 'opened':
      return;
    case 'approval-needed':
      throw new FaultError(notApproved(name, opened.launch));
    case 'variables-approval-needed':
      throw new FaultError(variablesNotApproved(name, opened.sent));
  }
}

const notApproved = (name: string, { command, args }: Launch): Fault => ({
  code: 'launch-refused',
  what: `The command line of the saved server "${name}" was not approved yet, and there is no terminal to ask on.`,
  why: `It would run ${[command, ...args].map((word) => JSON.stringify(word)).join(' ')}.`,
  next: 'Connect to it once in the window or in a terminal, and allow it there.',
});

const variablesNotApproved = (name: string, { origin, variables }: SentVariables): Fault => ({
  code: 'variables-refused',
  what: `The saved server "${name}" would get variables that were not approved for ${origin} yet, and nobody can be asked here.`,
  why: `Its settings send ${variables.map(({ variable, places }) => `${variable} (${places.join(', ')})`).join(', ')}.`,
  next: 'Connect to it once in the window or in a terminal, and allow it there, or pass --allow-variables.',
});

/** For `catch`: leaves out a fault that is shown elsewhere. */
export function ignoreFault(error: unknown): null {
  if (!(error instanceof FaultError)) throw error;
  return null;
}

const withDefaults = (named: Exclude<NamedServer, { kind: 'saved' }>): ServerOfThisRun =>
  named.kind === 'stdio'
    ? { ...named, cwd: resolve(named.cwd ?? '.'), env: named.env ?? {} }
    : { ...named, headers: named.headers ?? [], transport: named.httpTransport ?? 'auto' };

import { numberedNames } from './numbered-names.ts';
import { mkdir } from 'node:fs/promises';
import { release } from 'node:os';
import { dirname, join } from 'node:path';
import { type Fault, FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import type { Emit } from '#shared/contract/index.ts';
import { TRACE_FORMAT, TRACE_VERSION, type TraceHeader } from '#shared/trace/record.ts';
import { bothClocks, now } from '#transports/transport.ts';
import type { SessionFlows } from './export/handlers.ts';
import { handlersOf, type TraceHandlers } from './handlers.ts';
import { redactAndLearnProse, redactAndLearnUrl } from './recorder/credentials.ts';
import type { MakeChecker } from './findings.ts';
import { OpenedTraces } from './opened/opened-traces.ts';
import type { Redactor } from './recorder/redaction.ts';
import { Trace, type TraceOptions } from './trace.ts';
import { TraceFeed } from './trace-feed.ts';

export interface NewTrace {
  readonly sessionId: string;
  readonly server: TraceHeader['server'];
  readonly redactor: Redactor;
  /** Where to write it; by default a new file in the app's data folder. */
  readonly path?: string;
  readonly onChange: () => void;
  readonly onCongested: (isCongested: boolean) => void;
}

/** The traces of this run, by session: recorded ones, and those opened from files. */
export class Traces {
  readonly opened: OpenedTraces;
  readonly #folder: string;
  readonly #appVersion: string;
  readonly #emit: Emit;
  readonly #makeChecker: MakeChecker | undefined;
  readonly #flowsOf: ((sessionId: string) => Awaited<ReturnType<SessionFlows>>) | undefined;
  readonly #feeds = new Map<string, TraceFeed>();
  readonly #handlers = new Map<string, TraceHandlers>();
  readonly #traces = new Map<string, Trace>();
  readonly #beginListeners: ((sessionId: string, trace: Trace) => void)[] = [];

  /**
   * @param makeChecker creates what checks each trace; nothing is checked by default
   * @param flowsOf the authorization flows of a running session, for exports; none by default
   */
  constructor(
    folder: string,
    appVersion: string,
    emit: Emit,
    makeChecker?: MakeChecker,
    flowsOf?: (sessionId: string) => Awaited<ReturnType<SessionFlows>>,
  ) {
    this.#makeChecker = makeChecker;
    this.#flowsOf = flowsOf;
    this.#folder = folder;
    this.#appVersion = appVersion;
    this.#emit = emit;
    this.opened = new OpenedTraces(emit, folder);
  }

  /** Begins the trace of a session. @throws FaultError if its file cannot be created */
  async begin({ sessionId, server, redactor, path, onChange, onCongested }: NewTrace): Promise<Trace> {
    const clock = bothClocks();
    const createdAt = new Date(clock.wall);
    const described = withoutSecrets(server, redactor);
    const options = {
      header: {
        format: TRACE_FORMAT,
        version: TRACE_VERSION,
        app: { name: 'sightglass', version: this.#appVersion },
        environment: environment(),
        createdAt: createdAt.toISOString(),
        clock,
        server: described,
      } satisfies TraceHeader,
      redactor,
      makeChecker: this.#makeChecker,
      keepsIndex: path === undefined,
      onChange: (changedFrom: number) => {
        this.#feeds.get(sessionId)?.changed(changedFrom);
        onChange();
      },
      onCongested,
    };
    const paths = path === undefined ? ownPaths(this.#folder, described.name, createdAt) : [path];
    const trace = await createFirstFree(this.#folder, paths, options);
    const feed = new TraceFeed(sessionId, trace, this.#emit);
    this.#feeds.set(sessionId, feed);
    this.#handlers.set(
      sessionId,
      handlersOf(feed, now, () => this.#flowsOf?.(sessionId) ?? []),
    );
    this.#traces.set(sessionId, trace);
    for (const listener of this.#beginListeners) listener(sessionId, trace);
    return trace;
  }

  /** The traces of sessions, running or ended, that are held in memory. */
  all(): Iterable<readonly [sessionId: string, trace: Trace]> {
    return this.#traces;
  }

  /** Calls the listener with each trace that a session begins from now on. */
  onBegin(listener: (sessionId: string, trace: Trace) => void): void {
    this.#beginListeners.push(listener);
  }

  /** Drops the trace of an ended session from memory; its file stays. */
  forget(sessionId: string): void {
    this.#feeds.get(sessionId)?.close();
    this.#feeds.delete(sessionId);
    this.#handlers.delete(sessionId);
    this.#traces.delete(sessionId);
  }

  /** The handlers of a session's trace. @throws FaultError if there is no such session */
  handlersOf(sessionId: string): TraceHandlers {
    const handlers = this.#handlers.get(sessionId) ?? this.opened.handlersOf(sessionId);
    if (handlers === undefined) {
      throw new FaultError({ code: 'no-such-session', what: `There is no session ${sessionId}.` });
    }
    return handlers;
  }
}

function environment(): NonNullable<TraceHeader['environment']> {
  const { platform, arch, versions } = process;
  const node = `Node ${versions.node}`;
  const runtime = versions.electron === undefined ? node : `Electron ${versions.electron}, ${node}`;
  return { platform, release: release(), arch, runtime };
}

/** What a server is called and how it is reached. */
function withoutSecrets(server: TraceHeader['server'], redactor: Redactor): TraceHeader['server'] {
  // The address comes first: its secrets may occur in the name too.
  const reached =
    server.transport === 'http'
      ? { transport: server.transport, url: redactAndLearnUrl(redactor, server.url) }
      : {
          transport: server.transport,
          command: redactor.redact(server.command),
          args: server.args.map((arg) => redactor.redact(arg)),
        };
  return { name: redactAndLearnProse(redactor, server.name), ...reached };
}

/** Creates the trace at the first path where no file exists. */
async function createFirstFree(
  folder: string,
  paths: Iterable<string>,
  options: Omit<TraceOptions, 'path'>,
): Promise<Trace> {
  let fault: Fault | undefined;
  for (const path of paths) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return await Trace.create({ ...options, path });
    } catch (error) {
      fault = cannotCreate(path, error);
      if (systemCodeOf(error) !== 'EEXIST') break;
    }
  }
  throw new FaultError(fault ?? cannotCreate(folder, 'no path was given'));
}

/** File names from the server's name and the local time, such as `everything-20261121-140201.mcptrace`. */
function ownPaths(folder: string, server: string, createdAt: Date): Iterable<string> {
  const pad = (part: number) => String(part).padStart(2, '0');
  const day = `${createdAt.getFullYear()}${pad(createdAt.getMonth() + 1)}${pad(createdAt.getDate())}`;
  const time = `${pad(createdAt.getHours())}${pad(createdAt.getMinutes())}${pad(createdAt.getSeconds())}`;
  const name = server.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 60);
  const base = join(folder, `${name}-${day}-${time}`);
  // Several sessions can begin in one second, of several apps too.
  return numberedNames(base, '.mcptrace');
}

function cannotCreate(path: string, error: unknown): Fault {
  if (systemCodeOf(error) === 'EEXIST') {
    return {
      code: 'trace-exists',
      what: `There is already a file ${path}, and a trace never overwrites one.`,
      next: 'Choose another name, or move that file away.',
    };
  }
  return {
    code: 'trace-not-created',
    what: 'The trace file of this session cannot be made, so the session was not started.',
    why: messageOf(error),
    next: `Check that ${dirname(path)} exists, can be written to and has space left, or choose another folder (SIGHTGLASS_HOME is where the app keeps its own).`,
    evidence: path,
  };
}

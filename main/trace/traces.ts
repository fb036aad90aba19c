import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Emit } from '#shared/contract/index.ts';
import { TRACE_FORMAT, TRACE_VERSION, type TraceHeader } from '#shared/trace/record.ts';
import { bothClocks } from '#wire/clock.ts';
import type { Redactor } from './redaction.ts';
import { Trace } from './trace.ts';
import { TraceFeed } from './trace-feed.ts';

export interface NewTrace {
  readonly sessionId: string;
  readonly server: TraceHeader['server'];
  readonly redactor: Redactor;
  /** Where to write it; by default a file of its own in the app's data folder. */
  readonly path?: string;
  readonly onChange: () => void;
  readonly onCongested: (isCongested: boolean) => void;
}

/** The traces of this run, by session. */
export class Traces {
  readonly #folder: string;
  readonly #appVersion: string;
  readonly #emit: Emit;
  readonly #feeds = new Map<string, TraceFeed>();

  constructor(folder: string, appVersion: string, emit: Emit) {
    this.#folder = folder;
    this.#appVersion = appVersion;
    this.#emit = emit;
  }

  /** Begins the trace of a session. @throws FaultError when its file cannot be made */
  async begin({ sessionId, server, redactor, path, onChange, onCongested }: NewTrace): Promise<Trace> {
    const clock = bothClocks();
    const createdAt = new Date(clock.wall);
    let feed: TraceFeed | undefined;
    const options = {
      path: path ?? join(this.#folder, fileName(server.name, createdAt)),
      header: {
        format: TRACE_FORMAT,
        version: TRACE_VERSION,
        app: { name: 'sightglass', version: this.#appVersion },
        createdAt: createdAt.toISOString(),
        clock,
        server: {
          ...server,
          command: redactor.redact(server.command),
          args: server.args.map((arg) => redactor.redact(arg)),
        },
      } satisfies TraceHeader,
      redactor,
      onChange: (changedFrom: number) => {
        feed?.changed(changedFrom);
        onChange();
      },
      onCongested,
    };
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const trace = await Trace.create(options);
      feed = new TraceFeed(sessionId, trace, this.#emit);
      this.#feeds.set(sessionId, feed);
      return trace;
    } catch (error) {
      throw new FaultError(cannotCreate(options.path, error));
    }
  }

  /** @throws FaultError when there is no such session */
  feed(sessionId: string): TraceFeed {
    const feed = this.#feeds.get(sessionId);
    if (feed === undefined) {
      throw new FaultError({ code: 'no-such-session', what: `There is no session ${sessionId}.` });
    }
    return feed;
  }
}

/** Sorts by time in a folder, and tells the server: `2026-11-21T06-08-01-123Z everything.mcptrace`. */
function fileName(server: string, createdAt: Date): string {
  const time = createdAt.toISOString().replaceAll(/[:.]/g, '-');
  const name = server.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 60);
  return `${time}-${process.pid} ${name}.mcptrace`;
}

function cannotCreate(path: string, error: unknown): Fault {
  if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
    return {
      code: 'trace-exists',
      what: `There is already a file ${path}, and a trace never overwrites one.`,
      next: 'Choose another name, or move that file away.',
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: 'trace-not-created',
    what: 'The trace file of this session cannot be made, so the session was not started.',
    why: message,
    next: 'Make the folder writable, free some space, or set SIGHTGLASS_HOME to another folder.',
    evidence: path,
  };
}

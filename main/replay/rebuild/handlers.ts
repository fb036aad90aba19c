import type { Emit, Handlers } from '#shared/contract/index.ts';
import type { RebuildSettings, Server } from '#shared/contract/servers.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { RebuildLoop, type RebuildParts } from './rebuild-loop.ts';

interface RebuildsOptions extends Omit<RebuildParts, 'emit'> {
  readonly server: (serverId: string) => Promise<Server>;
  readonly setRebuild: (serverId: string, rebuild: RebuildSettings) => Promise<Server>;
  /** The sessions that there are. */
  readonly sessions: () => readonly SessionView[];
  readonly emit: Emit;
}

type RebuildCommand = Extract<keyof Handlers, `rebuild/${string}`>;

/** The rebuild loops of all servers; a server has one once it is watched, or was restarted with it. */
export class Rebuilds {
  readonly #options: RebuildsOptions;
  readonly #loops = new Map<string, RebuildLoop>();

  constructor(options: RebuildsOptions) {
    this.#options = options;
  }

  /** Follows the settings of the servers. */
  follow(servers: readonly Server[]): void {
    const ids = new Set(servers.map(({ id }) => id));
    for (const [id, loop] of this.#loops) {
      if (ids.has(id)) continue;
      this.#loops.delete(id);
      void loop.close();
    }
    for (const server of servers) {
      const loop = this.#loops.get(server.id) ?? (server.rebuild?.isOn === true ? this.#add(server) : null);
      if (loop !== null) void loop.follow(server);
    }
  }

  /** Follows a session of any server. */
  noteSession(view: SessionView): void {
    this.#loops.get(view.serverId)?.noteSession(view);
  }

  /** Ends all loops. Idempotent. */
  async close(): Promise<void> {
    await Promise.all([...this.#loops.values()].map((loop) => loop.close()));
  }

  get handlers(): Pick<Handlers, RebuildCommand> {
    return {
      'rebuild/list': () => [...this.#loops.values()].map(({ view }) => view),
      'rebuild/read': async ({ serverId }) => (await this.#loop(serverId)).view,
      'rebuild/set': async ({ serverId, ...rebuild }) => {
        const server = await this.#options.setRebuild(serverId, rebuild);
        const loop = await this.#loop(serverId);
        await loop.follow(server);
        return loop.view;
      },
      'rebuild/now': async ({ serverId }) => {
        const loop = await this.#loop(serverId);
        await loop.restart();
        return loop.view;
      },
      'rebuild/calls': async ({ serverId, source }) => [
        ...(await (await this.#loop(serverId)).choosable(source)).calls,
      ],
      'rebuild/choose': async ({ serverId, source, calls }) => {
        const loop = await this.#loop(serverId);
        await loop.choose(source, calls);
        return loop.view;
      },
    };
  }

  /** The loop of a server. @throws FaultError if there is no such server */
  async #loop(serverId: string): Promise<RebuildLoop> {
    const known = this.#loops.get(serverId);
    if (known !== undefined) return known;
    const server = await this.#options.server(serverId);
    const loop = this.#loops.get(serverId) ?? this.#add(server);
    await loop.follow(server);
    return loop;
  }

  #add(server: Server): RebuildLoop {
    const { emit } = this.#options;
    const loop = new RebuildLoop(server, {
      ...this.#options,
      emit: (rebuild) => emit('rebuild/changed', rebuild),
    });
    this.#loops.set(server.id, loop);
    for (const view of this.#options.sessions()) {
      if (view.serverId === server.id) loop.noteSession(view);
    }
    return loop;
  }
}

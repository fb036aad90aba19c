import { lstat, open, readdir } from 'node:fs/promises';
import { basename, posix, win32 } from 'node:path';
import { type Fault, FaultError, messageOf } from '#shared/contract/fault.ts';
import type { Result } from '#shared/contract/index.ts';
import { type ClientLog, MAX_LOG_BYTES } from '#shared/contract/servers.ts';
import { fileFormats } from '#shared/client-formats/table.ts';
import { ownSurroundings, type Surroundings } from '#config/data-folder.ts';
import type { ClientConfigurations } from './client-configurations.ts';
import { logFolders } from './client-paths.ts';

type RedactText = (text: string, secrets: readonly (readonly [kind: string, value: string])[]) => string;

/** Finds and reads the logs that other clients write about their MCP servers. Never writes. */
export class ClientLogs {
  readonly #configurations: Pick<ClientConfigurations, 'secretValues'>;
  readonly #redact: RedactText;
  readonly #around: Surroundings;

  /** @param redact replaces the given secrets and those that it finds itself */
  constructor(
    configurations: Pick<ClientConfigurations, 'secretValues'>,
    redact: RedactText,
    around: Surroundings = ownSurroundings(),
  ) {
    this.#configurations = configurations;
    this.#redact = redact;
    this.#around = around;
  }

  /** The log files of all clients, the newest first. */
  async found(): Promise<ClientLog[]> {
    const logs = new Map<string, ClientLog>();
    for (const format of fileFormats) {
      for (const folder of logFolders(format, this.#around)) {
        for (const log of await this.#logsIn(folder, format.label)) logs.set(log.path, log);
      }
    }
    return [...logs.values()].sort((a, b) => b.modifiedAt - a.modifiedAt || a.path.localeCompare(b.path));
  }

  /**
   * The end of a log, from the beginning of a line on.
   *
   * @throws FaultError for any other path: the page must not read files through this
   */
  async read(path: string): Promise<Result<'servers/log'>> {
    const log = (await this.found()).find((one) => one.path === path);
    if (log === undefined) throw new FaultError(notListed(path));
    const { text, isWhole } = await readEnd(path);
    const secrets = await this.#configurations.secretValues();
    return { ...log, text: this.#redact(text, secrets), isWhole };
  }

  async #logsIn(folder: string, label: string): Promise<ClientLog[]> {
    // Most users have not every client.
    const names = await readdir(folder).catch(() => []);
    const { join } = this.#around.platform === 'win32' ? win32 : posix;
    const logs: ClientLog[] = [];
    for (const name of names) {
      if (!LOG_NAME.test(name)) continue;
      const path = join(folder, name);
      // A link could lead to any file.
      const found = await lstat(path).catch(() => null);
      if (found?.isFile() !== true) continue;
      const server = SERVER_LOG.exec(name)?.[1] ?? null;
      logs.push({ path, label, server, size: found.size, modifiedAt: found.mtimeMs });
    }
    return logs;
  }
}

/** `mcp.log` is about connections, `mcp-server-NAME.log` has the standard error of a server (MCP documentation, Debugging). */
const LOG_NAME = /^mcp.*\.log$/i;
const SERVER_LOG = /^mcp-server-(.+)\.log$/i;

async function readEnd(path: string): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const from = Math.max(0, size - MAX_LOG_BYTES);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
      const text = buffer.toString('utf8', 0, bytesRead);
      // The first line may be cut, even within a secret.
      return from === 0
        ? { text, isWhole: true }
        : { text: text.slice(text.indexOf('\n') + 1), isWhole: false };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new FaultError({
      code: 'log-not-read',
      what: `The log ${basename(path)} cannot be read.`,
      why: messageOf(error),
      next: 'Check that you may read the file.',
      evidence: path,
    });
  }
}

const notListed = (path: string): Fault => ({
  code: 'log-not-listed',
  what: 'This is not the log of a client.',
  why: 'Only the logs that were found on this machine are read. It may have been deleted since.',
  next: 'Look for the logs again.',
  evidence: path,
});

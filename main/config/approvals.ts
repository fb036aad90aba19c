import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { Launch } from '#shared/contract/sessions.ts';
import { SettingsFile } from './settings-file.ts';

const fileSchema = z.object({ version: z.literal(1), approved: z.array(z.string()) });

/**
 * Which command lines the user has approved. A command runs with the user's own rights, so a new or changed
 * one runs only after he has seen it (MCP security best practices, local server compromise).
 */
export class Approvals {
  readonly #file: SettingsFile<typeof fileSchema>;
  /** Approvals asked for and not given yet; each is good once, for one command line. */
  readonly #asked = new Map<string, string>();

  constructor(folder: string) {
    const empty = { version: 1 as const, approved: [] };
    this.#file = new SettingsFile(join(folder, 'approvals.json'), fileSchema, empty);
  }

  async has(launch: Launch): Promise<boolean> {
    return (await this.#file.read()).approved.includes(fingerprint(launch));
  }

  async add(launch: Launch): Promise<void> {
    const print = fingerprint(launch);
    await this.#file.update((before) => ({ ...before, approved: [...new Set([...before.approved, print])] }));
  }

  /** A one-time approval for the user to confirm. */
  ask(launch: Launch): string {
    const approval = randomBytes(16).toString('hex');
    this.#asked.set(approval, fingerprint(launch));
    return approval;
  }

  /** Whether the approval was asked for this very command line; it is used up by this. */
  async redeem(approval: string, launch: Launch): Promise<boolean> {
    const print = this.#asked.get(approval);
    this.#asked.delete(approval);
    if (print !== fingerprint(launch)) return false;
    await this.add(launch);
    return true;
  }
}

/** Everything that decides what runs, but for the values of variables. */
function fingerprint({ command, args, cwd, env, resolved }: Launch): string {
  const parts = JSON.stringify([command, args, cwd, env.toSorted(), resolved]);
  return createHash('sha256').update(parts).digest('hex');
}

import type { NamedServer } from '#engine/platform.ts';
import { UsageError } from './exit-codes.ts';
import { type Asker, createAsker } from './terminal-question.ts';
import { visibleText } from './visible-text.ts';

const INTRO = 'This command was made from a recorded trace.';

/**
 * Asks on the terminal before anything runs or is connected to; the engine asks by it with what it has found.
 *
 * @returns null when the target is not to be confirmed
 * @throws UsageError when there is nobody to ask
 */
export function confirmerOf(target: NamedServer): Asker | null {
  if (target.confirm !== true) return null;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError(
      `--confirm asks before it goes on, and there is no terminal to ask on. It would ${wordsOf(target)}. ` +
        'Without --confirm that is done at once.',
    );
  }
  return createAsker(process.stdin, process.stderr, `${INTRO} It would run:`);
}

/** Asks whether to connect to an address, which the engine does not ask about. */
export async function confirmAddress(asker: Asker, target: NamedServer): Promise<boolean> {
  if (target.kind !== 'http') return true;
  const names = (target.headers ?? []).map(([name]) => visibleText(name));
  const headers = names.length === 0 ? '' : `  with the headers: ${names.join(', ')}\n`;
  return asker.confirm(
    `${INTRO} It would connect to:\n  address: ${visibleText(target.url)}\n${headers}Connect?`,
  );
}

function wordsOf(target: NamedServer): string {
  if (target.kind === 'http') return `connect to ${visibleText(target.url)}`;
  return `run ${[target.command, ...target.args].map((word) => visibleText(JSON.stringify(word))).join(' ')}`;
}

import { release } from 'node:os';
import type { AppInfo } from '#shared/contract/app.ts';
import type { SessionView } from '#shared/contract/sessions.ts';

/**
 * The text that a user pastes into a report about Sightglass: versions, the system and the state of each session. It names no
 * server, address or path.
 *
 * @param notes what the window adds, without secrets
 */
export function diagnosticsOf(
  { version, host, platform, keepsSecrets }: AppInfo,
  sessions: readonly SessionView[],
  notes: string,
): string {
  const { node, electron, chrome } = process.versions;
  const lines = [
    `Sightglass ${version} (${host})`,
    `System: ${platform} ${release()}, ${process.arch}`,
    `Runtime: ${[`Node ${node}`, electron && `Electron ${electron}`, chrome && `Chromium ${chrome}`].filter(Boolean).join(', ')}`,
    `Secrets: ${keepsSecrets ? 'in the key store of the system' : 'in memory'}`,
    `Sessions: ${sessions.length}`,
    ...sessions.map(
      ({ transport, phase, agreement, counts }) =>
        `- ${transport}, ${phase}, ${agreement === null ? 'no revision' : `${agreement.revision} (${agreement.era})`}, ` +
        `${counts.rows} rows, ${counts.errors} errors, ${counts.invalid} invalid`,
    ),
  ];
  return [lines.join('\n'), notes.trim()].filter((part) => part !== '').join('\n\n');
}

// Writes the table of clients in docs/connecting.md from the descriptors of their formats.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UserPath } from '#shared/client-formats/format.ts';
import { fileFormats } from '#shared/client-formats/table.ts';
import { projectRoot } from './step.ts';

export const connectingPage = join(projectRoot, 'docs/connecting.md');

/** The lines of the table. */
export function formatTable(): string {
  const rows = fileFormats.map(({ label, syntax, containers, userFiles, projectFiles, fileName }) => {
    const files = [
      ...userFiles.map(shownPath),
      ...projectFiles.map((end) => `\`${end.replaceAll('*', '…')}\``),
    ];
    const places = containers.map((keys) => `\`${keys.join(' › ').replaceAll('*', '…')}\``);
    return `| ${label} | ${syntax.toUpperCase()} | ${places.join(', ')} | ${files.join(', ') || `\`${fileName}\``} |`;
  });
  return ['| client | syntax | servers in | files |', '|---|---|---|---|', ...rows].join('\n');
}

function shownPath({ in: base, path, on }: UserPath): string {
  const shown = `\`${base === 'home' ? '~' : 'SETTINGS'}/${path}\``;
  if (on === undefined) return shown;
  return `${shown} (${on.map((one) => systems[one]).join(', ')})`;
}

const systems = { mac: 'macOS', windows: 'Windows', linux: 'Linux' } as const;

/** The page with the table of today. */
export const withTable = (page: string): string =>
  page.replace(/^\| client \| syntax \|.*\n(?:\|.*\n)*/m, `${formatTable()}\n`);

if (import.meta.main) {
  await writeFile(connectingPage, withTable(await readFile(connectingPage, 'utf8')));
}

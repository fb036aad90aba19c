// Writes the pages of docs/providers/ from the table of identity providers.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type KnownProvider, PROVIDERS_READ, RESOURCE } from '#shared/authorization/providers/provider.ts';
import { knownProviders } from '#shared/authorization/providers/table.ts';
import { projectRoot } from './step.ts';

export const providersFolder = join(projectRoot, 'docs/providers');

/** The pages by their names. */
export function providerPages(): ReadonlyMap<string, string> {
  const all = Object.values(knownProviders);
  return new Map([
    ['README.md', index(all)],
    ...all.map((provider) => [`${provider.id}.md`, page(provider)] as const),
  ]);
}

const index = (all: readonly KnownProvider[]): string => `# Identity providers

What these authorization servers are documented to do where that differs from what MCP demands, and what to do about it.
Choose one in the settings of a server, *Authorization server is*, or with \`sightglass auth --provider NAME\`: that fills in what it
needs. Without a choice Sightglass recognizes it by its addresses, and says at the step that shows it which of these it is.

| provider | name | known traps |
|---|---|---|
${all.map(({ id, label, traps }) => `| [${label}](${id}.md) | \`${id}\` | ${traps.map(({ title }) => title).join('; ')} |`).join('\n')}

The table is \`shared/authorization/providers/\`; \`node scripts/provider-docs.ts\` writes these pages from it.
`;

const page = ({ label, id, hosts, notes, settings, traps }: KnownProvider): string => `# ${label}

\`sightglass auth --provider ${id}\`, or *Authorization server is* in the settings of a server. ${hosts.length === 0 ? 'Recognized by the paths of its addresses.' : `Recognized by its hosts (${hosts.map((host) => `\`${host}\``).join(', ')}), or by the paths of its addresses.`}

## What is filled in

${bullets([...filledIn(settings), ...notes])}
${traps.map(trapSection).join('\n')}`;

const trapSection = ({ title, cause, wayOn, remedy, sources }: KnownProvider['traps'][number]): string => `
## ${title}

${escaped(cause)}

${escaped(wayOn)}${remedy === null ? '' : ` In the Auth pane: *${remedy.label}*.`}

Sources, read on ${PROVIDERS_READ}: ${sources.map((source) => `[${source.title}](${source.url})`).join(', ')}.
`;

/** Each setting as the settings name it. */
const filledIn = (settings: KnownProvider['settings']): string[] =>
  Object.entries(settings).map(([name, value]) => `\`${name}\`: \`${valueText(value)}\``);

const valueText = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(RESOURCE, 'the URL of the server');

const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}\n`).join('');

/** Braces and asterisks of a text are not markup. */
const escaped = (text: string): string => text.replaceAll('*', '\\*');

if (import.meta.main) {
  await mkdir(providersFolder, { recursive: true });
  for (const [name, text] of providerPages()) await writeFile(join(providersFolder, name), text);
}

import type { JsonNode } from './jsonc.ts';
import { serverSettingsSchema, type TransportSettings, type Variable } from '#shared/contract/servers.ts';
import type { FileFormat } from '#shared/client-formats/format.ts';
import type { ClientFormat } from '#shared/client-formats/table.ts';
import { pointerOf } from '#shared/json/pointer.ts';
import { isSecretVariable } from '#shared/secret-names.ts';
import { placeholdersIn } from '#config/placeholders.ts';
import { workspaceOf } from './detect-format.ts';
import { type Configuration, type Draft, plainSettings, textsOf, WORKSPACE } from './draft.ts';
import { entriesOf, misplacedIn } from './entries.ts';
import { elementsOf, type JsonSource, membersOf, textOf } from './json-source.ts';
import { readEntry } from './read-entry.ts';
import { unknownVariables } from './variables.ts';

/** Reads the servers of a client's configuration file. @param path where it is, if known */
export function readFile(
  source: JsonSource,
  root: JsonNode,
  format: FileFormat<ClientFormat>,
  path: string | null,
): Configuration {
  const problems = [...source.problems];
  const inputs = inputsOf(root);
  const workspace = workspaceOf(path);
  const servers: Draft[] = [];
  const [container = []] = format.containers;
  for (const { node, path: at } of misplacedIn(root, format)) {
    problems.push({
      ...source.placeOf(node.offset),
      server: null,
      what: `${format.label} does not read servers from "${at.join('.')}".`,
      next: `They are read here. Write "${container.join('.')}" in its place, so that ${format.label} reads them, too.`,
    });
  }
  for (const { name, path: at, node } of entriesOf(root, format)) {
    const entry = readEntry(node, format);
    const placed = (where: JsonNode, what: string, next: string) =>
      problems.push({ ...source.placeOf(where.offset), server: name, what, next });
    for (const problem of entry.problems) placed(problem.node, problem.what, problem.next);
    if (entry.transport === null) continue;
    const transport = inWorkspace(entry.transport, workspace);
    const settings = plainSettings(name, transport, variablesOf(transport, inputs, workspace));
    const parsed = serverSettingsSchema.safeParse(settings);
    for (const { message, path: member } of parsed.error?.issues ?? [])
      placed(node, `${member.map(String).join('.')}: ${message}`, 'Correct it and import the text again.');
    for (const written of unknownPlaceholders(transport, format)) {
      placed(
        node,
        `Sightglass does not replace ${written}; the server gets it as it is written.`,
        'Write the value itself, or ${env:NAME}, if the server needs it.',
      );
    }
    if (parsed.success) {
      const { line } = source.placeOf(node.offset);
      servers.push({ key: pointerOf(at), line, settings: parsed.data, leftOut: entry.leftOut });
    }
  }
  if (servers.length === 0 && problems.length === 0) {
    problems.push({
      ...source.placeOf(root.offset),
      server: null,
      what: 'There are no servers in this text.',
      next: `Servers are looked for in "${container.join('.')}" of a file of ${format.label}.`,
    });
  }
  return { format: format.id, servers, problems };
}

/** Clients start the servers of a project in its folder. */
const inWorkspace = (transport: TransportSettings, workspace: string | null): TransportSettings =>
  transport.kind === 'stdio' && transport.cwd === null && workspace !== null
    ? { ...transport, cwd: WORKSPACE }
    : transport;

type Input = Pick<Variable, 'secret' | 'description' | 'value'>;

/** The `inputs` of VS Code, by id. */
function inputsOf(root: JsonNode): Map<string, Input> {
  const inputs = new Map<string, Input>();
  const mcp = membersOf(root).get('mcp');
  for (const owner of [root, mcp]) {
    for (const node of elementsOf(membersOf(owner).get('inputs'))) {
      const members = membersOf(node);
      const id = textOf(members.get('id'));
      if (id === null) continue;
      const secret = textOf(members.get('password')) === 'true' || isSecretVariable(id);
      inputs.set(id, {
        secret,
        description: textOf(members.get('description')),
        value: secret ? null : textOf(members.get('default')),
      });
    }
  }
  return inputs;
}

function variablesOf(
  transport: TransportSettings,
  inputs: ReadonlyMap<string, Input>,
  workspace: string | null,
): Variable[] {
  const variables = new Map<string, Variable>();
  const host = transport.kind === 'http' ? (/^(?:https?:\/\/)?[^/?#]*/.exec(transport.url)?.[0] ?? '') : '';
  for (const placeholder of textsOf(transport).flatMap(placeholdersIn)) {
    if (placeholder.kind === 'input') {
      const name = `input:${placeholder.name}`;
      // What nobody describes may be a secret, unless it is a part of the host.
      const secret = !host.includes(placeholder.written) || isSecretVariable(placeholder.name);
      const input = inputs.get(placeholder.name) ?? { secret, description: null, value: null };
      variables.set(name, { name, ...input });
    } else if (placeholder.kind === 'place' && placeholder.name.startsWith('workspaceFolder')) {
      const name = 'workspaceFolder';
      variables.set(name, { name, value: workspace, secret: false, description: null });
    }
  }
  return [...variables.values()];
}

/** Placeholders that only the other client can replace. */
const unknownPlaceholders = (transport: TransportSettings, format: FileFormat): string[] => [
  ...new Set(textsOf(transport).flatMap((text) => unknownVariables(format, text))),
];

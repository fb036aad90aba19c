import type { ServerSettings, Variable } from '#shared/contract/servers.ts';
import type { Configuration } from './draft.ts';
import { readConfiguration, type ReadOptions } from './read-configuration.ts';
import {
  hasSecretPart,
  type PlaceholderFor,
  withoutSecretArguments,
  withoutSecretsInName,
} from './secret-arguments.ts';

/** Reads a text, with variables in place of the secrets in its command lines and without secrets in the names of its servers. */
export function readForImport(text: string, options: ReadOptions): Configuration {
  const read = readConfiguration(text, options);
  const servers = read.servers.map((draft, index) => {
    const settings = withSecretVariables(draft.settings);
    // The place in the text has the name in it.
    const key = settings.name === draft.settings.name ? draft.key : `server-${index}`;
    return { ...draft, key, settings };
  });
  const problems = read.problems.map((problem) => ({
    ...problem,
    server: problem.server === null ? null : withoutSecretsInName(problem.server),
  }));
  return { ...read, servers, problems };
}

/**
 * The settings with variables for the secrets in their command line: those are kept in the store, and the command line, which
 * is kept in the settings file, names them.
 */
function withSecretVariables(settings: ServerSettings): ServerSettings {
  const { transport } = settings;
  const named = { ...settings, name: withoutSecretsInName(settings.name) };
  if (transport.kind === 'http') return named;
  const variables = new Map((settings.variables ?? []).map((variable) => [variable.name, variable]));
  /** The values of each name so far, with their variables. */
  const kept = new Map<string, Map<string, string>>();
  const placeholderFor: PlaceholderFor = (name, value) => {
    const description = `"${name}" of the command line`;
    const stem = name.replaceAll(/[{}]/g, '').replaceAll(' ', '-');
    const values = kept.get(stem) ?? new Map<string, string>();
    kept.set(stem, values);
    const known = values.get(value);
    if (known !== undefined) return `\${${known}}`;
    const nameOf = (count: number) => `input:${stem}${count === 1 ? '' : `-${count}`}`;
    let count = values.size + 1;
    const isTaken = (variable: Variable | undefined) => variable !== undefined && variable.value !== value;
    while (isTaken(variables.get(nameOf(count)))) count++;
    const id = nameOf(count);
    values.set(value, id);
    if (!variables.has(id)) variables.set(id, { name: id, value, secret: true, description });
    return `\${${id}}`;
  };
  // A command with spaces is a whole command line.
  const words = withoutSecretArguments(transport.command.split(' '), placeholderFor);
  const args = withoutSecretArguments(transport.args, placeholderFor);
  const [cwd = null] = transport.cwd === null ? [] : withoutSecretArguments([transport.cwd], placeholderFor);
  const env = transport.env.map((entry) => ({
    ...entry,
    secret: entry.secret || hasSecretPart(entry.value ?? ''),
  }));
  return {
    ...named,
    transport: { ...transport, command: words.join(' '), args, cwd, env },
    ...(variables.size > 0 && { variables: [...variables.values()] }),
  };
}

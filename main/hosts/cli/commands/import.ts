import { resolve } from 'node:path';
import { z } from 'zod';
import { createEngine } from '#main/engine.ts';
import type { Engine } from '#main/platform.ts';
import { readNamedTextSync, readStream, textOf } from '#files/named-file.ts';
import { joinCommandLine } from '#shared/command-line.ts';
import { clientFormats } from '#shared/client-formats/table.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { Result } from '#shared/contract/index.ts';
import {
  type ConfigurationProblem,
  type ConfigurationSource,
  type Server,
  type ServerSettings,
  type Variable,
} from '#shared/contract/servers.ts';
import { formatQuantity } from '#shared/format.ts';
import { labelOfVariable, withKnownTarget } from '#shared/known-values.ts';
import { cliPlatform } from '#hosts/cli/cli-platform.ts';
import { type CliCommand, type Invocation, parseOptions } from '#hosts/cli/command.ts';
import { exitCodeOf, type ExitCode, exitCodes, UsageError } from '#hosts/cli/exit.ts';
import { request } from '#hosts/cli/headless-session.ts';
import { faultText, print, printJson, say, visibleText } from '#hosts/cli/output.ts';
import { quoted } from '#hosts/cli/option-values.ts';
import { readSecretVariable } from '#hosts/cli/named-values.ts';

const optionsSchema = z.object({
  format: z.enum(clientFormats).optional(),
  only: z.array(z.string()).default([]),
  save: z.boolean().default(false),
  replace: z.boolean().default(false),
  input: z.array(z.string()).default([]),
  json: z.boolean().default(false),
});
type Options = z.infer<typeof optionsSchema>;

const argsSchema = z.tuple([z.string().optional()]);

type Preview = Result<'servers/import-preview'>;
type Imported = Preview['servers'][number];

/** Lists the servers of another client's configuration, and saves them if asked to. */
export const importCommand: CliCommand = {
  usage: 'import [file]',
  summary: 'import servers from the configuration of another client',
  options: [
    ['--save', 'save the servers; without it they are only listed'],
    ['--replace', 'with --save, change saved servers of the same name instead of leaving them as they are'],
    ['--only <name>', 'only the server of this name; may be repeated', 'repeatable'],
    [
      '--format <format>',
      `how to read the text, where it is not told by itself: ${clientFormats.join(', ')}`,
    ],
    [
      '--input <id[=source]>',
      'with --save, the value of an input that is no secret: that of the variable of this name here, or of @FILE or ' +
        '$VARIABLE; may be repeated',
      'repeatable',
    ],
    ['--json', 'print one JSON object: "format", "servers", "problems", and "saved" with --save'],
  ],
  notes: `FILE is a configuration file of one of the clients that --format names, the manifest.json of an MCP bundle or a
server.json of the registry, or a part of one as a README shows it; "-" reads it from stdin. A command line after "--"
is imported too, and so are "claude mcp add", "codex mcp add", "code --add-mcp" and the like.
Without any of these, the configuration files on this machine are listed. Comments and trailing commas are fine.
Secret values are not saved, because only the desktop app has a key store: give them with --secret-env, --header
and --input to the command that uses the server, or enter them in the app. An imported command line asks before its
first start.

Examples: sightglass import
          sightglass import .vscode/mcp.json
          sightglass import ~/.cursor/mcp.json --save --only github
          sightglass import --save -- npx -y @modelcontextprotocol/server-everything`,
  ends: {
    1: 'a server or a part of the text could not be imported',
    2: 'wrong usage, or the file cannot be read',
    3: 'the servers could not be saved',
  },
  async run(invocation) {
    const options = parseOptions(optionsSchema, invocation.options);
    let engine: Engine | undefined;
    try {
      const source = await readSource(invocation, options);
      refuseUseless(options, source);
      engine = await createEngine(cliPlatform());
      return source === null
        ? await listFound(engine, options.json)
        : await importFrom(engine, source, options);
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      say(faultText(error.fault));
      return exitCodeOf(error.fault) === exitCodes.findings ? exitCodes.unavailable : exitCodeOf(error.fault);
    } finally {
      await engine?.close();
    }
  },
};

/** The text to import from; null if none is named. @throws UsageError or FaultError */
async function readSource(
  { args, commandLine }: Invocation,
  { format }: Options,
): Promise<ConfigurationSource | null> {
  const [file] = argsSchema.parse(args);
  if (commandLine !== null) {
    if (file !== undefined) throw new UsageError('import a file or a command line, not both at once');
    const line = joinCommandLine([commandLine.command, ...commandLine.args], {
      isWindows: process.platform === 'win32',
    });
    return { kind: 'text', text: line, path: null, format: 'command-line' };
  }
  if (file === undefined) return null;
  if (file === '-') {
    const bytes = await readStream('Standard input', process.stdin, 'configuration');
    const text = textOf('Standard input', bytes, 'configuration');
    return { kind: 'text', text, path: null, format: format ?? null };
  }
  const path = resolve(file);
  return {
    kind: 'text',
    text: readNamedTextSync(path, 'configuration'),
    path,
    format: format ?? null,
  };
}

/** @throws UsageError */
function refuseUseless({ save, replace, input, only, format }: Options, source: object | null): void {
  if (replace && !save) throw new UsageError('--replace goes with --save');
  if (input.length > 0 && !save) throw new UsageError('--input goes with --save');
  if (source === null && (save || only.length > 0 || format !== undefined))
    throw new UsageError(
      'a file to import from is needed; "sightglass import" alone lists those of this machine',
    );
}

async function listFound(engine: Engine, json: boolean): Promise<ExitCode> {
  const found = await request(engine, 'servers/found', {});
  if (json) {
    await printJson(JSON.stringify({ found }));
    return exitCodes.fine;
  }
  for (const { path, label, servers, problems } of found) {
    const names = servers.length === 0 ? 'no servers' : servers.map(visibleText).join(', ');
    await print(`${visibleText(path)}\n    ${label}: ${names}`);
    sayProblems(path, problems);
  }
  if (found.length === 0) say('there is no configuration file of another client on this machine');
  return exitCodes.fine;
}

async function importFrom(engine: Engine, source: ConfigurationSource, options: Options): Promise<ExitCode> {
  const preview = await request(engine, 'servers/import-preview', { source });
  const chosen = chooseServers(preview, options.only);
  const problems = preview.problems.filter(
    ({ server }) => server === null || options.only.length === 0 || options.only.includes(server),
  );
  const saved = options.save ? await saveServers(engine, source, chosen, options) : null;
  if (options.json) {
    const list = saved?.map(({ id, name }) => ({ id, name }));
    await printJson(JSON.stringify({ format: preview.format, servers: chosen, problems, saved: list }));
  } else {
    if (preview.format !== null) say(`read as: ${preview.label}`);
    for (const server of chosen) await print(serverText(server));
    if (saved !== null)
      await print(`saved: ${saved.map(({ name }) => visibleText(name)).join(', ') || 'none'}`);
  }
  sayProblems(source.kind === 'text' ? (source.path ?? 'the text') : source.path, problems);
  if (saved !== null) sayMissing(chosen, saved);
  const isWhole = problems.length === 0 && (saved === null || saved.length === chosen.length);
  return isWhole ? exitCodes.fine : exitCodes.findings;
}

/** @throws UsageError if a name is not in the text */
function chooseServers({ servers, problems }: Preview, only: readonly string[]): readonly Imported[] {
  const unknown = only.find(
    (name) =>
      !servers.some(({ settings }) => settings.name === name) &&
      !problems.some(({ server }) => server === name),
  );
  if (unknown === undefined)
    return only.length === 0 ? servers : servers.filter(({ settings }) => only.includes(settings.name));
  const names = servers.map(({ settings }) => quoted(settings.name)).join(', ');
  throw new UsageError(`--only: there is no server ${quoted(unknown)} in it; it has: ${names || 'none'}`);
}

async function saveServers(
  engine: Engine,
  source: ConfigurationSource,
  chosen: readonly Imported[],
  { replace, input }: Options,
): Promise<Server[]> {
  const values = Object.fromEntries(
    input.map((one) => {
      const [id, value] = readSecretVariable('--input', one);
      return [`input:${id}`, value];
    }),
  );
  const kept = chosen.filter(({ existingId }) => existingId !== null && !replace);
  for (const { settings } of kept)
    say(`"${settings.name}" is left as it is: a saved server has this name; --replace changes it`);
  const picks = chosen
    .filter((one) => !kept.includes(one))
    .map(({ key, existingId }) => ({ key, name: null, replaces: existingId }));
  return request(engine, 'servers/import', { source, picks, values });
}

function sayProblems(where: string, problems: readonly ConfigurationProblem[]): void {
  for (const { line, column, server, what, next } of problems) {
    const about = server === null ? '' : `${server}: `;
    say(`${where}:${line}:${column}: ${about}${what}\n  next: ${next}`);
  }
}

/** What has to be given before a saved server can start. */
function sayMissing(chosen: readonly Imported[], saved: readonly Server[]): void {
  for (const server of saved) {
    const { settings } = chosen.find((one) => one.settings.name === server.name) ?? { settings: server };
    const names = [...secretNames(settings), ...inputNames(server)];
    if (names.length === 0) continue;
    say(
      `"${server.name}" needs ${formatQuantity(names.length, 'value')} that ${names.length === 1 ? 'is' : 'are'} not saved: ` +
        `${names.join(', ')}; enter them in the app, or give them with the command that uses the server`,
    );
  }
}

const secretNames = ({ transport }: ServerSettings): string[] =>
  (transport.kind === 'stdio' ? transport.env : transport.headers).flatMap(({ name, secret }) =>
    secret ? [name] : [],
  );

const inputNames = ({ variables = [] }: ServerSettings): string[] =>
  variables.flatMap(({ name, value, secret, isOptional }) =>
    isOptional !== true && (secret || value === null) ? [name] : [],
  );

function serverText({ settings, leftOut, given, existingId }: Imported): string {
  const { name, variables = [] } = settings;
  const transport = withKnownTarget(settings.transport, variables);
  const target =
    transport.kind === 'stdio' ? joinCommandLine([transport.command, ...transport.args]) : transport.url;
  const lines = [
    target,
    ...variables
      .filter(({ name: one }) => one !== 'workspaceFolder' && !given.includes(one))
      .map(variableText),
    ...(existingId === null ? [] : ['a saved server has this name']),
    ...leftOut.map(({ key, why }) => `left out ${key}: ${why}`),
  ];
  return [visibleText(name), ...lines.map((line) => `    ${visibleText(line)}`)].join('\n');
}

/** What the user has to give, or can change: `input region = eu, one of eu, us: the region of your account`. */
function variableText({
  name,
  value,
  secret,
  description,
  choices,
  placeholder,
  isOptional,
}: Variable): string {
  const facts = [
    `input ${labelOfVariable({ name })}${value === null ? '' : ` = ${value}`}`,
    ...(value !== null ? [] : [isOptional === true ? 'optional' : 'required']),
    ...(secret ? ['secret'] : []),
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(placeholder === undefined ? [] : [`such as ${placeholder}`]),
  ];
  return facts.join(', ') + (description === null ? '' : `: ${description}`);
}

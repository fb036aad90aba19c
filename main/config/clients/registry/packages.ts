import { joinCommandLine } from '#shared/command-line.ts';
import type { EnvEntry, StdioSettings, TransportSettings } from '#shared/contract/servers.ts';
import { knownValues, withKnownValues } from '#shared/known-values.ts';
import { holdsSecret } from '#shared/secret-names.ts';
import { withoutEnd } from '#shared/trim.ts';
import { secretsInUrl, withoutUrlSecrets } from '#shared/url-secrets.ts';
import type { JsonNode } from '#config/clients/jsonc.ts';
import { elementsOf, membersOf, textOf } from '#config/clients/json-source.ts';
import { withoutSecretArguments } from '#config/clients/secret-arguments.ts';
import { isOnlyPlaceholders, placeholdersIn } from '#config/placeholders.ts';
import { nameOfArgument, readArguments } from './arguments.ts';
import { isTrue, nodeOf, textIn } from './entry-members.ts';
import { idOf, type Inputs } from './inputs.ts';
import { type Rejection, readAddress } from './remotes.ts';
import { hasOption, namedVariables, splitWords, withNamedVariables, withPackage } from './runner-words.ts';
import { hasHost, type PackageKind, packageKinds, type Runner } from './runners.ts';

/** Reads a package as the server that it starts, or, if it has an address, as the server at that address. */
export function readPackage(node: JsonNode, inputs: Inputs): TransportSettings | Rejection {
  const transport = nodeOf(node, 'transport');
  const type = textIn(transport, 'type') ?? 'stdio';
  const command = readCommand(node, inputs);
  if (type.toLowerCase() === 'stdio') return command;
  const address = readAddress(transport, inputs, { scopes: [inputsByName(node)], usesDefaults: true });
  if ('kind' in address)
    inputs.leftOut.push({ key: 'command', why: howToStart(node, command, address.url, inputs) });
  else if ('kind' in command) return { what: address.what, next: howToStart(node, command, '', inputs) };
  return address;
}

/** The inputs of a package by the names that the URL of its transport has for them. */
function inputsByName(node: JsonNode): Map<string, JsonNode> {
  const named = new Map<string, JsonNode>();
  const inputsOfValues = new Map<string, JsonNode>();
  for (const key of ['environmentVariables', 'runtimeArguments', 'packageArguments']) {
    for (const input of elementsOf(nodeOf(node, key))) {
      const name = nameOfArgument(input);
      for (const one of [name, textIn(input, 'name') ?? name, idOf(name)]) named.set(one, input);
      for (const [inner, variable] of membersOf(nodeOf(input, 'variables')))
        inputsOfValues.set(inner, variable);
    }
  }
  // An input with a value stands for what its own variables stand for.
  return new Map([...named, ...inputsOfValues]);
}

function readCommand(node: JsonNode, inputs: Inputs): StdioSettings | Rejection {
  const type = typeOf(node);
  const kind = Object.hasOwn(packageKinds, type) ? packageKinds[type] : undefined;
  const identifier = identifierOf(node);
  if (identifier === null) return { what: 'This package has no identifier.', next: otherWay };
  if (identifier.startsWith('-')) {
    return { what: `"${identifier}" is an option and no package.`, next: otherWay };
  }
  namePostInstall(node, inputs);
  nameTemplate(node, identifier, inputs);
  if (type === 'cargo') return installedCommand(node, identifier, inputs);
  if (kind === undefined) return notStarted(type, identifier, node);
  const { runner, isHinted } = runnerOf(node, kind, inputs);
  const declared = readVariables(node, inputs);
  const runtime = isHinted ? nodeOf(node, 'runtimeArguments') : undefined;
  const given = splitWords(runner, readArguments(runtime, inputs, runner));
  const { options, variables } = withNamedVariables(runner, withoutTerminal(runner, given.options, inputs));
  const env = [...new Map([...declared, ...variables].map((one) => [one.name, one])).values()];
  const own = readArguments(nodeOf(node, 'packageArguments'), inputs);
  const ofRunner = new Set(runner.optionsBehind.flat());
  const args = [
    ...runner.verbs,
    ...runner.options.filter((spellings) => !hasOption(options, spellings)).map(([first = '']) => first),
    ...indexOf(node, kind, runner, options, inputs),
    ...withPackage({
      kind,
      runner,
      identifier,
      reference: referenceOf(node, kind, runner, identifier),
      options: [...options, ...(runner.namesVariables ? namedVariables(env, options) : [])],
      rest: given.rest,
      // Where a separator follows the package, its options were meant to stand before it.
      own: own.filter((word) => !ofRunner.has(word)),
      onMisplaced: (what) => inputs.notes.push({ node: runtime ?? node, what, next: compareWithAuthor }),
    }),
  ];
  const hidden = withoutSecretArguments(args, (name, value) =>
    value.includes('${') ? value : inputs.hide(name, value),
  );
  return { kind: 'stdio', command: runner.command, args: hidden, cwd: null, env, inherit: 'safe' };
}

/** Options of a container without those that give it a terminal: docker refuses them where it has none itself. */
function withoutTerminal(runner: Runner, options: readonly string[], inputs: Inputs): string[] {
  if (!runner.namesVariables) return [...options];
  const why = `${runner.command} demands a terminal for it, which a server over stdio does not have.`;
  return options.flatMap((word, index) => {
    const before = options[index - 1] ?? '';
    if (before.startsWith('-') && !before.includes('=') && runner.takesValue(before)) return word;
    const isJoined = /^-[itdPq]+$/.test(word) && word.includes('t');
    if (!isJoined && word !== '--tty' && word !== '--tty=true') return word;
    inputs.leftOut.push({ key: isJoined ? '-t' : '--tty', why });
    const rest = word.replaceAll('t', '');
    return isJoined && rest !== '-' ? rest : [];
  });
}

const compareWithAuthor = 'Compare the command line with what the author of the server gives.';

const otherWay =
  'Use another package or remote of this server, or add it by the command line that its author gives.';

/** The type of a package; of one without a type, that of its runner. */
function typeOf(node: JsonNode): string {
  const type = (textIn(node, 'registryType') ?? textIn(node, 'registryName'))?.toLowerCase();
  if (type === 'docker' || type === 'podman') return 'oci';
  if (type !== undefined) return type;
  if (identifierOf(node)?.toLowerCase().endsWith('.mcpb') === true) return 'mcpb';
  const hint = programName(textIn(node, 'runtimeHint') ?? '');
  const found = Object.entries(packageKinds).find(([, { runners }]) =>
    runners.some(({ command }) => command === hint),
  );
  return found?.[0] ?? '';
}

const identifierOf = (node: JsonNode): string | null =>
  (textIn(node, 'identifier') ?? textIn(node, 'name'))?.trim().replace(/^(?:oci|docker):\/\//, '') || null;

const programName = (hint: string): string =>
  (hint.split(/[\\/]/).at(-1) ?? '').replace(/\.(?:exe|cmd)$/i, '');

/** The runner that the entry prefers, if it can fetch packages of this kind. */
function runnerOf(
  node: JsonNode,
  { runners }: PackageKind,
  inputs: Inputs,
): { readonly runner: Runner; readonly isHinted: boolean } {
  const hint = textIn(node, 'runtimeHint');
  const [usual] = runners;
  if (hint === null) return { runner: usual, isHinted: true };
  const runner = runners.find(({ command }) => command === programName(hint));
  if (runner !== undefined) return { runner, isHinted: true };
  const why = `"${hint}" does not fetch a package, so ${usual.command} runs it.`;
  inputs.leftOut.push({ key: 'runtimeHint', why });
  if (elementsOf(nodeOf(node, 'runtimeArguments')).length > 0)
    inputs.leftOut.push({ key: 'runtimeArguments', why: `They are for "${hint}".` });
  return { runner: usual, isHinted: false };
}

/** The package as an argument. Old entries of containers have the host of the registry apart. */
function referenceOf(node: JsonNode, kind: PackageKind, runner: Runner, identifier: string): string {
  const reference = kind.reference(identifier, textIn(node, 'version'), runner.versionSign);
  const base = baseOf(node, kind);
  if (base === null || !runner.namesVariables || !URL.canParse(base)) return reference;
  const { host, pathname } = new URL(base);
  return hasHost(identifier) ? reference : `${host}${withoutEnd(pathname, '/')}/${reference}`;
}

/** The base URL of the registry, unless the runner uses it anyway. */
function baseOf(node: JsonNode, { usualBases }: PackageKind): string | null {
  const written = textIn(node, 'registryBaseUrl');
  const base = written === null ? null : withoutEnd(written, '/');
  return base === null || usualBases.includes(base) ? null : base;
}

/** The words that make the runner fetch the package from the registry of the entry. */
function indexOf(
  node: JsonNode,
  kind: PackageKind,
  { command, indexOption, namesVariables }: Runner,
  options: readonly string[],
  inputs: Inputs,
): string[] {
  const base = baseOf(node, kind);
  if (base === null || namesVariables) return [];
  const leaveOut = (why: string): string[] => {
    inputs.leftOut.push({ key: 'registryBaseUrl', why });
    return [];
  };
  if (!/^https?:\/\//i.test(base) || !URL.canParse(base)) return leaveOut(`"${base}" is no http(s) address.`);
  const { username, password } = new URL(base);
  if (username !== '' || password !== '' || secretsInUrl(base).length > 0)
    return leaveOut(`It has a credential. Set the registry in the configuration of ${command}.`);
  if (indexOption === null)
    return leaveOut(`${command} has no option for it. Set ${base} in the configuration of ${command}.`);
  return hasOption(options, [indexOption]) ? [] : [indexOption, kind.indexUrl(base)];
}

function readVariables(node: JsonNode, inputs: Inputs): EnvEntry[] {
  const entries = elementsOf(nodeOf(node, 'environmentVariables')).flatMap((variable): EnvEntry[] => {
    // Some list only names.
    const name = textIn(variable, 'name') ?? textOf(variable);
    if (name === null || name === '') return [];
    if (/[=\0]/.test(name)) {
      inputs.leftOut.push({ key: name, why: 'A variable cannot have this name.' });
      return [];
    }
    const value = inputs.valueOf(variable, { name, canBeOmitted: true });
    if (value === null) return [];
    const isSecret = isTrue(variable, 'isSecret') || holdsSecret(name, value);
    return [{ name, value, secret: isSecret && !isOnlyPlaceholders(value) }];
  });
  // The last one counts, as in the environment.
  return [...new Map(entries.map((entry) => [entry.name, entry])).values()];
}

/** Names a package of which a release script has still to write the version. */
function nameTemplate(node: JsonNode, identifier: string, inputs: Inputs): void {
  const template = [identifier, textIn(node, 'version') ?? ''].find((text) => /\$?\{|<[^<>]+>/.test(text));
  if (template === undefined) return;
  inputs.notes.push({
    node,
    what: `"${template}" is a template, which its author fills in for a release.`,
    next: 'Use the server.json of a release, or write the name and the version into the command line.',
  });
}

/** Shows what the author asks for, and runs none of it. */
function namePostInstall(node: JsonNode, inputs: Inputs): void {
  for (const step of elementsOf(nodeOf(node, 'postInstallInstructions'))) {
    const texts = ['description', 'command', 'documentation'].flatMap((key) => textIn(step, key) ?? []);
    inputs.leftOut.push({ key: 'postInstallInstructions', why: `Do it yourself: ${texts.join(' · ')}` });
  }
}

/** A crate, whose program has to be installed first. */
function installedCommand(node: JsonNode, identifier: string, inputs: Inputs): StdioSettings {
  const version = textIn(node, 'version');
  const install = ['cargo', 'install', identifier, ...(version === null ? [] : ['--version', version])];
  const why = `Install it yourself before it is started: ${joinCommandLine(install, { isWindows: false })}. Its program may have another name.`;
  inputs.leftOut.push({ key: 'install', why });
  const args = readArguments(nodeOf(node, 'packageArguments'), inputs);
  return {
    kind: 'stdio',
    command: identifier,
    args,
    cwd: null,
    env: readVariables(node, inputs),
    inherit: 'safe',
  };
}

/** Why nothing starts packages of a type, with what the user can do. */
function notStarted(type: string, identifier: string, node: JsonNode): Rejection {
  if (type === 'mcpb') {
    const hash = textIn(node, 'fileSha256');
    const check = hash === null ? '' : ` check that its SHA-256 is ${hash},`;
    return {
      what: `Sightglass does not download bundles (the type "mcpb"): ${withoutUrlSecrets(identifier)}`,
      next: `Download it,${check} unpack it, and import its manifest.json.`,
    };
  }
  return {
    what: `Sightglass does not know how to start packages of the type "${type}": ${identifier}`,
    next: otherWay,
  };
}

/** Tells the user to start a server that listens, with its command line if there is one. */
function howToStart(node: JsonNode, command: StdioSettings | Rejection, url: string, inputs: Inputs): string {
  if ('what' in command) return `Start the server yourself. ${command.what} ${command.next}`;
  const { variables } = inputs;
  const known = knownValues(variables);
  const shown = (text: string) =>
    withKnownValues(text, known).replaceAll(/\$\{input:([^}]*)(?:\}|$)/g, '<$1>');
  const port = /^https?:\/\/[^/?#]*:(\d+)/i.exec(shown(url))?.[1];
  const publish =
    typeOf(node) === 'oci' &&
    port !== undefined &&
    !command.args.some((word) => /^(?:-p|--publish|--network|--net|-P)/.test(word));
  const args = publish ? command.args.toSpliced(1, 0, '-p', `127.0.0.1:${port}:${port}`) : command.args;
  const optional = new Set(variables.flatMap(({ name, isOptional }) => (isOptional === true ? name : [])));
  const env = command.env.flatMap(({ name, value, secret }) =>
    secret || value === null || placeholdersIn(value).some((one) => optional.has(`input:${one.name}`))
      ? []
      : `${name}=${joinCommandLine([shown(value)], { isWindows: false })} `,
  );
  const line = env.join('') + joinCommandLine([command.command, ...args].map(shown), { isWindows: false });
  return `This server listens at an address, and Sightglass starts only servers that speak over stdio. Start it yourself, then connect: ${line}`;
}

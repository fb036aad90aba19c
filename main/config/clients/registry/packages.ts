import { joinCommandLine } from '#shared/command-line.ts';
import type { EnvEntry, StdioSettings, TransportSettings } from '#shared/contract/servers.ts';
import { knownValues, withKnownValues } from '#shared/known-values.ts';
import { holdsSecret } from '#shared/secret-names.ts';
import { withoutEnd } from '#shared/trim.ts';
import { secretsInUrl } from '#shared/url-secrets.ts';
import type { JsonNode } from '#config/clients/jsonc.ts';
import { elementsOf, membersOf, textOf } from '#config/clients/json-source.ts';
import { withoutSecretArguments } from '#config/clients/secret-arguments.ts';
import { isOnlyPlaceholders, placeholdersIn } from '#config/placeholders.ts';
import { nameOfArgument, readArguments } from './arguments.ts';
import { isTrue, nodeOf, textIn } from './entry-members.ts';
import { idOf, type Inputs } from './inputs.ts';
import { type Rejection, readAddress } from './remotes.ts';
import { hasHost, hasOption, type PackageKind, packageKinds, type Runner, splitWords } from './runners.ts';

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
  const { options, variables } = withNamedVariables(runner, given.options);
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

const compareWithAuthor = 'Compare the command line with what the author of the server gives.';

interface Placement {
  readonly kind: PackageKind;
  readonly runner: Runner;
  readonly identifier: string;
  readonly reference: string;
  readonly options: readonly string[];
  /** What follows the options among the runtime arguments. */
  readonly rest: readonly string[];
  /** The arguments of the package. */
  readonly own: readonly string[];
  readonly onMisplaced: (what: string) => void;
}

/** The options, the package and what it gets. The runtime arguments of some entries name the package themselves. */
function withPackage({
  kind,
  runner,
  identifier,
  reference,
  options,
  rest,
  own,
  onMisplaced,
}: Placement): string[] {
  const [first, ...others] = rest;
  const name = kind.nameIn(identifier) ?? identifier;
  const isPackage = (word: string) => kind.nameIn(word) === name;
  // Without a version it means the one that the entry has.
  const whole = (word: string) => (isPackage(word) && !kind.hasVersion(word) ? reference : word);
  const add = (...words: readonly string[]) => [...options, ...behind(runner, options, words, own)];
  const isNamedByOption = options.some((word) => runner.packageOptions.has(word.split('=')[0] ?? ''));
  if (isNamedByOption) {
    const named = options.map((word, index) => {
      if (runner.packageOptions.has(options[index - 1] ?? '')) return whole(word);
      const end = runner.packageOptions.has(word.split('=')[0] ?? '') ? word.indexOf('=') + 1 : 0;
      return end === 0 ? word : word.slice(0, end) + whole(word.slice(end));
    });
    const program = first === undefined ? [programIn(identifier)] : rest;
    return [...named, ...behind(runner, options, program, own)];
  }
  if (first === undefined) return add(reference);
  if (isPackage(first)) return add(whole(first), ...others);
  const [option] = runner.packageOptions;
  if (option !== undefined && kind.nameIn(first)?.startsWith(`${programIn(name)}-`) === true)
    return [...options, option, reference, ...rest, ...own];
  if (!runner.namesVariables && first === 'run' && hasOption(others, ['--rm'])) {
    onMisplaced(
      `The runtime arguments from "run" on start a container and not ${runner.command}, so they are left out.`,
    );
    return add(reference);
  }
  onMisplaced(`The runtime argument "${first}" is no option of ${runner.command}, so the package gets it.`);
  return add(reference, ...rest);
}

/** Options of a container with the variables whose values the user gives: by name, so that no process list has the values. */
function withNamedVariables(
  { setsVariable }: Runner,
  options: readonly string[],
): { readonly options: string[]; readonly variables: EnvEntry[] } {
  const variables: EnvEntry[] = [];
  const named = options.map((word, index) => {
    const isValue = setsVariable(options[index - 1] ?? '');
    const [, option = '', name, value = ''] =
      (isValue ? /^()([^=]+)=(.*)$/s : /^(--env=)([^=]+)=(.*)$/s).exec(word) ?? [];
    if (name === undefined || !value.includes('${')) return word;
    variables.push({ name, value, secret: false });
    return option + name;
  });
  return { options: named, variables };
}

const otherWay =
  'Use another package or remote of this server, or add it by the command line that its author gives.';

/** The package and all behind it: options that belong there, and its arguments. */
function behind(
  { optionsBehind, separator }: Runner,
  options: readonly string[],
  [reference = '', ...rest]: readonly string[],
  own: readonly string[],
): string[] {
  const added = optionsBehind.filter(
    (spellings) => !hasOption(options, spellings) && !rest.some((word) => spellings.includes(word)),
  );
  const ofPackage = rest[0] === separator ? rest.slice(1) : rest;
  const behindIt = separator !== null && own.length + ofPackage.length > 0 ? [separator] : [];
  return [reference, ...added.map(([first = '']) => first), ...behindIt, ...ofPackage, ...own];
}

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

/** Options that give a container the variables of the process, by name, unless the entry has them. */
function namedVariables(env: readonly EnvEntry[], options: readonly string[]): string[] {
  const named = new Set(
    options.flatMap((word, index) => {
      const value = ['-e', '--env'].includes(options[index - 1] ?? '')
        ? word
        : /^(?:-e|--env=)(.+)/s.exec(word)?.[1];
      return value?.split('=')[0] ?? [];
    }),
  );
  return env.flatMap(({ name }) => (named.has(name) ? [] : ['-e', name]));
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

/** The program of a package that an option names: `@a/b` has `b`. */
const programIn = (identifier: string): string =>
  identifier.split('/').at(-1)?.split(/[@=[]/)[0] || identifier;

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
      what: `Sightglass does not download bundles (the type "mcpb"): ${identifier}`,
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

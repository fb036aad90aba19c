import type { EnvEntry } from '#shared/contract/servers.ts';
import { holdsSecret } from '#shared/secret-names.ts';
import type { PackageKind, Runner } from './runners.ts';

/** The words of a command line: options of the runner, the package, and what the package gets. */
export interface RunnerWords {
  readonly options: readonly string[];
  /** From the first word that is no option on. */
  readonly rest: readonly string[];
}

/** Splits the words of a runner where its options end. Its own first words, such as `run`, are not among them. */
export function splitWords({ command, verbs, takesValue }: Runner, all: readonly string[]): RunnerWords {
  // Some entries repeat the program.
  const given = all[0] === command ? all.slice(1) : all;
  const own = verbs.every((verb, index) => given[index] === verb) ? given.slice(verbs.length) : given;
  let end = 0;
  while (end < own.length) {
    const word = own[end] ?? '';
    if (!word.startsWith('-') || word === '-') break;
    if (word === '--') return { options: own.slice(0, end), rest: own.slice(end + 1) };
    end += !word.includes('=') && takesValue(word) ? 2 : 1;
  }
  return { options: own.slice(0, end), rest: own.slice(end) };
}

/** Whether the options have one of these spellings; joined short ones count, such as `-it`. */
export const hasOption = (options: readonly string[], spellings: readonly string[]): boolean =>
  options.some(
    (word) =>
      spellings.includes(word.replace(/=true$/, '')) ||
      (/^-[a-z]{2,}$/i.test(word) &&
        spellings.some((one) => /^-[a-z]$/i.test(one) && word.includes(one.slice(1)))),
  );

/** A package and what stands around it. */
export interface Placement {
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
export function withPackage({
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
  onMisplaced(
    `The runtime argument "${first}" is not an option of ${runner.command}, so the package gets it.`,
  );
  return add(reference, ...rest);
}

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

/** The program of a package that an option names: `@a/b` has `b`. */
const programIn = (identifier: string): string =>
  identifier.split('/').at(-1)?.split(/[@=[]/)[0] || identifier;

/** Options of a container, and the variables that they set. */
export interface ContainerOptions {
  readonly options: string[];
  readonly variables: EnvEntry[];
}

/**
 * Takes the values that the user gives, and secret ones, out of the options of a container: it gets them by the name of the
 * variable, so that no process list has them.
 */
export function withNamedVariables({ setsVariable }: Runner, options: readonly string[]): ContainerOptions {
  const variables: EnvEntry[] = [];
  const named = options.map((word, index) => {
    const isValue = setsVariable(options[index - 1] ?? '');
    const [, option = '', name, value = ''] =
      (isValue ? /^()([^=]+)=(.*)$/s : /^(--env=)([^=]+)=(.*)$/s).exec(word) ?? [];
    if (name === undefined) return word;
    const isSecret = !value.includes('${') && holdsSecret(name, value);
    if (!isSecret && !value.includes('${')) return word;
    variables.push({ name, value, secret: isSecret });
    return option + name;
  });
  return { options: named, variables };
}

/** Options that give a container the variables of the process, by name, unless the entry has them. */
export function namedVariables(env: readonly EnvEntry[], options: readonly string[]): string[] {
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

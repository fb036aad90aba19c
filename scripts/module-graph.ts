// Which modules of the product are reached from where it starts. A module or function that only its tests import is a defence
// that does nothing.
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type ParseResult, parseSync } from 'vite';
import { z } from 'zod';

/** A module of the product, by what it imports and exports. Paths are relative to the root of the project. */
export interface Module {
  /** Modules that run when this one is loaded, or later by `import()` or as a worker. */
  readonly runs: ReadonlySet<string>;
  /** Modules of which it only uses types. */
  readonly typesOf: ReadonlySet<string>;
  /** What it takes of other modules; the name `*` is everything. */
  readonly takes: readonly { readonly from: string; readonly name: string }[];
  /** The values that it exports under names of its own, each with whether its own code uses it. */
  readonly exports: readonly { readonly name: string; readonly isUsedHere: boolean }[];
  /** Whether it has types only, so that nothing of it runs. */
  readonly isTypesOnly: boolean;
}

export type ModuleGraph = ReadonlyMap<string, Module>;

const packageSchema = z.object({ imports: z.record(z.string(), z.string()) });

/** Reads these modules. @param files their paths; others are not followed */
export function readModules(root: string, files: readonly string[]): ModuleGraph {
  const { imports } = packageSchema.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const resolve = (specifier: string) => {
        const path = resolved(specifier, file, imports);
        return path !== null && known.has(path) ? path : null;
      };
      return [file, readModule(readFileSync(join(root, file), 'utf8'), file, resolve)];
    }),
  );
}

/** The path that a specifier means; null for a package. */
function resolved(specifier: string, from: string, imports: Readonly<Record<string, string>>): string | null {
  if (specifier.startsWith('.')) return join(dirname(from), specifier);
  for (const [pattern, target] of Object.entries(imports)) {
    const [prefix = '', rest] = pattern.split('*');
    if (rest === undefined ? specifier === pattern : specifier.startsWith(prefix))
      return relative('.', target.replace('*', specifier.slice(prefix.length)));
  }
  return null;
}

function readModule(text: string, file: string, resolve: (specifier: string) => string | null): Module {
  const result = parseSync(file, text);
  const [error] = result.errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  const runs = new Set<string>();
  const typesOf = new Set<string>();
  const takes: { from: string; name: string }[] = [];
  const take = (specifier: string, name: string | null, isType: boolean) => {
    const from = resolve(specifier);
    if (from === null) return;
    (isType ? typesOf : runs).add(from);
    if (name !== null) takes.push({ from, name });
  };
  const { staticImports, staticExports, dynamicImports } = result.module;
  for (const { moduleRequest, entries } of staticImports) {
    if (entries.length === 0) take(moduleRequest.value, null, false);
    for (const { importName, isType } of entries) take(moduleRequest.value, nameOf(importName), isType);
  }
  const exported = staticExports.flatMap(({ entries }) => entries);
  for (const { moduleRequest, importName, isType } of exported)
    if (moduleRequest !== null) take(moduleRequest.value, nameOf(importName), isType);
  for (const { start, end, moduleRequest } of dynamicImports) {
    const specifier = text.slice(moduleRequest.start + 1, moduleRequest.end - 1);
    for (const name of namesTaken(text.slice(0, start), text.slice(end))) take(specifier, name, false);
  }
  // A worker, and everything else that is found beside a module.
  for (const [, specifier = ''] of text.matchAll(/new URL\(\s*'(\.[^']+)'/g)) take(specifier, '*', false);
  const code = withoutComments(text, result);
  return {
    runs,
    typesOf,
    takes,
    isTypesOnly: result.program.body.every((statement) => isOfTypes(statement)),
    exports: exported.flatMap(({ moduleRequest, exportName, localName, isType }) => {
      if (moduleRequest !== null || isType || exportName.kind === 'None') return [];
      const own = localName.name ?? exportName.name ?? 'default';
      return [{ name: nameOf(exportName), isUsedHere: occurrences(code, own) > 1 }];
    }),
  };
}

const nameOf = ({ kind, name }: { readonly kind: string; readonly name: string | null }): string =>
  kind === 'Default' ? 'default' : (name ?? '*');

/** The names that an `import()` is taken apart into; `*` if it is not. @param before the code before it, @param after the code behind it */
function namesTaken(before: string, after: string): string[] {
  const names =
    /^\s*\.then\(\(\{([^{}]*)\}\)/.exec(after)?.[1] ?? /\bconst \{([^{}]*)\} = await $/.exec(before)?.[1];
  return names?.split(',').flatMap((one) => /\w+/.exec(one)?.[0] ?? []) ?? ['*'];
}

function withoutComments(text: string, { comments }: ParseResult): string {
  let code = '';
  let place = 0;
  for (const { start, end } of comments) {
    code += text.slice(place, start);
    place = end;
  }
  return code + text.slice(place);
}

const occurrences = (code: string, name: string): number =>
  code.split(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`)).length - 1;

type Statement = ParseResult['program']['body'][number];

/** Whether nothing runs for a statement. */
function isOfTypes(statement: Statement): boolean {
  switch (statement.type) {
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return true;
    case 'VariableDeclaration':
      return statement.declare === true;
    case 'ImportDeclaration':
      // One of values is there for the types of them, if nothing else runs.
      return statement.specifiers.length > 0;
    case 'ExportAllDeclaration':
      return statement.exportKind === 'type';
    case 'ExportNamedDeclaration':
      return (
        statement.exportKind === 'type' ||
        (statement.declaration !== null && isOfTypes(statement.declaration))
      );
    default:
      return false;
  }
}

/** The modules that are reached from these entries: those that run, and those whose types the ones that run use. */
export function reachedFrom(modules: ModuleGraph, entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = entries.filter((entry) => modules.has(entry));
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const module = modules.get(file);
    if (module === undefined) continue;
    open.push(...module.runs);
    for (const one of module.typesOf) if (modules.get(one)?.isTypesOnly === true) open.push(one);
  }
  return reached;
}

/** The exported values that nothing in these modules uses, as `file: name`. */
export function unusedExports(modules: ModuleGraph, entries: readonly string[]): string[] {
  const taken = new Set(
    [...modules.values()].flatMap(({ takes }) => takes.map(({ from, name }) => `${from}: ${name}`)),
  );
  return [...modules]
    .filter(([file]) => !entries.includes(file) && !taken.has(`${file}: *`))
    .flatMap(([file, { exports }]) =>
      exports.flatMap(({ name, isUsedHere }) =>
        isUsedHere || taken.has(`${file}: ${name}`) ? [] : [`${file}: ${name}`],
      ),
    );
}

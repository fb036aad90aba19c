import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readModules, reachedFrom, unusedExports } from './module-graph.ts';
import { projectRoot } from './step.ts';

const isModule = (file: string) => /\.tsx?$/.test(file) && !/\.(?:test|d)\.tsx?$/.test(file);

/** Every module of the product, and those of the demo server that it ships with. */
function productModules(): string[] {
  const folders = ['main', 'shared', 'preload', 'renderer', 'fixtures'];
  const options = ['--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', ['ls-files', ...options, '--', ...folders], { cwd: projectRoot });
  const deleted = execFileSync('git', ['ls-files', '--deleted'], { cwd: projectRoot });
  const gone = new Set(String(deleted).split('\n'));
  return String(listed)
    .split('\n')
    .filter((file) => isModule(file) && !gone.has(file));
}

/** Where the product starts: what vite bundles. */
function productEntries(): string[] {
  const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8');
  const inputs = read('vite.config.ts').matchAll(/path\('([^']+(?<!\.d)\.ts)'\)/g);
  const scripts = read('renderer/index.html').matchAll(/<script[^>]* src="\.\/([^"]+)"/g);
  return [
    ...[...inputs].map(([, input = '']) => input),
    ...[...scripts].map(([, src = '']) => `renderer/${src}`),
  ];
}

const modules = readModules(projectRoot, productModules());
const entries = productEntries();
const reached = reachedFrom(modules, entries);

test('the entries of the product are known', () => {
  expect(entries.filter((entry) => !modules.has(entry))).toEqual([]);
  expect(entries).toEqual(
    expect.arrayContaining(['main/hosts/cli/index.ts', 'preload/index.ts', 'renderer/main.tsx']),
  );
  expect(reached.size).toBeGreaterThan(500);
});

test('every module of the product is reached from an entry of it, not from tests alone', () => {
  const unreached = [...modules.keys()].filter((file) => !file.startsWith('fixtures/') && !reached.has(file));
  expect(unreached).toEqual([]);
});

test('every value that a module of the product exports is used by the product', () => {
  const product = new Map([...modules].filter(([file]) => reached.has(file)));
  expect(unusedExports(product, entries).filter((one) => !one.startsWith('fixtures/'))).toEqual([]);
});

/** Reads a tree of modules. */
async function graphOf(files: Readonly<Record<string, string>>) {
  const root = await mkdtemp(join(tmpdir(), 'sightglass-modules-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const all = { ...files, 'package.json': JSON.stringify({ imports: { '#main/*': './main/*' } }) };
  for (const [file, text] of Object.entries(all)) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  }
  return readModules(root, Object.keys(files));
}

test.each<[string, string, boolean]>([
  ['an import', `import { a } from './a.ts'; a();`, true],
  ['an import by a subpath', `import { a } from '#main/a.ts'; a();`, true],
  ['an import without names', `import './a.ts';`, true],
  ['an export of it', `export { a } from './a.ts';`, true],
  ['an export of everything', `export * from './a.ts';`, true],
  ['an import() of it', `export const later = () => import('./a.ts');`, true],
  ['a worker', `new Worker(new URL('./a.ts', import.meta.url));`, true],
  ['an import of types', `import type { A } from './a.ts'; export type B = A;`, false],
  ['an import of a type by its name', `import { type A } from './a.ts'; export type B = A;`, false],
  ['its name in a comment', `// import './a.ts';`, false],
])('%s reaches a module: %#', async (_, entry, isReached) => {
  const graph = await graphOf({
    'main/index.ts': entry,
    'main/a.ts': 'export interface A {}\nexport const a = () => 1;',
    'main/a.test.ts': `import { a } from './a.ts'; a();`,
  });
  expect(reachedFrom(graph, ['main/index.ts']).has('main/a.ts')).toBe(isReached);
});

test('a module of types alone is reached by an import of them', async () => {
  const graph = await graphOf({
    'main/index.ts': `import type { A } from './a.ts'; export type B = A;`,
    'main/a.ts': `import type { C } from './c.ts'; export interface A { c: C }`,
    'main/c.ts': 'export type C = 1;',
  });
  expect([...reachedFrom(graph, ['main/index.ts'])]).toEqual(['main/index.ts', 'main/a.ts', 'main/c.ts']);
});

test('of a module that is imported later, only what is taken out of it is used', async () => {
  const graph = await graphOf({
    'main/index.ts': [
      `void import('./a.ts').then(({ one }) => one());`,
      `const { two } = await import('./a.ts'); two();`,
      `export const whole = import('./b.ts');`,
    ].join('\n'),
    'main/a.ts': ['one', 'two', 'three'].map((name) => `export const ${name} = () => 1;`).join('\n'),
    'main/b.ts': 'export const four = 4;',
  });
  expect(unusedExports(graph, ['main/index.ts'])).toEqual(['main/a.ts: three']);
});

test('a function that is exported and neither imported nor called is found', async () => {
  const graph = await graphOf({
    'main/index.ts': `import { used } from './a.ts'; used();`,
    'main/a.ts': [
      'export const used = () => helper();',
      'export function helper() { return 1; }',
      '/** Like `unused`. */',
      'export const unused = () => 2;',
    ].join('\n'),
  });
  expect(unusedExports(graph, ['main/index.ts'])).toEqual(['main/a.ts: unused']);
});

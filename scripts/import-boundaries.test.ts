import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What can be imported. Every subpath of package.json has at least one line here; a test below sees to it. */
const targets = {
  transports: '#transports/x.ts',
  session: '#session/x.ts',
  trace: '#trace/x.ts',
  checks: '#checks/x.ts',
  testing: '#testing/x.ts',
  replay: '#replay/x.ts',
  authorization: '#authorization/x.ts',
  config: '#config/x.ts',
  files: '#files/x.ts',
  engine: '#main/engine.ts',
  platform: '#main/platform.ts',
  mock: '#main/mock.ts',
  'another file of main': '#main/transports/x.ts',
  hosts: '#hosts/web/x.ts',
  'Electron host': '#hosts/electron/x.ts',
  'Electron host, beside': '../electron/x.ts',
  shared: '#shared/trace/x.ts',
  bridge: '#bridge',
  model: '#model/x.ts',
  app: '#app/x.tsx',
  ui: '#ui/x.tsx',
  features: '#features/tools/x.tsx',
  fixtures: '#fixtures/x.ts',
  'fixtures of the page': '#fixtures/page/x.ts',
  scripts: '#scripts/x.ts',
  electron: 'electron',
  node: 'node:fs',
  zod: 'zod',
  react: 'react',
  icons: 'lucide-react',
  'component library': 'radix-ui',
  palette: 'cmdk',
  toasts: 'sonner',
  panels: 'react-resizable-panels',
  beside: './beside.ts',
  'way up': '../transports/x.ts',
  'hidden way up': './../transports/x.ts',
  'two ways up': '../../main/transports/x.ts',
  'subpath with a way up': '#shared/../main/transports/x.ts',
} as const;
type Target = keyof typeof targets;

const libraries: Target[] = ['zod', 'react', 'icons'];
const everyLibrary: Target[] = [...libraries, 'component library', 'palette', 'toasts', 'panels'];
const onNode: Target[] = ['beside', 'shared', 'node', ...everyLibrary];
/** Every part of main reads the files that the user names in one way. */
const inMain: Target[] = [...onNode, 'files'];
/** One step up, where that still is the same part. */
const ownPart: Target[] = ['way up', 'hidden way up', 'Electron host, beside'];
const inPage: Target[] = ['beside', 'shared', ...libraries];
const allFixtures: Target[] = ['fixtures', 'fixtures of the page'];
const wholePage: Target[] = ['bridge', 'model', 'app', 'ui', 'features', 'fixtures of the page'];

/** Who may import what; whatever is not named here must be caught. */
const parts: Record<string, { readonly file: string; readonly may: readonly Target[] }> = {
  shared: { file: 'shared/trace/probe.ts', may: ['beside', ...ownPart, 'shared', 'zod'] },
  'a test of shared': {
    file: 'shared/trace/probe.test.ts',
    may: ['beside', ...ownPart, 'shared', 'zod', 'node', ...allFixtures],
  },
  'a new part of main': { file: 'main/newcomer/probe.ts', may: inMain },
  platform: { file: 'main/platform.ts', may: inMain },
  transports: { file: 'main/transports/probe.ts', may: [...inMain, 'transports'] },
  config: { file: 'main/config/probe.ts', may: [...inMain, 'config'] },
  trace: { file: 'main/trace/probe.ts', may: [...inMain, 'trace', 'transports'] },
  checks: { file: 'main/checks/probe.ts', may: [...inMain, 'checks', 'trace'] },
  session: { file: 'main/session/probe.ts', may: [...inMain, 'session', 'trace', 'transports'] },
  testing: { file: 'main/testing/probe.ts', may: [...inMain, 'testing'] },
  replay: { file: 'main/replay/probe.ts', may: [...inMain, 'replay', 'testing'] },
  'mock of a trace': { file: 'main/replay/mock/probe.ts', may: [...inMain, 'replay', 'trace'] },
  authorization: {
    file: 'main/authorization/probe.ts',
    may: [...inMain, 'authorization', 'transports'],
  },
  'a test of main': {
    file: 'main/transports/probe.test.ts',
    may: [
      ...inMain,
      'transports',
      'session',
      'checks',
      'trace',
      'testing',
      'replay',
      'authorization',
      'config',
      'engine',
      'platform',
      'mock',
      ...allFixtures,
    ],
  },
  engine: {
    file: 'main/engine.ts',
    may: [
      ...inMain,
      'platform',
      'transports',
      'trace',
      'checks',
      'session',
      'testing',
      'replay',
      'authorization',
      'config',
    ],
  },
  'trace worker': { file: 'main/trace-worker.ts', may: [...inMain, 'trace', 'checks', 'session'] },
  mock: { file: 'main/mock.ts', may: [...inMain, 'trace', 'replay'] },
  'web host': {
    file: 'main/hosts/web/probe.ts',
    may: [...inMain, 'engine', 'platform', 'config', 'hosts', 'way up', 'hidden way up'],
  },
  'terminal host': {
    file: 'main/hosts/cli/probe.ts',
    may: [...inMain, 'engine', 'platform', 'mock', 'config', 'hosts', 'way up', 'hidden way up'],
  },
  'Electron host': {
    file: 'main/hosts/electron/probe.ts',
    may: [...inMain, ...ownPart, 'engine', 'platform', 'config', 'hosts', 'Electron host', 'electron'],
  },
  preload: { file: 'preload/probe.ts', may: ['beside', 'shared', 'electron'] },
  bridge: { file: 'renderer/bridge.ts', may: inPage },
  model: { file: 'renderer/model/probe.ts', may: [...inPage, 'bridge', 'model'] },
  app: {
    file: 'renderer/app/probe.tsx',
    may: [...inPage, 'bridge', 'model', 'ui', 'app', 'features'],
  },
  ui: { file: 'renderer/ui/probe.tsx', may: ['beside', 'shared', ...everyLibrary, 'ui'] },
  feature: { file: 'renderer/features/trace/probe.tsx', may: [...inPage, 'bridge', 'model', 'ui'] },
  'a test of the page': {
    file: 'renderer/features/trace/probe.test.tsx',
    may: [...onNode, ...ownPart, ...wholePage],
  },
  'fixtures of the page': {
    file: 'fixtures/page/probe.tsx',
    may: [...onNode, ...ownPart, ...wholePage],
  },
  'traces under test': {
    file: 'fixtures/trace/probe.ts',
    may: [...onNode, 'transports', 'trace', 'checks', ...allFixtures],
  },
  fixtures: {
    file: 'fixtures/misbehaving/probe.ts',
    may: [...onNode, ...ownPart, ...allFixtures, 'scripts'],
  },
  'HTTP client under test': {
    file: 'fixtures/http/client-under-test.ts',
    may: [...onNode, 'transports', ...allFixtures],
  },
  fuzzing: {
    file: 'fixtures/fuzz/probe.ts',
    may: [...onNode, 'transports', 'trace', 'testing', 'replay', ...allFixtures],
  },
  e2e: { file: 'e2e/probe.spec.ts', may: [...onNode, ...allFixtures, 'scripts'] },
  scripts: { file: 'scripts/probe.ts', may: [...onNode, ...allFixtures, 'scripts'] },
  bench: { file: 'bench/probe.ts', may: [...onNode, ...allFixtures, 'scripts'] },
};

const reportSchema = z.object({
  diagnostics: z.array(
    z.object({
      code: z.string(),
      filename: z.string(),
      labels: z.array(z.object({ span: z.object({ line: z.number() }) })),
    }),
  ),
});

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-boundaries-'));
  await cp(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Lints files (path to lines) under the project's configuration; gives each broken rule as `path:line rule`. */
async function lint(files: Readonly<Record<string, readonly string[]>>): Promise<string[]> {
  for (const [path, lines] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), `${lines.join('\n')}\n`);
  }
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
  const report = await new Promise<string>((resolve) => {
    const options = { cwd: folder, maxBuffer: 1 << 26 };
    execFile(process.execPath, [oxlint, '--format', 'json'], options, (_, out) => resolve(out));
  });
  for (const path of Object.keys(files)) await rm(join(folder, path));
  return reportSchema
    .parse(JSON.parse(report))
    .diagnostics.map(
      (found) => `${found.filename.replaceAll('\\', '/')}:${found.labels[0]?.span.line} ${found.code}`,
    );
}

/** The rules that refuse an import. */
const RULE = 'eslint(no-restricted-imports)';
const NODE_RULE = 'import(no-nodejs-modules)';

describe('import boundaries', () => {
  const names = Object.keys(targets) as Target[];
  let broken: Set<string>;

  beforeAll(async () => {
    const lines = Object.values(targets).map((specifier) => `export * from '${specifier}';`);
    const files = Object.values(parts).map(({ file }) => [file, lines] as const);
    broken = new Set(await lint(Object.fromEntries(files)));
  });

  it.each(Object.entries(parts))('%s imports what it may and nothing else', (_, { file, may }) => {
    const allowed = names.filter(
      (_name, index) => ![RULE, NODE_RULE].some((rule) => broken.has(`${file}:${index + 1} ${rule}`)),
    );
    expect(allowed.toSorted()).toEqual(may.toSorted());
  });

  it('catches every way to write an import', async () => {
    const lines = [
      "import { x } from '#session/x.ts';",
      "import type { X } from '#session/x.ts';",
      "import '#session/x.ts';",
      "export { y } from '#session/x.ts';",
      "export const lazy = () => import('#session/x.ts');",
      "export type Inline = import('#session/x.ts').X;",
      "export const old = require('#session/x.ts');",
      'export const use = (it: X) => [it, x];',
    ];
    const found = await lint({ 'main/transports/probe.ts': lines });
    expect(found.toSorted()).toEqual([
      ...[1, 2, 3, 4, 5].map((line) => `main/transports/probe.ts:${line} ${RULE}`),
      'main/transports/probe.ts:6 typescript(consistent-type-imports)',
      'main/transports/probe.ts:7 typescript(no-require-imports)',
    ]);
  });

  it('lets a subfolder look into its own part, and no further', async () => {
    const found = await lint({
      'renderer/features/tools/content/probe.tsx': [
        "export * from '../tool-pane.tsx';",
        "export * from '../../trace/row.tsx';",
      ],
      'renderer/ui/schema-form/probe.tsx': [
        "export * from '../button.tsx';",
        "export * from '../../app/shell.tsx';",
      ],
    });
    expect(found.toSorted()).toEqual([
      `renderer/features/tools/content/probe.tsx:2 ${RULE}`,
      `renderer/ui/schema-form/probe.tsx:2 ${RULE}`,
    ]);
  });

  it('knows every subpath that package.json names', async () => {
    const { imports } = z
      .object({ imports: z.record(z.string(), z.string()) })
      .parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
    const missing = Object.keys(imports).filter(
      (name) => !Object.values(targets).some((specifier) => specifier.startsWith(name.replace('*', ''))),
    );
    expect(missing).toEqual([]);
  });
});

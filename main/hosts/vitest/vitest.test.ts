import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { everything } from '#fixtures/cli/servers.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const suite = `version: 1
variables: { who: nobody }
steps:
  - name: Echoes
    call: echo
    arguments: { message: "\${who}" }
    expect: { values: [{ path: "$.content[0].text", equals: "Echo: \${who}" }] }
  - name: Adds
    call: get-sum
    arguments: { a: 1, b: "\${b}" }
    expect: { values: [{ path: "$.content[0].text", matches: "is 4" }] }
  - name: Toggles
    call: toggle-simulated-logging
`;

const secret = 'open sesame 77';

const testFile = `import { testSavedCalls } from 'sightglass/vitest';
await testSavedCalls('shop.mcptest.yaml', {
  command: ${JSON.stringify(everything)},
  variables: { b: 2 },
  secrets: ['who'],
  allowWrites: false,
});
`;

/** A folder with the built package and vitest installed. */
async function folderWithPackage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-vitest-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const own = join(folder, 'node_modules', 'sightglass');
  await mkdir(own, { recursive: true });
  await cp(join(root, 'package.json'), join(own, 'package.json'));
  await cp(join(root, 'dist', 'main'), join(own, 'dist', 'main'), {
    recursive: true,
    filter: (path) => !path.endsWith('.map'),
  });
  await symlink(join(root, 'node_modules', 'vitest'), join(folder, 'node_modules', 'vitest'), 'junction');
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'shop.mcptest.yaml'), suite);
  await writeFile(join(folder, 'shop.test.js'), testFile);
  return folder;
}

test('each saved call is a test of vitest: it passes, fails with its place, or is skipped', {
  timeout: 90_000,
}, async () => {
  const folder = await folderWithPackage();
  const bin = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const { VITEST: _, CI: __, ...env } = process.env;
  const child = spawn(process.execPath, [bin, 'run', '--reporter', 'json', '--outputFile', 'report.json'], {
    cwd: folder,
    env: { ...env, who: secret, SIGHTGLASS_HOME: join(folder, 'home') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (printed += text.toString()));
  const [code] = (await once(child, 'close')) as [number];
  const report = await readFile(join(folder, 'report.json'), 'utf8').catch(() => printed);
  expect(code, printed).toBe(1);
  expect(JSON.parse(report)).toMatchObject({
    testResults: [
      {
        assertionResults: [
          { ancestorTitles: ['shop.mcptest.yaml'], title: 'Echoes', status: 'passed' },
          {
            title: 'Adds',
            status: 'failed',
            failureMessages: [
              expect.stringContaining(
                'shop.mcptest.yaml:11:24: $.content[0].text: expected a string that matches',
              ),
            ],
          },
          { title: 'Toggles', status: 'skipped' },
        ],
      },
    ],
  });
  const traces = join(folder, 'home', 'traces');
  const recorded = (await readdir(traces)).filter((name) => name.endsWith('.mcptrace'));
  expect(recorded).toHaveLength(1);
  const trace = await readFile(join(traces, recorded[0] ?? 'none'), 'utf8');
  expect(trace).toContain('[secret variable who, 14 characters');
  expect(trace).not.toContain(secret);
});

const refusing = `import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id } = JSON.parse(line);
  const message = 'closed\\n::error title=a::of the server\\n ##[add-mask]of the server';
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message } }));
});
`;

test('where a runner reads what vitest prints, no words of a server or a file are a command of it', {
  timeout: 90_000,
}, async () => {
  const folder = await folderWithPackage();
  await writeFile(join(folder, 'refusing.js'), refusing);
  await writeFile(join(folder, 'broken.mcptest.yaml'), 'version: 1\n"##[add-mask]of the file": 1\n');
  await writeFile(
    join(folder, 'shop.mcptest.yaml'),
    'version: 1\nsteps: [{ name: "Echoes ##[add-mask]of the file", call: echo }]\n',
  );
  const started = (file: string) =>
    `import { testSavedCalls } from 'sightglass/vitest';
await testSavedCalls('${file}', { command: [process.execPath, 'refusing.js'] });
`;
  await writeFile(join(folder, 'shop.test.js'), started('shop.mcptest.yaml'));
  await writeFile(join(folder, 'broken.test.js'), started('broken.mcptest.yaml'));
  const bin = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const { VITEST: _, ...env } = process.env;
  const child = spawn(process.execPath, [bin, 'run', '--no-color'], {
    cwd: folder,
    env: { ...env, GITHUB_ACTIONS: 'true', SIGHTGLASS_HOME: join(folder, 'home') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (printed += text.toString()));
  await once(child, 'close');
  expect(printed).toContain('The server answered initialize with error -32000: closed');
  expect(printed).toContain('of the file');
  const lines = printed.split('\n');
  expect(lines.filter((line) => /^\s*::(?:error title=a::|add)|##\[/.test(line))).toEqual([]);
});

test('the package declares the types of the helper', async () => {
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { types: string; default: string }>;
  };
  const declared = exports['./vitest'];
  expect(await readFile(join(root, declared?.types ?? ''), 'utf8')).toBe(
    await readFile(join(dirname(fileURLToPath(import.meta.url)), 'types.d.ts'), 'utf8'),
  );
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { cliEntry } from '#fixtures/cli/entry.ts';
import { everything } from '#fixtures/cli/servers.ts';
import { projectRoot } from './step.ts';

const actionSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  inputs: z.record(
    z.string(),
    z.strictObject({
      description: z.string(),
      default: z.string().optional(),
      required: z.literal(true).optional(),
    }),
  ),
  runs: z.strictObject({
    using: z.literal('composite'),
    steps: z.tuple([
      z.strictObject({
        name: z.string(),
        shell: z.literal('bash'),
        env: z.record(z.string(), z.string()),
        run: z.string(),
      }),
    ]),
  }),
});

const action = actionSchema.parse(
  parse(await readFile(join(projectRoot, '.github/actions/test/action.yml'), 'utf8')),
);

/** Runs the step of the action as a runner does, in a folder with one test file. */
async function run(
  inputs: Readonly<Record<string, string>>,
): Promise<{ code: number | null; stdout: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-action-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // The package is in no registry of the test: in place of npx stands a program that runs the checkout.
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'npx'), `#!/bin/sh\nshift 2\nexec '${process.execPath}' '${cliEntry}' "$@"\n`);
  await chmod(join(bin, 'npx'), 0o755);
  const call = (name: string, expected: string) =>
    `  - { name: ${name}, call: echo, arguments: { message: hi }, expect: { values: [{ path: "$.content[0].text", equals: "${expected}" }] } }\n`;
  await writeFile(
    join(folder, 'echo.mcptest.yaml'),
    `version: 1\nsteps:\n${call('Right', 'Echo: hi')}${call('Wrong', 'Echo: ho')}`,
  );
  const [{ env: variables, run: script }] = action.runs.steps;
  const filled = Object.entries(variables).map(([name, value]) => [
    name,
    value.replaceAll(
      /\$\{\{ inputs\.([\w-]+) \}\}/g,
      (_, input: string) => inputs[input] ?? action.inputs[input]?.default ?? '',
    ),
  ]);
  const child = spawn('bash', ['-c', script], {
    cwd: folder,
    env: {
      ...process.env,
      ...Object.fromEntries(filled),
      CI: 'true',
      SIGHTGLASS_HOME: join(folder, 'home'),
      PATH: `${bin}${delimiter}${process.env.PATH}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
  await once(child, 'close');
  return { code: child.exitCode, stdout };
}

const packed = './sightglass.tgz';

test.each(['', 'sightglass', 'sightglass@1'])(
  'the action does not run the package %j, which is not ours',
  async (name) => {
    expect(action.inputs.package).not.toHaveProperty('default');
    const { code, stdout } = await run({
      server: everything.join(' '),
      ...(name !== '' && { package: name }),
    });
    expect(stdout).toMatch(/^::error title=Sightglass test::The input "package" must be the path/);
    expect(code).toBe(2);
  },
);

test('no page and no help fetches the package of a stranger by our name', async () => {
  const pattern = ['*.md', 'docs/**/*.md', '.github/**/*', 'main/**/*.ts', 'renderer/**/*.tsx'];
  const files = [];
  for await (const path of glob(pattern, { cwd: projectRoot })) files.push(path);
  const fetching =
    /\b(?:npx|bunx|npm (?:exec|x|i|install|add)|pnpm (?:dlx|add)|yarn (?:dlx|add))(?: -\S+)* sightglass(?![\w-])/;
  const found = [];
  for (const path of files.filter((one) => /\.\w+$/.test(one) && !one.includes('.test.'))) {
    if (fetching.test(await readFile(join(projectRoot, path), 'utf8'))) found.push(path);
  }
  expect(files.length).toBeGreaterThan(300);
  expect(found).toEqual([]);
});

test('the action runs saved calls and annotates what is not as expected', async () => {
  const server = everything.join(' ');
  const failed = await run({ server, package: packed });
  expect(failed.code).toBe(1);
  expect(failed.stdout).toMatch(
    /^::error file=echo\.mcptest\.yaml,line=4,col=\d+,title=Wrong::\$\.content\[0\]\.text: expected "Echo: ho", got "Echo: hi"%0Arow #\d+ of home\/traces\/[\w-]+\.mcptrace\n1 passed, 1 failed, 0 skipped\n$/,
  );
  // As a block of YAML, an input has a word on each line.
  const chosen = await run({
    server: `${everything.join('\n')}\n`,
    paths: './\necho.mcptest.yaml\n',
    options: '--grep Right\n--retries 1\n',
    package: packed,
  });
  expect(chosen).toEqual({ code: 0, stdout: '1 passed, 0 failed, 0 skipped\n' });
});

test('nothing of an input is read as a part of the script', () => {
  const [{ run: script, env }] = action.runs.steps;
  expect(script).not.toContain('${{');
  const used = Object.values(env).map((value) => /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1] ?? value);
  expect(used.toSorted()).toEqual(Object.keys(action.inputs).toSorted());
});

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { projectRoot } from './step.ts';

const folder = join(projectRoot, '.github/workflows');

const workflowSchema = z.object({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.object({
      strategy: z.object({ matrix: z.object({ os: z.array(z.string()) }) }),
      steps: z.array(z.object({ uses: z.string().optional(), run: z.string().optional() })),
    }),
  ),
});

test('workflows pin each action by a commit and its version, and can write nothing', async () => {
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), 'utf8');
    const used = [...text.matchAll(/uses: (.*)/g)].map(([, action]) => action);
    expect(used.length).toBeGreaterThan(0);
    expect(
      used.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action ?? '')),
    ).toEqual([]);
    expect(workflowSchema.parse(parse(text)).permissions).toEqual({ contents: 'read' });
  }
});

test('the build tests and packages on three systems, by scripts that exist', async () => {
  const { jobs } = workflowSchema.parse(parse(await readFile(join(folder, 'build.yml'), 'utf8')));
  expect(Object.keys(jobs)).toEqual(['test', 'package']);
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')));
  for (const { strategy, steps } of Object.values(jobs)) {
    expect(strategy.matrix.os).toEqual(['ubuntu-latest', 'macos-latest', 'windows-latest']);
    const run = steps.flatMap((step) => /\bnpm (?:run )?([\w-]+)/.exec(step.run ?? '')?.[1] ?? []);
    expect(run.filter((name) => !['ci', 'pack'].includes(name) && !(name in scripts))).toEqual([]);
  }
});

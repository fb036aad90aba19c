import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FaultError } from '#shared/contract/fault.ts';
import { Redactor } from './recorder/redaction.ts';
import type { Trace } from './trace.ts';
import { Traces } from './traces.ts';

let folder: string;
const begun: Trace[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-traces-'));
});
afterEach(async () => {
  await Promise.all(begun.splice(0).map((trace) => trace.close()));
  await rm(folder, { recursive: true });
});

async function begin(name: string, path?: string): Promise<Trace> {
  const trace = await new Traces(join(folder, 'traces'), '0', () => {}).begin({
    sessionId: 's',
    server: { name, transport: 'stdio', command: 'c', args: [] },
    redactor: new Redactor(new Map()),
    ...(path !== undefined && { path }),
    onChange: () => {},
    onCongested: () => {},
  });
  begun.push(trace);
  return trace;
}

const faultOf = (error: unknown) => (error instanceof FaultError ? error.fault : error);

test('sessions that begin in the same second have a file each', async () => {
  const traces = await Promise.all([1, 2, 3, 4].map(() => begin('mine')));
  expect(new Set(traces.map(({ file }) => file.path)).size).toBe(4);
});

test.each(['../../etc/passwd', 'a/b\\c', '', 'con', 'é 日本 😀', 'x'.repeat(500), '\0', '..'])(
  'a server called %j has its file in the folder of traces',
  async (name) => {
    const { file } = await begin(name);
    expect(dirname(file.path)).toBe(join(folder, 'traces'));
  },
);

test('a file that is there is never replaced', async () => {
  const path = join(folder, 'kept.mcptrace');
  await writeFile(path, 'precious');
  expect(await begin('mine', path).catch(faultOf)).toMatchObject({
    code: 'trace-exists',
    next: expect.any(String),
  });
  expect(await readFile(path, 'utf8')).toBe('precious');
});

test('a file that cannot be created is reported with its folder', async () => {
  const path = join(folder, 'missing', 'a.mcptrace');
  expect(await begin('mine', path).catch(faultOf)).toMatchObject({
    code: 'trace-not-created',
    next: expect.stringContaining(dirname(path)),
    evidence: path,
  });
});

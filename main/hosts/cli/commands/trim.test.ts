import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Cli } from '#fixtures/cli/cli.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { sdkOverStdio } from '#fixtures/http/start-server.ts';

let cli: Cli;
let recorded: string;
/** The number of the row of the first call. */
let echoRow: string;
const path = (name: string): string => join(cli.folder, name);

/** Records three calls: one that nothing is kept of, one with progress, and one that asks. */
beforeAll(async () => {
  cli = await Cli.open();
  const engine = await EngineFixture.open();
  const { id: sessionId, traceFile } = await engine.connect(sdkOverStdio('legacy'));
  const echo = await engine.callTool(sessionId, 'echo', { message: 'hi', password: 'hunter2-hunter2' });
  echoRow = String(echo.requestRow + 1);
  const meta = '{"progressToken":"p"}';
  const slow = await engine.startTool(sessionId, 'slow', { steps: 2, milliseconds: 1 }, { meta });
  await engine.ended(sessionId, slow.id);
  const asking = await engine.startTool(sessionId, 'ask-elicitation');
  const { id: entryId } = await engine.until(
    async () =>
      (await engine.call('inbox/list', { sessionId })).find((one) => one.state === 'waiting') ?? null,
  );
  const answer = { kind: 'result', json: '{"action":"accept","content":{"name":"Grace"}}' } as const;
  await engine.call('inbox/answer', { sessionId, entryId, answer });
  await engine.ended(sessionId, asking.id);
  await engine.call('sessions/close', { sessionId });
  await engine.settled(sessionId, ['closed']);
  recorded = path('recorded.mcptrace');
  await writeFile(recorded, await readFile(traceFile.path));
  await engine.close();
});
afterAll(() => cli.close());

const unitSchema = z.object({ text: z.string() });

/** The methods of the messages of a trace file. */
async function messagesOf(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n').slice(1);
  const units = lines.map((line): unknown => JSON.parse(line)).map((record) => unitSchema.safeParse(record));
  return units.flatMap(({ data }) => {
    if (data === undefined || !data.text.startsWith('{')) return [];
    const message = z.object({ method: z.string().optional() }).parse(JSON.parse(data.text));
    return [message.method ?? 'response'];
  });
}

const session = [
  'initialize',
  'response',
  'notifications/initialized',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'response',
  'response',
  'response',
  'response',
];

describe('sightglass trim', () => {
  test('keeps whole exchanges, the handshake and the lists, and says what it leaves out', async () => {
    const out = path('asking.mcptrace');
    const { exitCode, stdout } = await cli.runBare([
      'trim',
      recorded,
      '--only',
      'tool:ask-elicitation',
      '-o',
      out,
    ]);
    expect(stdout).toMatch(/^\d+ rows of \d+ kept: .*asking\.mcptrace\n/);
    expect(stdout).toContain('left out: 1 × tools/call echo\n');
    expect(stdout).toContain('left out: 1 × tools/call slow\n');
    expect(stdout).not.toContain('ask-elicitation\n');
    expect(exitCode).toBe(0);
    expect((await messagesOf(out)).sort()).toEqual(
      [...session, 'elicitation/create', 'response', 'response', 'tools/call'].sort(),
    );
    // It is a trace like any other, which a replay or a mock can be made of.
    const compared = await cli.runBare(['diff', recorded, out, '--json']);
    const { counts } = JSON.parse(compared.stdout) as { counts: Record<string, number> };
    expect(counts).toMatchObject({ same: 2, missing: 2 });
  });

  test('keeps a range of rows with their progress, replaces secrets, and overwrites only when told to', async () => {
    const out = path('range.mcptrace');
    const range = ['trim', recorded, '--from', echoRow, '--to', echoRow, '-o', out, '--json'];
    const { stdout } = await cli.runBare([...range, '--redact']);
    const report = JSON.parse(stdout) as { removed: number; leftOut: { calls: unknown[] } };
    expect(report.removed).toBe(1);
    expect(report.leftOut.calls).toContainEqual({ name: 'tools/call slow', count: 1 });
    const text = await readFile(out, 'utf8');
    expect(text).toContain('[secret member password');
    expect(text).not.toContain('hunter2');

    const again = await cli.runBare(range);
    expect(again.stderr).toContain('There is already a file');
    expect(again.exitCode).toBe(2);
    expect(await readFile(out, 'utf8')).toBe(text);
    expect((await cli.runBare([...range, '--force'])).exitCode).toBe(0);
    expect(await readFile(out, 'utf8')).toContain('hunter2');

    const slow = path('slow.mcptrace');
    await cli.runBare(['trim', recorded, '--only', 'method:notifications/progress', '-o', slow]);
    const progress = 'notifications/progress';
    expect((await messagesOf(slow)).sort()).toEqual(
      [...session, 'tools/call', progress, progress, 'response'].sort(),
    );
  });

  test('says what is wrong with its arguments, and when nothing matches', async () => {
    for (const [words, complaint, code] of [
      [['-o', path('x.mcptrace')], 'trim wants --only, or --from and --to', 2],
      [['--only', 'tool:echo'], '--out', 2],
      [['--from', '9', '--to', '2', '-o', path('x.mcptrace')], '--from is after --to', 2],
      [['--only', 'tool:none', '-o', path('x.mcptrace')], 'nothing matches', 1],
      [['--only', 'tool:echo', '--force', '-o', recorded], 'another file than the trace itself', 2],
    ] as const) {
      const { stderr, exitCode } = await cli.runBare(['trim', recorded, ...words]);
      expect(stderr).toContain(complaint);
      expect(exitCode).toBe(code);
    }
  });
});
